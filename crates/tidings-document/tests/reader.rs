//! What the reader promises beyond the documents of the corpus.
#![allow(clippy::unwrap_used, reason = "a test")]

use tidings_document::{CheckOptions, Limits, ReadOptions, Reader, check};

const OPEN: &str = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>";

#[test]
fn after_an_error_it_never_says_that_this_was_the_end() {
    let document = format!("{OPEN}<url><loc>http://e.example/</loc></url>");
    let mut reader = Reader::new(document.as_bytes());
    assert!(reader.next_entry().unwrap().is_some());
    for _ in 0..3 {
        assert_eq!(
            reader.next_entry().unwrap_err().finding().unwrap().rule.id,
            "XML-2.1-truncated"
        );
        assert!(reader.head().is_err() && !reader.is_done());
    }
    let mut reader = Reader::new(b"no document".as_slice());
    let _ = reader.head();
    assert!(reader.next_entry().is_err());
}

#[test]
fn nothing_between_an_entry_and_its_next_goes_unread() {
    let document =
        format!("{OPEN}<url><loc>http://e.example/a</loc></url ><junk>&bad; <oops></url></urlset>");
    let report = check(document.as_bytes(), &CheckOptions::default()).unwrap();
    assert!(!report.complete && report.findings.count("XML-2.1-malformed") == 1);
}

#[test]
fn one_entrys_fault_does_not_excuse_another() {
    let rs = "xmlns:rs='http://www.openarchives.org/rs/terms/'";
    let document = format!(
        "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' {rs}>\
        <rs:ln rel='up' href='http://e.example/c'/><rs:md capability='changelist' from='2026'/>\
        <url><rs:md change='bogus'/></url><url><loc>http://e.example/1</loc></url></urlset>"
    );
    let report = check(document.as_bytes(), &CheckOptions::default()).unwrap();
    let found: Vec<_> = report.findings.by_rule().collect();
    assert_eq!(found, [("RS-12.1-change-missing", 1), ("RS-7-change", 1), ("SM-loc-missing", 1)]);
}

#[test]
fn limits_hold_whatever_the_entries_look_like() {
    let limits = Limits { entries: 10, entry: 100, ..Limits::default() };
    let options =
        CheckOptions { read: ReadOptions { limits, charset: None }, ..CheckOptions::default() };
    for (inside, rule) in [
        ("<url/>".repeat(11), "LIMIT-entries"),
        ("<url><loc>http://e.example/</loc></url>".repeat(11), "LIMIT-entries"),
        (format!("<url><loc>http://e.example/{}</loc></url>", "x".repeat(100)), "LIMIT-entry"),
    ] {
        let document = format!("{OPEN}{inside}</urlset>");
        let report = check(document.as_bytes(), &options).unwrap();
        assert_eq!(report.findings.count(rule), 1, "{rule}: {:?}", report.findings);
    }
}

/// The fast path and the slow path read the same: a comment in each entry takes the slow one.
#[test]
fn usual_entries_are_read_like_all_others() {
    let plain: String = (0..5_000)
        .map(|number| {
            let blanks = " ".repeat(number % 7);
            format!("{blanks}<url>\r\n<loc>http://e.example/{number}?a=%21</loc><lastmod>2026-01-02</lastmod></url>\n")
        })
        .collect();
    let slow = plain.replace("</url>", "<!-- </url> --></url>");
    let read = |inside: &str| {
        let document = format!("{OPEN}{inside}</urlset>");
        let mut reader = Reader::new(document.as_bytes());
        let mut entries = Vec::new();
        while let Some(entry) = reader.next_entry().unwrap() {
            entries.push(entry.into_owned());
        }
        entries
    };
    let (plain, slow) = (read(&plain), read(&slow));
    assert_eq!(plain.len(), 5_000);
    assert_eq!(plain, slow);
}
