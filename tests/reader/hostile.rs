//! Posts that are after the reader: none runs a script, asks anybody for anything, or leaves its frame.
#![allow(clippy::print_stdout, reason = "what was tried is to be seen")]

use serde_json::Value;

use crate::checker::wrong_with;
use crate::corpus::{KINDS, Kind, Payload};
use crate::stage::{at, follow, html, index, tiles};
use crate::support::follower::Follower;
use crate::trap::{Tally, Trap};

/// How links begin that stand for what is not shown. They lead to the original, and who presses one means
/// to go there.
const STAND_INS: [&str; 5] = ["Video", "Audio", "Drawing", "Formula", "Embedded content"];
/// How many posts an index has; with a sheet of its own each, fewer, for so many are fetched at once.
const POSTS: usize = 60;
const SHEETS: usize = 8;
/// Of how many posts one is opened in the plain view, too; the frames of all are looked at in any case.
const PLAIN: i64 = 8;

/// Publishes payloads as posts, and has them followed until all are fetched.
fn publish(trap: &Trap, follower: &Follower, payloads: &[Payload]) {
    let (with, without): (Vec<_>, Vec<_>) =
        payloads.iter().enumerate().partition(|(_, payload)| payload.sheet.is_some());
    let some = without.chunks(POSTS).chain(with.chunks(SHEETS));
    for (number, some) in some.enumerate() {
        let mut lines = String::new();
        for (place, payload) in some {
            let path = format!("/w{number}/p{place}");
            trap.put(&path, payload);
            lines += &format!("{path}\n");
        }
        trap.home.put(&format!("/w{number}/index.txt"), index(lines));
        follow(follower, &trap.home.url(&format!("/w{number}/index.txt")));
    }
    for _ in 0..=POSTS / 30 {
        if tiles(follower).iter().all(|tile| tile.post.state == tidings_store::State::Well) {
            return;
        }
        follower.json(&["poll"]);
    }
    for tile in tiles(follower) {
        assert_eq!(tile.post.state, tidings_store::State::Well, "{:?}", tile.post);
    }
}

