//! What others wrote: reposts carry their author, nothing disappears without notice, and nobody stalls the
//! reader.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::browser::keys;
use crate::stage::{Stage, html, id_of, index};
use crate::support::server::Server;

#[test]
fn a_repost_names_its_author_its_host_and_who_reposted_it() {
    let Some(stage) = Stage::set() else { return };
    let ben = Server::start();
    ben.put("/b/tea", html("<meta name=author content=Ben><section><h1>On tea</h1></section>"));
    ben.put("/b/index.txt", index("tea\n"));
    let original = ben.url("/b/tea").replace("127.0.0.1", "localhost");
    stage.publish("ada", "Ada", &["fog"]);
    stage
        .web
        .put("/ada/guest", html("<meta name=author content=Cy><section><h1>Guest</h1></section>"));
    stage.list("ada", &["guest", "fog", &original]);
    let index = stage.web.url("/ada/index.txt");
    stage.follower.run(&["follow", "--allow-private", &index]);
    let server = stage.follower.serve(&["--no-poll", "--allow-private"]);
    stage.open(&server, "/webfeeds");
    let told = "return [...document.querySelectorAll('.tile')].map((tile) => tile.innerText.replace(/\\s+/g, ' ').trim());";
    let told = stage.browser.script(told);
    let tile = |number: usize| told[number].as_str().unwrap().to_owned();
    assert!(tile(0).contains("Ben") && tile(0).contains("reposted by Ada"), "{told}");
    assert!(tile(0).contains("Repost from localhost"), "{told}");
    assert!(tile(2).contains("by Cy"), "the author of a single post: {told}");
    let link = "return document.querySelector('a.writer').href";
    assert_eq!(stage.browser.script(link), json!(original));
    stage.browser.click("On tea, by Ben, reposted by Ada");
    stage.browser.see("Ben, reposted by Ada");
    stage.browser.see("Repost from localhost");
    stage.browser.click("Plain view");
    stage.browser.see("By Ben, reposted by Ada");
    // One click follows whoever wrote it.
    stage.browser.click("Follow localhost");
    stage.browser.see("The site is followed from now on.");
    assert!(stage.follower.sites().iter().any(|site| site["title"] == "Ben"));
}

