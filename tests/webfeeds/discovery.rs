//! A webfeed that no page names, at its usual place beside a home page.

use crate::stage::{Stage, index, page};
use crate::support::server::Reply;
use crate::support::{stderr, stdout};

const ATOM: &str = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Harbour</title><id>urn:h</id>\
    <updated>2026-01-02T00:00:00Z</updated><entry><title>Fog</title><id>urn:h:1</id>\
    <link href=\"/fog\"/><updated>2026-01-02T00:00:00Z</updated></entry></feed>";

/// A home page that links to its Atom feed, and offers no webfeed.
fn home() -> Stage {
    let stage = Stage::empty();
    let page = "<!doctype html><title>Friend</title><link rel=alternate \
        type=application/atom+xml href=/feed.atom><p>Fog.";
    stage.server.put("/", Reply::ok(page).with("Content-Type", "text/html"));
    stage.server.put("/feed.atom", Reply::ok(ATOM).with("Content-Type", "application/atom+xml"));
    stage
}

/// By what the site is followed, and what was asked for meanwhile.
#[track_caller]
fn follow(stage: &Stage, path: &str) -> (String, Vec<String>) {
    stage.server.forget_log();
    let output = stage.follower.run(&["follow", "--no-poll", &stage.server.url(path)]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let via = stage.follower.site()["via"].as_str().unwrap().to_owned();
    (via, stage.asked())
}

#[test]
fn the_webfeed_beside_a_home_page_comes_before_its_atom_feed() {
    for (home_path, folder) in [("/", "/"), ("/news/", "/news/"), ("/moved", "/")] {
        let stage = home();
        let page_of_home = Reply::ok("<title>News</title>").with("Content-Type", "text/html");
        stage.server.put("/news/", page_of_home);
        stage.server.put("/moved", Reply::redirect(stage.server.url("/")));
        stage
            .server
            .put(&format!("{folder}index.txt"), index("# mine\nhttps://b.example/x\nfog\n"));
        stage.server.put(&format!("{folder}fog"), page("Fog"));
        let (via, _) = follow(&stage, home_path);
        assert_eq!(via, "webfeed", "{home_path}");
        let site = stage.follower.site();
        assert_eq!(site["url"], stage.server.url(&format!("{folder}index.txt")));
        assert_eq!(site["found_by"], "its usual place, index.txt");
    }
}

#[test]
fn a_text_that_may_be_something_else_does_not_hide_the_atom_feed() {
    let html = || Reply::ok("fog\n").with("Content-Type", "text/html");
    let plain = |text: &str| index(text);
    for (text, why) in [
        (html(), "it is not said to be plain text"),
        (Reply::ok("fog\n"), "its kind is not said"),
        (plain(""), "it names no post"),
        (plain("# nothing yet\n"), "it names no post"),
        (plain("fog\nmailto:ada@a.example\n"), "a line is no address of a post"),
        (plain("gone\n"), "no post is there"),
        (plain("bare\n"), "the page has no section"),
        (plain("http://127.0.0.2:9/fog\n"), "all posts are somebody else's"),
    ] {
        let stage = home();
        stage.server.put("/fog", page("Fog"));
        let bare = Reply::ok("<title>Bare</title><p>Fog").with("Content-Type", "text/html");
        stage.server.put("/bare", bare);
        stage.server.put("/index.txt", text);
        assert_eq!(follow(&stage, "/").0, "feed", "{why}");
    }
}

#[test]
fn a_home_page_without_a_webfeed_is_asked_for_one_more_document() {
    let stage = home();
    let (via, asked) = follow(&stage, "/");
    assert_eq!(via, "feed");
    let of_webfeeds = asked.iter().filter(|request| request.contains("index.txt"));
    assert_eq!(of_webfeeds.count(), 1, "{asked:?}");
    // Who follows a feed goes on with it: a webfeed is no other means for the same site.
    stage.server.put("/index.txt", index("fog\n"));
    stage.server.put("/fog", page("Fog"));
    stage.follower.run(&["poll"]);
    stage.server.forget_log();
    stage.follower.run(&["poll"]);
    assert_eq!(stage.follower.site()["via"], "feed");
    assert!(!stage.asked().iter().any(|request| request.contains("index.txt")));
}
