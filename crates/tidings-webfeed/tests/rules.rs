//! For each rule of webfeeds, something that breaks only that rule.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;

use tidings_document::{Findings, rule};
use tidings_webfeed::check::{Served, identity, index, index_file, post, subresource};
use tidings_webfeed::{Identity, Index, Subresource, SubresourceKind};
use url::Url;

fn at(path: &str) -> Url {
    Url::parse("https://a.example/").unwrap().join(path).unwrap()
}

fn of_index(text: &[u8]) -> Findings {
    index(text, &at("index.txt"), None).0
}

fn of_served(content_type: &str, head_length: Option<u64>) -> Findings {
    let content_type = Some(content_type.to_owned());
    let served = Served { content_type, head_length, head_trouble: None, length: 7 };
    index(b"a.html\n", &at("index.txt"), Some(&served)).0
}

fn of_post(html: &[u8]) -> Findings {
    post(html, Some("text/html"), &at("a.html")).0
}

fn of_use(kind: SubresourceKind, bytes: &[u8]) -> Findings {
    let mut findings = Findings::default();
    let one = Subresource { url: at("file"), kind };
    subresource(&one, bytes, None).into_iter().for_each(|it| findings.push(it));
    findings
}

fn cases() -> Vec<(&'static str, Findings)> {
    let whole = Identity {
        author: Some("Ada".to_owned()),
        description: Some("Boats".to_owned()),
        icon: Some(at("a.png")),
    };
    let many: String = (0..=Index::MOST_LINES).map(|number| format!("{number}.html\n")).collect();
    let large = [b"<section>x<!--".to_vec(), vec![b'x'; 1 << 20], b"-->".to_vec()].concat();
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
        ("WF-post-overflow", of_post(format!("<section>{}", "word ".repeat(400)).as_bytes())),
        ("WF-post-linked", of_post(b"<section>x<video src=a.mp4></video></section>")),
        ("WF-subresource-large", of_use(SubresourceKind::StyleSheet, &[b' '; 300 << 10])),
        ("WF-subresource-kind", of_use(SubresourceKind::Picture, b"<svg></svg>")),
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
    let elsewhere = [
        "WF-index-none",
        "WF-index-below",
        "WF-post-unreachable",
        "WF-post-type",
        "WF-subresource-missing",
    ];
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

/// The rules that an index breaks that is a file, each with the lines where.
fn of_file(text: &str) -> Vec<(&'static str, u64)> {
    let (findings, ..) = index_file(text.as_bytes(), &at("index.txt"));
    findings.iter().map(|finding| (finding.rule.id, finding.place.line)).collect()
}

#[test]
fn a_line_from_the_root_depends_on_where_the_file_is_served() {
    assert_eq!(of_file("/a\nb\n//c.example/d\n"), [("WF-index-root", 1)]);
    let root = "# served at https://a.example/\n/a\n";
    assert_eq!(of_file(root), []);
    let below = "# served at https://a.example/feed/\n/a\nb\n";
    assert_eq!(of_file(below), [("WF-index-root", 2)]);
    let (findings, index, at) = index_file(below.as_bytes(), &at("index.txt"));
    assert_eq!(at.as_str(), "https://a.example/feed/index.txt");
    assert_eq!(findings.iter().next().unwrap().detail, "it is read as https://a.example/a");
    assert_eq!(index.unwrap().lines[1].url.as_str(), "https://a.example/feed/b");
    for odd in
        ["# served at nowhere", "# served at file:///srv/feed/", "# Served at https://a.example/"]
    {
        assert_eq!(of_file(&format!("{odd}\n/a\n")), [("WF-index-root", 2)], "{odd}");
    }
}

#[test]
fn a_post_is_listed_twice_however_its_lines_are_written() {
    let text = "p1.html\n./p1.html\nhttps://a.example/d/p1.html#x\np%31.html\np1.html?x\n/d/p2\n";
    let findings = index(text.as_bytes(), &at("d/index.txt"), None).0;
    let twice: Vec<_> = findings.iter().filter(|one| one.rule.id == "WF-index-twice").collect();
    assert_eq!(twice.iter().map(|one| one.place.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(twice[1].detail, "line 1 names it already");
    assert!(of_index(b"\xff\xfea\0\n\0b\0\n\0").is_empty(), "in other encodings, too");
}

#[test]
fn how_head_fails_is_said() {
    let head_trouble = Some("answered with 405 Method Not Allowed".to_owned());
    let content_type = Some("text/plain".to_owned());
    let served = Served { content_type, head_trouble, ..Served::default() };
    let findings = index(b"a.html\n", &at("index.txt"), Some(&served)).0;
    let said: Vec<_> = findings.iter().map(|one| one.detail.as_str()).collect();
    assert_eq!(said, ["HEAD is answered with 405 Method Not Allowed"]);
}

#[test]
fn what_is_not_said_of_whose_it_is_names_where_it_was_looked_for() {
    let findings = identity(&Identity::default());
    let said: Vec<_> = findings.iter().map(|one| one.detail.as_str()).collect();
    let neither = "neither the page of the folder nor the newest post ";
    let whats = ["says an author", "says a description", "names an icon"];
    assert_eq!(said, whats.map(|what| format!("{neither}{what}")));
}