#[test]
fn what_is_not_shown_is_a_link_and_what_is_too_long_can_be_scrolled() {
    let Some(stage) = Stage::set() else { return };
    let words = "harbour ".repeat(900);
    let post = format!(
        "<html dir=rtl lang=he><meta name=author content=Ada><section><h1>Long</h1><p>{words}</p></section>\
         <section><video src=fog.mp4 title='Fog'></video><svg aria-label='A plan'></svg>\
         <iframe src=https://tube.invalid/v></iframe><audio src=bell.ogg title='Bell'></audio>\
         <object data=https://plans.invalid/o></object><embed src=https://game.invalid/e></section>"
    );
    stage.web.put("/ada/long", html(post));
    stage.list("ada", &["long"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    let id = id_of(&stage.follower, "/long");
    let second = server.get(&format!("/webfeeds/posts/{id}/sections/2")).text();
    for link in [
        "fog.mp4\"",
        ">Video: Fog</a>",
        ">Drawing: A plan</a>",
        "https://tube.invalid/v",
        ">Embedded content</a>",
        "bell.ogg\"",
        ">Audio: Bell</a>",
        "https://plans.invalid/o",
        "https://game.invalid/e",
    ] {
        assert!(second.contains(link), "{link}: {second}");
    }
    assert!(second.contains("<html lang=\"he\" dir=\"rtl\">"), "{second}");
    // The frame by itself, as it is in the post: what does not fit is scrolled to.
    stage.open(&server, &format!("/webfeeds/posts/{id}/sections/1"));
    let scrolled = "const section = document.querySelector('section'); section.scrollTop = 200; return [section.scrollTop, section.scrollHeight > section.clientHeight]";
    assert_eq!(stage.browser.script(scrolled), json!([200, true]));
    stage.open(&server, &format!("/webfeeds/posts/{id}/lead"));
    let hidden = "return getComputedStyle(document.querySelector('section')).overflowY";
    assert_eq!(stage.browser.script(hidden), "hidden");
    // The wheel goes on to the next section when the end of the first is reached.
    stage.open(&server, &format!("/webfeeds/posts/{id}"));
    stage.browser.press([keys::END]);
    stage.browser.until("one is at the last", || {
        stage.browser.script("return document.getElementById('at').textContent") == "2 of 2"
    });
}

#[test]
fn two_hundred_blurred_boxes_do_not_stall_the_grid() {
    let Some(stage) = Stage::set() else { return };
    let boxes =
        |styled: &str| format!("{}x{}", format!("<div{styled}>").repeat(200), "</div>".repeat(200));
    let css = "@keyframes b{from{filter:blur(0)}to{filter:blur(40px)}}div{padding:1px;animation:b 1s infinite alternate;backdrop-filter:blur(9px)}";
    for (name, body) in [
        ("sheet", format!("<style>{css}</style><section><h1>Sheet</h1>{}</section>", boxes(""))),
        (
            "inline",
            format!("<section><h1>Inline</h1>{}</section>", boxes(" style='filter:blur(20px)'")),
        ),
    ] {
        stage
            .web
            .put(&format!("/ada/{name}"), html(format!("<meta name=author content=Ada>{body}")));
    }
    let names: Vec<String> =
        (0..20).map(|number| format!("sheet?{number}")).chain(["inline".to_owned()]).collect();
    for name in &names {
        let body =
            stage.web.reply(if name == "inline" { "/ada/inline" } else { "/ada/sheet" }).unwrap();
        stage.web.put(&format!("/ada/{name}"), body);
    }
    stage.list("ada", &names.iter().map(String::as_str).collect::<Vec<_>>());
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    let begun = Instant::now();
    stage.open(&server, "/webfeeds");
    stage.picture("reader-blurred");
    let taken = begun.elapsed();
    assert!(taken < Duration::from_secs(20), "{taken:?}");
    for name in ["inline", "sheet?0"] {
        let id = id_of(&stage.follower, &format!("/{name}"));
        for frame in ["lead", "sections/1"] {
            let text = server.get(&format!("/webfeeds/posts/{id}/{frame}")).text();
            assert!(!text.contains("blur("), "{name}, {frame}");
        }
    }
    // Where there are few elements, effects stay.
    stage.web.put("/ada/calm", html("<meta name=author content=Ada><section><h1 style='filter:blur(1px)'>Calm</h1></section>"));
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.push("calm");
    stage.list("ada", &names);
    stage.follower.run(&["poll"]);
    let id = id_of(&stage.follower, "/calm");
    assert!(server.get(&format!("/webfeeds/posts/{id}/sections/1")).text().contains("blur("));
    assert!(!server.get(&format!("/webfeeds/posts/{id}/lead")).text().contains("blur("));
}

#[test]
fn dear_selectors_do_not_stall_the_grid() {
    let Some(stage) = Stage::set() else { return };
    let dear = "section:has(b) div:has(i) * > *{color:red}".repeat(3_000);
    let long = format!("{}p{{color:red}}", "div ".repeat(400));
    let boxes = format!("{}x{}", "<div>".repeat(400), "</div>".repeat(400));
    let post = format!(
        "<meta name=author content=Ada><style>{dear}{long}h1{{color:blue}}</style><section><h1>Dear</h1>{boxes}</section>"
    );
    stage.web.put("/ada/dear", html(post));
    stage.list("ada", &["dear"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    let id = id_of(&stage.follower, "/dear");
    for frame in ["lead", "sections/1"] {
        let text = server.get(&format!("/webfeeds/posts/{id}/{frame}")).text();
        let count = text.matches(":has(").count();
        assert!(count < 500, "{frame}: {count} are left");
        assert!(!text.contains(&"div ".repeat(300)), "{frame}");
    }
    let begun = Instant::now();
    stage.open(&server, "/webfeeds");
    stage.picture("reader-dear");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn links_within_a_post_and_to_posts_of_the_webfeed_stay_in_the_reader() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    let links = "<meta name=author content=Ada><section><h1>Links</h1><a href='#here'>here</a><p id=here>x</p>\
        <a href='#there'>there</a><a href='fog'>fog</a><a href='elsewhere'>elsewhere</a></section><section><p id=there>y</p></section>";
    stage.web.put("/ada/links", html(links));
    stage.list("ada", &["fog", "links"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    let (fog, id) = (id_of(&stage.follower, "/fog"), id_of(&stage.follower, "/links"));
    let text = server.get(&format!("/webfeeds/posts/{id}/sections/1")).text();
    for link in [
        "<a href=\"#here\">".to_owned(),
        format!("<a href=\"/webfeeds/posts/{id}#s2\" target=\"_blank\" rel="),
        format!("<a href=\"/webfeeds/posts/{fog}\" target=\"_blank\""),
        format!("<a href=\"{}\"", stage.web.url("/ada/elsewhere")),
    ] {
        assert!(text.contains(&link), "{link}: {text}");
    }
    let flow = server.get(&format!("/webfeeds/posts/{id}/text")).text();
    assert!(flow.contains("<a href=\"#there\">"), "{flow}");
}

#[test]
fn a_name_with_signs_that_turn_text_round_turns_nothing_round() {
    let Some(stage) = Stage::set() else { return };
    stage.web.put("/eve/post", html("<meta charset=utf-8><meta name=author content='Eve\u{202e}evE'><section><h1>Fi\u{2066}sh\u{202e}</h1></section>"));
    stage.list("eve", &["post"]);
    stage.follow("eve");
    let server = stage.follower.serve(&["--no-poll"]);
    let page = server.get("/webfeeds").text();
    assert!(page.contains("<bdi>EveevE</bdi>") && page.contains("Fish, by EveevE"), "{page}");
    assert!(!page.contains(['\u{202e}', '\u{2066}']));
}

#[test]
fn a_correction_is_shown_as_edited() {
    let Some(stage) = Stage::set() else { return };
    stage.publish("ada", "Ada", &["fog"]);
    stage.follow("ada");
    let server = stage.follower.serve(&["--no-poll"]);
    stage.open(&server, "/webfeeds");
    stage.browser.sees_no("Edited");
    stage.web.put(
        "/ada/fog",
        html("<meta name=author content=Ada><section><h1>On fog, corrected</h1></section>"),
    );
    stage.web.put("/ada/index.txt", index("# edit 2\nfog\n"));
    stage.follower.run(&["poll"]);
    stage.open(&server, "/webfeeds");
    stage.browser.see("Edited");
    stage.browser.click("On fog, corrected, by Ada");
    stage.browser.see("Edited");
    let frame = "return document.querySelector('iframe').src";
    let frame = stage.browser.script(frame);
    assert!(
        frame.as_str().is_some_and(|it| !it.ends_with(".0")),
        "a browser asks for it anew: {frame}"
    );
    assert_ne!(frame, Value::Null);
}