/// Shows all payloads of some kinds in every way that the reader has.
fn tried(kinds: &[Kind]) {
    let Some(trap) = Trap::set() else { return };
    let places = trap.places();
    let payloads: Vec<(Kind, Payload)> = kinds
        .iter()
        .flat_map(|kind| kind.payloads(&places).into_iter().map(|payload| (*kind, payload)))
        .collect();
    let follower = Follower::default();
    let all: Vec<Payload> = payloads.iter().map(|(_, payload)| payload.clone()).collect();
    publish(&trap, &follower, &all);
    // How the reader looks around a post that is none.
    let calm = "<!DOCTYPE html><section><p>Calm.</section><section><p>Calm.</section>";
    trap.home.put("/calm/post", html(calm));
    trap.home.put("/calm/index.txt", index("post\n"));
    follow(&follower, &trap.home.url("/calm/index.txt"));
    let server = follower.serve(&["--no-poll"]);
    let tiles = tiles(&follower);
    assert_eq!(tiles.len(), payloads.len() + 1);
    let mut tally = Tally::default();
    let browser = &trap.browser;
    let calm = tiles.iter().find(|tile| tile.post.url.ends_with("/calm/post")).unwrap().post.id;
    let page = |id: i64| at(&server, &format!("/webfeeds/posts/{id}"));
    let screens = trap.open(&mut tally, "calm", &page(calm));
    let flow = trap.open(&mut tally, "calm", &format!("{}/plain", page(calm)));
    assert!(tally.all().is_empty(), "a calm post is no attack: {:#?}", tally.some());

    // Every frame by itself, read by rules of our own, and by those of the browser.
    let mut paths = Vec::new();
    for tile in &tiles {
        let of = |what: &str| format!("/webfeeds/posts/{}/{what}", tile.post.id);
        let mut frames = vec![(of("lead"), false), (of("text"), true)];
        frames.extend((1..=tile.post.sections).map(|n| (of(&format!("sections/{n}")), true)));
        for (path, may_open) in frames {
            for wrong in wrong_with(&server.get(&path), may_open) {
                tally.escapes.push(format!("{} at {path}: {wrong}", tile.post.url));
            }
            paths.push(path);
        }
    }
    tally.frames = paths.len();
    for some in paths.chunks(100) {
        trap.parsed(&mut tally, some);
    }
    assert!(tally.all().is_empty(), "in the documents of frames: {:#?}", tally.some());

    // All leads in a grid that is so high that all of them are seen.
    browser.size(1280, 6000);
    let mut keys: Vec<&str> = tiles.iter().map(|tile| tile.site_key.as_str()).collect();
    keys.dedup();
    for key in keys {
        trap.open(&mut tally, key, &at(&server, &format!("/webfeeds/{key}")));
    }
    browser.size(1280, 900);
    // The frames of all posts and of all plain views, a hundred on one page.
    let framed: Vec<String> =
        paths.iter().filter(|path| !path.ends_with("/lead")).cloned().collect();
    for some in framed.chunks(100) {
        trap.open(&mut tally, "calm", &page(calm));
        trap.frames(&mut tally, "frames", some);
    }
    // Each post, and what it begins with is pressed.
    for tile in &tiles {
        let number: Option<usize> =
            tile.post.url.rsplit_once("/p").and_then(|(_, number)| number.parse().ok());
        let Some((kind, payload)) = number.map(|number| &payloads[number]) else { continue };
        // What is in a sheet of its own is in a `<style>` of another post, too.
        if payload.sheet.is_some() && tile.post.id % PLAIN != 0 {
            continue;
        }
        let whose = format!("{kind:?} {:?}", payload.text);
        let url = page(tile.post.id);
        let look = trap.open(&mut tally, &whose, &url);
        if look != screens {
            tally.escapes.push(format!("{whose}: the reader looks like {look}"));
        }
        let pressed = [Kind::Urls, Kind::Handlers, Kind::Svg, Kind::MathMl, Kind::Forms];
        let first = server.get(&format!("/webfeeds/posts/{}/sections/1", tile.post.id)).text();
        let is_stand_in = STAND_INS.iter().any(|label| first.contains(&format!(">{label}")));
        if pressed.contains(kind) && !is_stand_in {
            trap.press();
            trap.check(&mut tally, &whose, &url);
        }
        if tile.post.id % PLAIN != 0 {
            continue;
        }
        let look = trap.open(&mut tally, &whose, &format!("{url}/plain"));
        if look != flow {
            tally.escapes.push(format!("{whose}: the plain view looks like {look}"));
        }
    }
    let line = trap.close(&mut tally, kinds, payloads.len());
    println!("{line}");
    // Pictures are had, through us: what is not asked for elsewhere is so because it is held back.
    assert!(!kinds.contains(&Kind::Media) || trap.home.count("/pic.png") > 0);
    assert!(tally.all().is_empty(), "{line}\n{:#?}", tally.some());
}

#[test]
fn scripts_and_handlers_do_not_run() {
    tried(&[Kind::Scripts, Kind::Handlers]);
}

#[test]
fn addresses_that_are_scripts_lead_nowhere() {
    tried(&[Kind::Urls]);
}

#[test]
fn style_sheets_load_nothing_and_cover_nothing() {
    tried(&[Kind::Css]);
}

#[test]
fn what_stands_in_heads_and_frames_loads_nothing() {
    tried(&[Kind::Meta, Kind::Frames, Kind::Media]);
}

#[test]
fn drawings_and_formulas_do_nothing() {
    tried(&[Kind::Svg, Kind::MathMl, Kind::Letters]);
}

#[test]
fn what_is_read_in_two_ways_is_harmless_in_both() {
    tried(&[Kind::Mutation, Kind::Clobbering, Kind::Forms]);
}

