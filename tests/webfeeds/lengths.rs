//! How a change of an index is seen, whatever its server says of it (F1).

use crate::stage::{Stage, index, page};
use crate::support::server::{Reply, Way};

const FEW: [&str; 3] = ["post-1", "post-2", "post-3"];
/// As long as the others, and not the same.
const OTHERS: &str = "post-2\npost-3\npost-4\n";

/// Follows, changes the index to one of the same length by that answer, and polls until it is seen.
fn polls_until_seen(reply: impl Fn(&str) -> Reply) -> usize {
    let stage = Stage::empty();
    for name in FEW.iter().chain(&["post-4"]) {
        stage.server.put(&format!("/{name}"), page(name));
    }
    stage.server.put("/index.txt", reply(&(FEW.join("\n") + "\n")));
    stage.follow();
    assert_eq!(stage.posts(), FEW);
    stage.poll();
    stage.server.put("/index.txt", reply(OTHERS));
    for number in 1..=20 {
        stage.poll();
        if stage.posts().contains(&"post-4".to_owned()) {
            assert_eq!(stage.posts(), ["post-2", "post-3", "post-4"]);
            return number;
        }
    }
    panic!("an edit was never seen");
}

#[test]
fn f1_an_edit_of_the_same_length_is_seen_after_a_few_polls() {
    let seen = polls_until_seen(|text| index(text));
    assert!((2..=13).contains(&seen), "{seen}");
}

#[test]
fn f1_another_etag_says_it_at_once() {
    let etag = |text: &str| index(text).etag(if text == OTHERS { "b" } else { "a" });
    assert_eq!(polls_until_seen(etag), 1);
}

#[test]
fn f1_a_server_without_head_gets_a_conditional_get() {
    let etag = |text: &str| if text == OTHERS { "b" } else { "a" };
    assert_eq!(polls_until_seen(|text| index(text).etag(etag(text)).without_head()), 1);
    assert_eq!(polls_until_seen(|text| index(text).without_head()), 1);
    let stage = Stage::empty();
    stage.server.put("/post-1", page("one"));
    stage.server.put("/index.txt", index("post-1\n").etag("a").without_head());
    stage.follow();
    stage.poll();
    assert_eq!(stage.asked(), ["GET /index.txt"]);
    let asked = stage.server.log()[0].clone();
    assert_eq!(asked.header("If-None-Match"), Some("\"a\""));
    assert_eq!(asked.header("If-Modified-Since"), None, "that is never used");
}

#[test]
fn f1_a_server_that_breaks_off_at_head_gets_a_get() {
    assert_eq!(polls_until_seen(|text| index(text).breaking_at_head()), 1);
}

#[test]
fn f1_a_server_that_says_no_length_gets_a_conditional_get() {
    assert_eq!(polls_until_seen(|text| index(text).by(Way::Chunked)), 1);
}

#[test]
fn f1_a_length_that_is_not_that_of_the_file_is_not_believed() {
    // It says the same for all; what it sends is another thing.
    let lying = |text: &str| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
        Reply::raw(format!("{head}Content-Length: {}\r\n\r\n{text}", text.len()))
    };
    let stage = Stage::empty();
    for name in FEW.iter().chain(&["post-4"]) {
        stage.server.put(&format!("/{name}"), page(name));
    }
    let zero = || Reply::raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let first = FEW.join("\n") + "\n";
    // To find out what it is it is read twice; then HEAD, then GET.
    stage.server.put_all("/index.txt", vec![lying(&first), lying(&first), zero(), lying(&first)]);
    stage.follow();
    stage.server.put("/index.txt", lying(OTHERS));
    stage.poll();
    assert_eq!(stage.asked()[0], "GET /index.txt", "HEAD is of no use there");
    assert_eq!(stage.posts(), ["post-2", "post-3", "post-4"]);
}

#[test]
fn f1_an_etag_that_is_always_another_is_not_believed_for_long() {
    let stage = Stage::with(&FEW);
    let mut read = 0;
    for number in 0..8 {
        let reply = index(FEW.join("\n") + "\n").etag(&number.to_string());
        stage.server.put("/index.txt", reply);
        stage.poll();
        read += usize::from(stage.asked().contains(&"GET /index.txt".to_owned()));
    }
    assert!(read <= 2, "it was read {read} times");
}

#[test]
fn f1_the_length_is_asked_for_without_compression() {
    let stage = Stage::with(&FEW);
    stage.poll();
    let log = stage.server.log();
    assert_eq!(log[0].header("Accept-Encoding"), Some("identity"));
}
