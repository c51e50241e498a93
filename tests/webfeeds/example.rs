//! The example of the specification, byte for byte, on a static server.

use tidings_store::State;

use crate::spec::{INDEX, POST};
use crate::stage::Stage;
use crate::support::server::Reply;
use crate::support::{Nginx, stderr, stdout};

#[test]
fn the_example_of_the_specification_is_followed_and_kept_in_step() {
    let stage = Stage::empty();
    for path in ["/post-1", "/post-2", "/post%203"] {
        stage.server.put(path, Reply::ok(POST).with("Content-Type", "text/html"));
    }
    stage.server.put("/index.txt", Reply::ok(INDEX).with("Content-Type", "text/plain"));
    let css = Reply::ok("section { color: teal }").with("Content-Type", "text/css");
    stage.server.put("/style.css", css);
    stage.follow();
    assert_eq!(stage.posts(), ["post-1", "post-2", "post%203", "post-a", "post-b"]);
    let tiles = stage.tiles();
    let own = &tiles[4].post;
    assert_eq!((own.state, own.sections, own.is_repost), (State::Well, 2, false));
    assert!(own.title.as_deref().unwrap().starts_with("This section is the lead."), "{own:?}");
    assert!(tiles[0].post.is_repost && tiles[1].post.is_repost);
    assert_eq!(stage.follower.site()["title"], "Elon Musk");
    assert_eq!(stage.text(own.id).unwrap().text, POST, "as it was sent");
    // Nothing new: one question, and no more.
    stage.poll();
    assert!(!stage.asked().contains(&"GET /index.txt".to_owned()), "{:?}", stage.asked());
    assert_eq!(stage.asked()[0], "HEAD /index.txt");
    // A post more and one less.
    let edited = INDEX.replace("/post-1\n", "").replace("/post 3\n", "/post 3\n/post-four\n");
    stage.server.put("/index.txt", Reply::ok(edited).with("Content-Type", "text/plain"));
    stage.server.put("/post-four", Reply::ok(POST).with("Content-Type", "text/html"));
    stage.poll();
    assert_eq!(stage.posts(), ["post-2", "post%203", "post-a", "post-b", "post-four"]);
    // The newest is what was discovered last, wherever its line is.
    let first = &stage.tiles()[0].post;
    assert!(first.url.ends_with("/post-four") && first.seen_at > own.seen_at);
}

#[test]
fn a_webfeed_on_a_real_server_is_found_from_the_page_that_offers_it() {
    let stage = Stage::empty();
    let folder = tempfile::tempdir().unwrap();
    let feed = folder.path().join("feed");
    let feed = feed.to_str().unwrap();
    let made = crate::support::run(["webfeed", "init", feed, "--author", "Ada"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let nginx =
        Nginx::serve(folder.path(), "types { text/plain txt; text/html html; text/css css; }");
    let page = format!("{}feed/", nginx.url());
    let output = stage.follower.run(&["follow", "--webfeed", &page]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert_eq!(stage.posts(), ["feed/hello.html"]);
    let checked = crate::support::run(["webfeed", "check", &format!("{page}index.txt")]);
    assert_eq!(checked.status.code(), Some(0), "{}", stdout(&checked));
    // What nginx says in answer to HEAD is enough to see an edit that a person made.
    for number in 0..3 {
        let post = folder.path().join(format!("{number}.md"));
        std::fs::write(&post, format!("# Post {number}\n")).unwrap();
        let added = crate::support::run(["webfeed", "add", feed, post.to_str().unwrap()]);
        assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
        stage.follower.run(&["poll"]);
        assert_eq!(stage.posts().last(), Some(&format!("feed/post-{number}.html")));
    }
    let site = stage.follower.site();
    assert_eq!(site["via"], "webfeed", "{site}");
}

#[test]
fn text_that_is_no_webfeed_is_not_taken_for_one() {
    let stage = Stage::empty();
    for text in ["Hello,\nthis is a letter.\n", "User-agent: *\nDisallow: /x\n", ""] {
        stage.server.put("/letter.txt", Reply::ok(text).with("Content-Type", "text/plain"));
        let output = stage.follower.run(&["follow", &stage.server.url("/letter.txt")]);
        assert_eq!(output.status.code(), Some(2), "{text}: {}", stdout(&output));
        let output = stage.follower.run(&["follow", "--webfeed", &stage.server.url("/letter.txt")]);
        assert_eq!(output.status.code(), Some(2), "{text}: {}", stdout(&output));
        assert!(stderr(&output).contains("no webfeed was found"), "{}", stderr(&output));
    }
}
