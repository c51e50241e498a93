//! For each rule of webfeeds, something that breaks only that rule.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;

use tidings_document::{Findings, rule};
use tidings_webfeed::check::{Served, identity, index, post};
use tidings_webfeed::{Identity, Index};
use url::Url;

fn at(path: &str) -> Url {
    Url::parse("https://a.example/").unwrap().join(path).unwrap()
}

fn of_index(text: &[u8]) -> Findings {
    index(text, &at("index.txt"), None).0
}

fn of_served(content_type: &str, head_length: Option<u64>) -> Findings {
    let content_type = Some(content_type.to_owned());
    index(b"a.html\n", &at("index.txt"), Some(&Served { content_type, head_length, length: 7 })).0
}

fn of_post(html: &[u8]) -> Findings {
    post(html, Some("text/html"), &at("a.html")).0
}

fn cases() -> Vec<(&'static str, Findings)> {
    let whole = Identity {
        author: Some("Ada".to_owned()),
        description: Some("Boats".to_owned()),
        icon: Some(at("a.png")),
    };
    let many: String = (0..=Index::MOST_LINES).map(|number| format!("{number}.html\n")).collect();
    let large = [b"<section>".to_vec(), vec![b'x'; 1 << 20]].concat();
    vec![
        ("WF-index-html", of_index(b"<!doctype html>")),
        ("WF-index-binary", of_index(b"\0\x01")),
        ("WF-index-address", of_index(b"a.html\njavascript:1\n")),
        ("WF-index-twice", of_index(b"a.html\na.html\n")),
        ("WF-index-root", index(b"/a.html\n", &at("feed/index.txt"), None).0),
        ("WF-index-many", of_index(many.as_bytes())),
        ("WF-index-encoding", of_index(b"caf\xe9.html\n")),
        ("WF-index-type", of_served("text/css", Some(7))),
        ("WF-poll-length", of_served("text/plain", None)),
        ("WF-poll-differs", of_served("text/plain; charset=utf-8", Some(8))),
        ("WF-post-large", of_post(&large)),
        ("WF-post-section", of_post(b"<p>x")),
        ("WF-post-nested", of_post(b"<div><section>x</section></div>")),
        ("WF-post-body", of_post(b"<body><section>x</section></body>")),
        ("WF-post-outside", of_post(b"before<section>x</section>")),
        ("WF-post-many", of_post("<section>x</section>".repeat(101).as_bytes())),
        ("WF-post-ignored", of_post(b"<section>x</section><script>1</script>")),
        ("WF-post-handler", of_post(b"<section onclick=x>x</section>")),
        ("WF-post-encoding", of_post("<section>ü</section>".as_bytes())),
        ("WF-identity-author", identity(&Identity { author: None, ..whole.clone() })),
        ("WF-identity-description", identity(&Identity { description: None, ..whole.clone() })),
        ("WF-identity-icon", identity(&Identity { icon: None, ..whole })),
    ]
}

#[test]
fn each_case_breaks_its_rule_and_no_other() {
    for (id, findings) in cases() {
        let found: Vec<_> = findings.by_rule().map(|(rule, _)| rule).collect();
        assert_eq!(found, [id], "{:?}", findings.iter().collect::<Vec<_>>());
    }
}

#[test]
fn every_rule_has_a_case() {
    let cases: BTreeSet<&str> = cases().into_iter().map(|(id, _)| id).collect();
    // Whether something is there is found out by who asks for it: `tests/webfeeds/publishing.rs`.
    let elsewhere = ["WF-index-none", "WF-post-unreachable", "WF-post-type"];
    let all = rule::webfeed::ALL.iter().map(|rule| rule.id);
    let missing: Vec<_> = all.filter(|id| !cases.contains(id) && !elsewhere.contains(id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn what_is_right_has_no_finding() {
    assert!(of_index(b"# mine\n\na.html\nb c.html\nhttps://b.example/x\n").is_empty());
    assert!(of_served("text/plain", Some(7)).is_empty());
    let page = "<!DOCTYPE html><meta charset=utf-8><title>T</title><style>p{}</style>\n\
        <section>ü</section>\n<!-- and --><section><p>x</section>\n";
    assert!(of_post(page.as_bytes()).is_empty());
}
