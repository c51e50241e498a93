//! A grid of very many posts: it comes in parts.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::stage::{Stage, html, id_of, tiles};

const COUNT: &str = "return document.querySelectorAll('.tile').length";

fn set() -> Option<Stage> {
    let stage = Stage::set()?;
    let names: Vec<String> = (0..1_000).map(|number| format!("p{number}")).collect();
    for name in &names {
        stage.web.put(
            &format!("/ada/{name}"),
            html(format!("<meta name=author content=Ada><section><h1>On {name}</h1></section>")),
        );
    }
    stage.list("ada", &names.iter().map(String::as_str).collect::<Vec<_>>());
    stage.follow("ada");
    Some(stage)
}

/// The time for which the threads of a process had a core.
fn work_done(process: u32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let work = |thread: &std::fs::DirEntry| {
        let statistics = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        statistics.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    };
    threads.filter_map(|thread| work(&thread.ok()?)).sum()
}

#[test]
fn a_thousand_tiles_come_sixty_at_a_time() {
    let Some(stage) = set() else { return };
    let server = stage.follower.serve(&["--no-poll"]);
    let before = work_done(server.child.id());
    stage.open(&server, "/webfeeds");
    stage.browser.until("tiles are there", || stage.browser.script(COUNT).as_u64() >= Some(60));
    // How long it takes until they are to be seen, `cargo xtask bench webfeeds` measures; what the server does for
    // it takes the same time whatever else this machine does.
    let taken = work_done(server.child.id()).saturating_sub(before);
    assert!(taken < Duration::from_secs(2), "{taken:?}");
    assert_eq!(stage.browser.script(COUNT), 60, "the others wait until one gets there");
    for expected in [120, 180] {
        stage.browser.until(&format!("there are {expected}"), || {
            stage.browser.script("scrollTo(0, document.documentElement.scrollHeight)");
            stage.browser.script(COUNT).as_u64() >= Some(expected)
        });
    }
    let twice = "const ids = [...document.querySelectorAll('.tile')].map((it) => it.id); return new Set(ids).size === ids.length";
    assert_eq!(stage.browser.script(twice), Value::Bool(true));
    // Without a script a link leads on.
    let second = server.get("/webfeeds").text();
    assert!(second.contains("rel=\"next\""), "{second}");
}

/// Scrolls to the last tile as `cargo xtask bench webfeeds` does, and counts the frames of each second, and the tiles
/// that are added at once. More than thirty frames is a target of the bench, and no test on a machine that has other
/// things to do as well: what is asserted here is that no step of our script adds more than one page.
const SCROLL: &str = "window.counts = []; window.isAtEnd = false; window.most = 0;
    new MutationObserver((records) => {
      const added = records.reduce((sum, record) => sum + record.addedNodes.length, 0);
      most = Math.max(most, added);
    }).observe(document.querySelector('.grid'), { childList: true });
    let begun = null, before = null;
    const step = (now) => {
      begun ??= now; before ??= now;
      scrollBy(0, 3000 * (now - before) / 1000);
      before = now;
      const second = Math.floor((now - begun) / 1000);
      while (counts.length <= second) counts.push(0);
      counts[second] += 1;
      isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 1 &&
        document.querySelectorAll('.tile').length >= 1000;
      if (!isAtEnd) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);";

#[test]
fn who_scrolls_on_gets_to_the_last_of_a_thousand_tiles() {
    let Some(stage) = set() else { return };
    let server = stage.follower.serve(&["--no-poll"]);
    stage.open(&server, "/webfeeds");
    stage.browser.script(SCROLL);
    let begun = Instant::now();
    while stage.browser.script("return isAtEnd") != true {
        let so_far = stage.browser.script("return [counts, document.querySelectorAll('.tile').length, scrollY, document.documentElement.scrollHeight]");
        println!("{:?} {so_far}", begun.elapsed());
        assert!(begun.elapsed() < Duration::from_secs(120), "{so_far}");
        std::thread::sleep(Duration::from_secs(3));
    }
    let frames = stage.browser.script("return counts.slice(0, -1).sort((a, b) => a - b)");
    let frames: Vec<u64> = serde_json::from_value(frames).unwrap();
    let (median, slowest) = (frames[frames.len() / 2], frames[0]);
    println!("{} s: {median} frames in the median second, {slowest} in the slowest", frames.len());
    assert_eq!(stage.browser.script("return most"), 60, "tiles are added one page after the other");
    assert_eq!(
        stage.browser.script(
            "return new Set([...document.querySelectorAll('.tile')].map((it) => it.id)).size"
        ),
        1_000
    );
}

#[test]
fn tiles_are_links_before_their_posts_are_fetched() {
    let Some(stage) = set() else { return };
    let server = stage.follower.serve(&["--no-poll"]);
    // The first poll fetched the newest; the oldest wait.
    let id = id_of(&stage.follower, "/p0");
    let seen_at = tiles(&stage.follower)[0].post.seen_at;
    let page = format!("/webfeeds/{}?after={seen_at}.3.9999999", stage.key("ada"));
    let page = server.get(&page).text();
    let link = format!("href=\"/webfeeds/posts/{id}?from=feed\"");
    assert!(page.contains(&link) && page.contains("Not fetched yet"), "{page}");
    let post = server.get(&format!("/webfeeds/posts/{id}")).text();
    assert!(post.contains("Not fetched yet") && post.contains(&stage.web.url("/ada/p0")), "{post}");
}
