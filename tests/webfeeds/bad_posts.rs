//! Posts that are missing, odd or hostile to whoever fetches them (F3).

use tidings_store::{Post, State};

use crate::stage::{Stage, index, page};
use crate::support::server::{Reply, Way};
use crate::support::stderr;

fn html(text: impl Into<Vec<u8>>) -> Reply {
    Reply::ok(text).with("Content-Type", "text/html")
}

/// What becomes of a post that is answered with that; another one is well.
fn of(reply: Reply) -> Post {
    let stage = Stage::empty();
    stage.server.put("/good", page("good"));
    stage.server.put("/odd", reply);
    stage.list(&["good", "odd"]);
    stage.follow();
    let tiles = stage.tiles();
    assert_eq!(tiles[1].post.state, State::Well, "{:?}", tiles[1].post.reason);
    tiles[0].post.clone()
}

#[track_caller]
fn fails(reply: Reply, why: &str) {
    let post = of(reply);
    let reason = post.reason.clone().unwrap_or_default();
    assert!(post.state == State::Failing && reason.contains(why), "{why}: {post:?}");
}

#[test]
fn a_post_that_cannot_be_had_says_why_and_hurts_no_other() {
    fails(Reply::new(404, "no"), "404");
    fails(Reply::new(500, "no"), "500");
    fails(Reply::ok(b"\x89PNG".to_vec()).with("Content-Type", "image/png"), "image/png");
    fails(html("x".repeat(2 << 20)), "1048576");
    fails(html("<p>").by(Way::Endless), "1048576");
    fails(Reply::redirect("http://127.0.0.2:1/"), "127.0.0.2");
    fails(Reply::redirect("file:///etc/passwd"), "file");
    fails(html("<section>").by(Way::Cut(3)), "");
    fails(Reply::ok("").by(Way::Closed), "");
}

#[test]
fn a_post_that_moved_is_found_where_it_is_now() {
    let stage = Stage::empty();
    stage.server.put("/old", Reply::redirect("/new/place.html"));
    stage.server.put("/new/place.html", page("moved"));
    stage.list(&["old"]);
    stage.follow();
    let post = stage.tiles()[0].post.clone();
    assert_eq!(post.title.as_deref(), Some("moved"));
    assert!(stage.text(post.id).unwrap().at.ends_with("/new/place.html"));
}

#[test]
fn a_post_that_fails_is_tried_again_and_then_well() {
    let stage = Stage::empty();
    stage.server.put("/good", page("good"));
    stage.list(&["good", "late"]);
    stage.follow();
    assert_eq!(stage.tiles()[0].post.state, State::Failing);
    stage.server.put("/late", page("late"));
    stage.poll();
    assert_eq!(stage.tiles()[0].post.state, State::Failing, "not at once");
    let store = crate::stage::wait(tidings_store::Store::open_existing(
        &tidings_store::Location::Folder(stage.follower.data()),
    ))
    .unwrap();
    crate::stage::wait(store.retry_post(stage.tiles()[0].post.id)).unwrap();
    stage.poll();
    assert_eq!(stage.tiles()[0].post.title.as_deref(), Some("late"));
}

#[test]
fn f3_whatever_a_page_is_like_it_has_a_lead_or_a_placeholder() {
    let sections = |reply| {
        let post = of(reply);
        assert_eq!(post.state, State::Well, "{:?}", post.reason);
        post.sections
    };
    assert_eq!(sections(html("<p>No section at all")), 0);
    assert_eq!(sections(html("")), 0);
    assert_eq!(sections(html("<section>x</section>".repeat(10_000))), 10_000);
    assert_eq!(sections(html(format!("{}x", "<div>".repeat(100_000)))), 0);
    assert_eq!(sections(html(format!("<section>{}x", "<b>".repeat(100_000)))), 1);
    assert_eq!(sections(html("<section>".repeat(100_000))), 1);
    assert_eq!(sections(html("<!-- <section>no</section> --><section>yes</section>")), 1);
    assert_eq!(sections(html("<section><p>one<section>two</section></section>")), 1);
    assert_eq!(sections(html("<main><section>one</section><section>two</section></main>")), 2);
    assert_eq!(sections(html(b"\xff\xfe\x00\x01<section>?".to_vec())), 0);
}

#[test]
fn a_post_in_another_charset_is_read_right() {
    let latin = b"<section><h1>Caf\xe9</h1></section>".to_vec();
    let said = Reply::ok(latin.clone()).with("Content-Type", "text/html; charset=iso-8859-1");
    assert_eq!(of(said).title.as_deref(), Some("Café"));
    assert_eq!(of(html(latin)).title.as_deref(), Some("Café"), "even if nobody says so");
    let meta = b"<meta charset=shift_jis><section><h1>\x83\x65\x83\x58\x83\x67</h1></section>";
    assert_eq!(of(html(meta.to_vec())).title.as_deref(), Some("テスト"));
}

#[test]
fn a_post_that_hangs_keeps_no_other_from_being_shown() {
    let stage = Stage::empty();
    stage.server.put("/first", page("first"));
    stage.server.put("/silent", Reply::ok("").by(Way::Silent));
    stage.server.put("/last", page("last"));
    // What is named is looked at before it is followed, and that must not hang either.
    stage.list(&["first", "last"]);
    stage.follow();
    stage.list(&["first", "last", "silent"]);
    stage.poll();
    let tiles = stage.tiles();
    let silent = &tiles[0].post;
    assert_eq!(silent.state, State::Failing);
    // The post is known by its address; the reason does not repeat it.
    let reason = silent.reason.as_deref().unwrap();
    assert!(reason.starts_with("it timed out") && !reason.contains("://"), "{reason}");
    assert!(tiles[1..].iter().all(|tile| tile.post.state == State::Well));
    // It is not asked for again with the next poll.
    stage.poll();
    assert_eq!(stage.server.count("/silent"), 0);
}

#[test]
fn a_webfeed_whose_newest_posts_cannot_be_had_is_followed_by_whoever_means_it() {
    let stage = Stage::empty();
    stage.server.put("/old", page("old"));
    let gone: Vec<String> = (0..6).map(|number| format!("gone-{number}")).collect();
    stage.server.put("/index.txt", index(format!("old\n{}\n", gone.join("\n"))));
    let url = stage.server.url("/index.txt");
    let refused = stage.follower.run(&["follow", &url]);
    let said = stderr(&refused);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("gone-5 answered 404") && said.contains("--webfeed"), "{said}");
    let output = stage.follower.run(&["follow", "--webfeed", &url]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stage.posts().len(), 7);
    // Its own posts say more of it than those of others.
    let stage = Stage::empty();
    stage.server.put("/own", page("own"));
    let others = "http://elsewhere.invalid/a\n".repeat(9);
    stage.server.put("/index.txt", index(format!("own\n{others}")));
    stage.follow();
    assert_eq!(stage.follower.site()["title"], "Ada");
}
