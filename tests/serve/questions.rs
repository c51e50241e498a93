//! Questions that nobody should ask, and that are answered all the same.

use std::time::{Duration, Instant};

use crate::browser::Tab;
use crate::stage::{COLLECTION, SITE, with_batches};

#[test]
fn a_question_without_end_is_refused_and_the_next_is_answered() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    let long = "a".repeat(2 << 20);
    for path in [format!("/{long}"), format!("/?text={long}"), format!("/search?text={long}")] {
        let status = tab.get(&path).status;
        assert!(matches!(status, 0 | 400 | 414 | 431), "{status}");
    }
    let guard = tab.guard("/add");
    let sent = tab.post("/add", &guard, &[("url", &long)], "");
    assert!(matches!(sent.status, 0 | 413), "{}", sent.status);
    let typed = "https://example.com/".to_owned() + &"a".repeat(5_000);
    assert_eq!(tab.post("/add", &guard, &[("url", &typed)], "").status, 422);
    assert_eq!(tab.get("/").status, 200);
}

#[test]
fn no_filter_takes_long_or_finds_what_is_not_there() {
    let (follower, _store) = with_batches(50);
    let server = follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    let encoded =
        |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    for hostile in [
        "((((a+)+)+)+$".to_owned(),
        "%".repeat(1_000),
        "%_".repeat(500),
        "'; DROP TABLE changes; --".to_owned(),
        "\\".repeat(500),
        "a b c d e f g h i j k l m n o p q r s t u v w x y z".repeat(20),
        "\0".to_owned(),
        "\u{202e}\u{fffd}".to_owned(),
    ] {
        let text = encoded(&hostile);
        for path in [
            format!("/collections/{COLLECTION}?text={text}"),
            format!("/collections/{COLLECTION}?path={text}"),
            format!("/collections/{COLLECTION}?kind={text}&day={text}&year={text}&before={text}"),
            format!("/search?text={text}&path={text}"),
            format!("/?text={text}&state={text}&after={text}"),
            format!("/log?before={text}"),
            format!("/collections/{COLLECTION}/batches/1?from={text}"),
        ] {
            let begun = Instant::now();
            let answer = tab.get(&path);
            assert!(matches!(answer.status, 200 | 400 | 431), "{path}: {}", answer.head);
            assert!(begun.elapsed() < Duration::from_secs(2), "{path}");
        }
    }
    for path in [
        format!("/collections/{COLLECTION}/batches/0"),
        format!("/collections/{COLLECTION}/batches/-1"),
        format!("/collections/{COLLECTION}/batches/99999"),
        format!("/sites/{SITE}/"),
        "/collections/".to_owned(),
        "/add/none".to_owned(),
        "/subscriptions/none".to_owned(),
    ] {
        let answer = tab.get(&path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.text().contains("<h1>"), "{path}: {}", answer.text());
    }
    let answer = tab.get(&format!("/collections/{COLLECTION}/batches/x"));
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("<h1>"), "{}", answer.text());
}

#[test]
fn a_filter_finds_what_is_there_page_by_page() {
    let (follower, _store) = with_batches(130);
    let server = follower.serve(&["--no-poll"]);
    let tab = Tab::new(&server);
    let mut path = format!("/collections/{COLLECTION}?path=garden");
    let mut found = 0;
    for _ in 0..10 {
        let page = tab.get(&path).text();
        found += page.matches("<ul class=\"changes\">").count();
        let Some(next) = page.split("rel=\"next\" href=\"").nth(1) else { break };
        path = next.split('"').next().unwrap().replace("&#38;", "&");
    }
    assert_eq!(found, 130);
}
