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
            assert!(begun.elapsed() < Duration::from_secs(10), "{path}");
        }
    }
    // What could be meant, and lies beyond all that there is.
    for query in [
        "year=1980",
        "year=1970",
        "year=9999",
        "year=-1",
        "before=-9223372036854775808",
        "before=9223372036854775807",
        "before=0",
        "day=0001-01-01",
        "day=9999-12-31",
        "text=a&before=9223372036854775807.1.1.1",
        "text=a&before=-9223372036854775808.-1.-1.-1",
    ] {
        let answer = tab.get(&format!("/collections/{COLLECTION}?{query}"));
        assert_eq!(answer.status, 200, "{query}: {}", answer.head);
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