#[test]
fn the_corpus_is_large_and_each_of_it_is_another() {
    let mut texts = std::collections::HashSet::new();
    let mut told = Vec::new();
    for kind in KINDS {
        told.push(format!("{} {}", kind.name(), kind.texts().len()));
        for text in kind.texts() {
            assert!(
                texts.insert((kind == Kind::Words, kind == Kind::Lines, text)),
                "{text} is there twice"
            );
        }
    }
    println!("hostile: {} payloads: {}", texts.len(), told.join(", "));
    assert!(texts.len() >= 300, "{}", texts.len());
}

/// Whoever finds nothing has to be able to: served as they are, these are noticed.
#[test]
fn the_same_payloads_are_noticed_where_nothing_holds_them() {
    let Some(trap) = Trap::set() else { return };
    let places = trap.places();
    let around = |text: &str| {
        format!(
            "<!doctype html><meta charset=utf-8><title>x · Tidings</title><main><header class=strip><a data-back href=/>Back</a></header>{text}</main>"
        )
    };
    trap.home.put("/raw", html(around("<section><p>Calm.</section>")));
    trap.browser.open(&trap.home.url("/raw"));
    let calm = trap.wrong();
    assert_eq!(calm["wrong"], Value::Array(Vec::new()));
    let mut noticed = 0;
    for (kind, text, how) in [
        // The first, for a connection that is there is used again.
        (Kind::Meta, "<link rel=preconnect crossorigin href=\"http://{host}/\">", "connection"),
        (Kind::Scripts, "<script>{js}</script>", "script"),
        (Kind::Scripts, "<script>top.__pwned='by name'</script>", "script"),
        (
            Kind::Scripts,
            "<script>document.title='pwned';parent.document.title='pwned'</script>",
            "script",
        ),
        (Kind::Scripts, "<script>alert('a window of its own')</script>", "script"),
        (Kind::Scripts, "<script>fetch('{url}',{mode:'no-cors'})</script>", "beacon"),
        (Kind::Handlers, "<img src=x onerror={js}>", "script"),
        (Kind::Svg, "<svg><script>{js}</script></svg>", "script"),
        (Kind::Frames, "<iframe srcdoc=\"<script>{js}</script>\"></iframe>", "script"),
        (Kind::Frames, "<iframe src=\"{url}\"></iframe>", "beacon"),
        (
            Kind::Mutation,
            "<noscript><p title=\"</noscript><img src=x onerror={js}>\"></noscript>",
            "escape",
        ),
        (Kind::Meta, "<link rel=prefetch href=\"{url}\">", "beacon"),
        (Kind::Css, "*{background:url({url})}", "beacon"),
        (Kind::Css, "@import \"{url}\";", "beacon"),
        (
            Kind::Css,
            "section{position:fixed;inset:-500px;z-index:2147483647;width:9999vw;height:9999vh;margin:-9999px;background:red}",
            "cover",
        ),
        (
            Kind::Css,
            "html,body{position:fixed!important;inset:-9999px!important;z-index:2147483647!important;transform:scale(99)!important;overflow:visible!important}",
            "look",
        ),
        (
            Kind::Media,
            "<picture><source srcset=\"{url} 1x, {url}?b 2x\"><img src=\"{url}\"></picture>",
            "beacon",
        ),
    ] {
        assert!(kind.texts().contains(&text), "{text} is in the corpus");
        let filled = places.fill(text, 0);
        let filled = if kind == Kind::Css {
            format!("<style>{filled}</style><section>x</section>")
        } else {
            filled
        };
        trap.home.put("/raw", html(around(&filled)));
        trap.beacon.forget_log();
        let connections = trap.beacon.connections();
        trap.browser.open(&trap.home.url("/raw"));
        let is_noticed = || {
            let wrong = trap.wrong();
            let has = |what: &str| {
                wrong["wrong"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|one| one.as_str().unwrap().starts_with(what))
            };
            match how {
                "beacon" => !trap.beacon.log().is_empty(),
                "connection" => trap.beacon.connections() > connections,
                "look" => wrong["look"] != calm["look"],
                "cover" => has("escape"),
                how => has(how),
            }
        };
        trap.browser.until(&format!("{text} is noticed"), is_noticed);
        noticed += 1;
    }
    println!("hostile: {noticed} payloads that nothing holds, all noticed");
}
