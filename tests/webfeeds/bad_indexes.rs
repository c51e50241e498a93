//! Indexes that are wrong, cut off, or too much (F2, F5).

use crate::stage::{Stage, index, page};
use crate::support::server::{Reply, Way};

const NAMES: [&str; 6] = ["a.html", "b.html", "c.html", "d.html", "e.html", "f.html"];

/// Follows six posts, puts that in the place of the index, and polls: what is said, and what is left.
fn after(reply: Reply) -> (String, usize) {
    let stage = Stage::with(&NAMES);
    stage.server.put("/index.txt", reply);
    let reason = stage.poll();
    (reason, stage.posts().len())
}

#[test]
fn f2_an_empty_index_removes_nothing_at_once() {
    let (reason, left) = after(index(""));
    assert!(left == 6 && reason.contains("its index is empty"), "{left}: {reason}");
    let (reason, left) = after(index("# cleaned up\n"));
    assert!(left == 6 && reason.contains("its index is empty"), "{left}: {reason}");
}

#[test]
fn f2_an_index_that_stays_empty_is_believed() {
    let stage = Stage::with(&NAMES);
    stage.server.put("/index.txt", index("# gone fishing\n"));
    for _ in 0..3 {
        stage.poll();
        assert_eq!(stage.posts().len(), 6, "for how long it is so counts, and not how often");
    }
    stage.is_easily_convinced();
    stage.poll();
    assert_eq!(stage.posts().len(), 0, "who clears a webfeed means it");
}

#[test]
fn f2_a_truncated_index_removes_nothing_at_once() {
    let all = NAMES.join("\n") + "\n";
    // In the middle of a line, at the end of one, and by a connection that breaks.
    let (reason, left) = after(index(&all[..17]));
    assert!(left == 6 && reason.contains("breaks off"), "{left}: {reason}");
    let (reason, left) = after(index(&all[..21]));
    assert!(left == 6 && reason.contains("the newest 3"), "{left}: {reason}");
    let (reason, left) = after(index(all.clone() + "g.html\n").by(Way::Cut(14)));
    assert!(left == 6 && !reason.is_empty(), "{left}: {reason}");
}

#[test]
fn f2_a_page_in_the_place_of_an_index_removes_nothing() {
    let html = Reply::ok("<!doctype html><title>Soon</title><p>We will be back")
        .with("Content-Type", "text/html");
    let (reason, left) = after(html);
    assert!(left == 6 && reason.contains("HTML page"), "{left}: {reason}");
    let (reason, left) = after(index(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec()));
    assert!(left == 6 && reason.contains("no text"), "{left}: {reason}");
    let (reason, left) = after(Reply::new(503, "later"));
    assert!(left == 6 && reason.contains("503"), "{left}: {reason}");
    let (reason, left) = after(Reply::new(404, "nothing"));
    assert!(left == 6 && reason.contains("404"), "{left}: {reason}");
}

#[test]
fn f2_a_sentence_in_the_place_of_an_index_removes_nothing_at_once() {
    let (reason, left) = after(index("We will be back soon"));
    assert!(left == 6 && reason.contains("all posts are gone"), "{left}: {reason}");
    // Another one the next time, and then all is well: nothing is left of it.
    let stage = Stage::with(&NAMES);
    for text in ["Sorry", "# nothing\n", "Come back later"] {
        stage.server.put("/index.txt", index(text));
        stage.poll();
        assert_eq!(stage.posts(), NAMES, "{text}");
    }
    stage.list(&NAMES);
    assert_eq!(stage.poll(), "");
    assert_eq!(stage.posts(), NAMES);
}

#[test]
fn f2_many_that_are_gone_are_removed_in_the_end_though_the_index_is_always_another() {
    let names: Vec<String> = (0..40).map(|number| format!("post-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stage = Stage::with(&names);
    stage.server.put("/new", page("new"));
    let text =
        |time: u32, more: &str| format!("# made at {time}\n{}\n{more}", names[..10].join("\n"));
    stage.server.put("/index.txt", index(text(1, "new\n")));
    assert!(stage.poll().contains("30 of 40 posts are gone"));
    assert_eq!(stage.posts().len(), 41, "what is new is there at once");
    stage.is_easily_convinced();
    stage.server.put("/index.txt", index(text(2, "new\n")));
    assert_eq!(stage.poll(), "");
    assert_eq!(stage.posts().len(), 11);
}

#[test]
fn a_post_whose_name_gets_shorter_is_there_under_its_new_name() {
    let stage = Stage::with(&NAMES[..2]);
    stage.server.put("/b", page("b"));
    stage.list(&["a.html", "b"]);
    stage.poll();
    assert_eq!(stage.posts(), ["a.html", "b.html"], "it may have been cut off");
    stage.is_easily_convinced();
    stage.poll();
    assert_eq!(stage.posts(), ["a.html", "b"]);
}

#[test]
fn a_post_that_is_taken_back_is_removed_at_once() {
    let stage = Stage::with(&NAMES);
    stage.list(&NAMES[..5]);
    assert_eq!(stage.poll(), "");
    assert_eq!(stage.posts(), &NAMES[..5]);
    stage.list(&NAMES[2..5]);
    assert_eq!(stage.poll(), "");
    assert_eq!(stage.posts(), &NAMES[2..5], "the oldest go, as in stories that last a day");
}

#[test]
fn f5_an_index_of_100_megabytes_is_not_read() {
    let stage = Stage::with(&NAMES);
    // The length says it before a byte is sent; without one it is cut off.
    stage.server.put("/index.txt", index("x".repeat(100)).by(Way::Says(100 << 20)));
    let reason = stage.poll();
    assert!(reason.contains("4194304") || reason.contains("4 MiB"), "{reason}");
    stage.server.put("/index.txt", index("some-post.html\n".repeat(1000)).by(Way::Endless));
    let reason = stage.poll();
    assert!(reason.contains("4194304") || reason.contains("4 MiB"), "{reason}");
    assert_eq!(stage.posts().len(), 6);
}

#[test]
fn f5_of_very_many_lines_the_newest_are_kept() {
    let stage = Stage::empty();
    let lines: String = (0..400_000).map(|number| format!("{number}\n")).collect();
    assert!(lines.len() < 4 << 20);
    stage.server.put("/index.txt", index(lines));
    for number in 399_500..400_000 {
        stage.server.put(&format!("/{number}"), page("x"));
    }
    stage.follow();
    let posts = stage.posts();
    assert_eq!((posts.len(), posts[0].as_str()), (10_000, "390000"));
    let fetched = stage.tiles().iter().filter(|tile| tile.post.sections > 0).count();
    assert_eq!(fetched, 250, "the rest is fetched little by little");
    // What was there at the first look has a tile for each.
    let store = crate::stage::wait(tidings_store::Store::open_existing(
        &tidings_store::Location::Folder(stage.follower.data()),
    ))
    .unwrap();
    let filter = tidings_store::GridFilter { limit: 100, ..Default::default() };
    let tiles = crate::stage::wait(store.grid(&filter)).unwrap();
    assert!(tiles.len() == 100 && tiles.iter().all(|tile| tile.posts == 1));
    stage.poll();
    let fetched = stage.tiles().iter().filter(|tile| tile.post.sections > 0).count();
    assert_eq!(fetched, 500);
}
