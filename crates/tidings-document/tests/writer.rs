//! What the writer refuses, and where it splits.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a test")]

use tidings_document::{
    Capability, Capacity, Change, Entry, Form, Head, Link, Moment, SplitWriter, WriteError, Writer,
    rule,
};

const UP: &str = "http://example.com/capabilitylist.xml";

fn moment(text: &str) -> Moment {
    Moment::parse(text).unwrap()
}

fn change_list() -> Head<'static> {
    Head::interval(Capability::ChangeList, Form::List, moment("2026-01-01T00:00:00Z"), None, UP)
}

fn change(loc: &str, datetime: &str) -> Entry<'static> {
    let mut entry = Entry::new(loc.to_owned());
    entry.metadata.change = Some(Change::Updated);
    entry.metadata.datetime = Some(moment(datetime));
    entry
}

#[track_caller]
fn refused(result: Result<impl Sized, WriteError>, id: &str) {
    match result {
        Err(WriteError::Refused { rule, .. }) => assert_eq!(rule.id, id),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("{id} was not refused"),
    }
}

#[test]
fn a_head_that_breaks_a_rule_is_refused() {
    let mut head = change_list();
    head.links.clear();
    refused(Writer::new(Vec::new(), &head), "RS-12.1-up-missing");
    let mut head = change_list();
    head.metadata.from = None;
    refused(Writer::new(Vec::new(), &head), "RS-12.1-from-missing");
    let head = Head::sitemap(Form::List).with_link(Link::new("up", UP));
    refused(Writer::new(Vec::new(), &head), "RS-7-md-missing");
    let mut head = Head::sitemap(Form::List);
    head.namespaces.push(("rs".into(), "urn:other".into()));
    refused(Writer::new(Vec::new(), &head), "XMLNS-5-prefix");
}

#[test]
fn an_entry_that_breaks_a_rule_is_refused_and_leaves_no_trace() {
    let mut writer = Writer::new(Vec::new(), &change_list()).unwrap();
    writer.write(&change("http://example.com/a", "2026-01-02T00:00:00Z")).unwrap();
    let before = writer.written();
    refused(
        writer.write(&change("http://example.com/a", "2026-01-01T12:00:00Z")),
        rule::resourcesync::CHANGELIST_ORDER.id,
    );
    refused(
        writer.write(&change("http://example.com/a", "2025-01-01T12:00:00Z")),
        rule::resourcesync::DATETIME_RANGE.id,
    );
    refused(writer.write(&change("/relative", "2026-01-03T00:00:00Z")), "SM-loc-relative");
    refused(
        writer.write(&change("http://example.com/a b", "2026-01-03T00:00:00Z")),
        "SM-loc-character",
    );
    refused(writer.write(&change("http://example.com/☃", "2026-01-03T00:00:00Z")), "SM-loc-iri");
    let mut entry = change("http://example.com/a", "2026-01-03T00:00:00Z");
    entry.metadata.change = None;
    refused(writer.write(&entry), "RS-12.1-change-missing");
    entry.metadata.change = Some(Change::Created);
    entry.metadata.media_type = Some("not a type".into());
    refused(writer.write(&entry), "RS-7-type");
    entry.metadata.media_type = None;
    for xml in [
        "<a>",
        "text",
        "<a/><b/>",
        "<a:b/>",
        "<a xmlns='urn:a'>&nbsp;</a>",
        "<url/>",
        "<a xmlns='urn:a'>\u{1}</a>",
        "",
    ] {
        entry.extensions = vec![xml.into()];
        refused(writer.write(&entry), "XML-2.1-malformed");
    }
    assert_eq!(writer.written(), before);
    writer.write(&change("http://example.com/a", "2026-01-03T00:00:00Z")).unwrap();
    let (bytes, written) = writer.finish().unwrap();
    assert_eq!((written.entries, written.bytes), (2, bytes.len() as u64));
}

#[test]
fn a_plain_sitemap_has_nothing_of_resourcesync() {
    let mut writer = Writer::new(Vec::new(), &Head::sitemap(Form::List)).unwrap();
    writer.write(&Entry::new("http://example.com/?a=1&b=2")).unwrap();
    refused(
        writer.write(&change("http://example.com/", "2026-01-01T00:00:00Z")),
        "RS-7-md-missing",
    );
    let text = String::from_utf8(writer.finish().unwrap().0).unwrap();
    assert_eq!(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n  \
         <url><loc>http://example.com/?a=1&amp;b=2</loc></url>\n</urlset>\n"
    );
}

#[test]
fn a_document_is_full_at_50000_entries() {
    let head = Head::sitemap(Form::List);
    let mut parts = SplitWriter::new(&head, Capacity::default(), |_| Ok(Vec::new())).unwrap();
    for number in 0..50_001 {
        parts.write(&Entry::new(format!("http://example.com/{number}"))).unwrap();
    }
    let parts = parts.finish().unwrap();
    assert_eq!(parts.iter().map(|part| part.written.entries).collect::<Vec<_>>(), [50_000, 1]);
}

#[test]
fn a_document_is_full_at_50_mb_and_not_a_byte_later() {
    let head = Head::sitemap(Form::List);
    let mut parts = SplitWriter::new(
        &head,
        Capacity { entries: u64::MAX, bytes: u64::MAX },
        |_| Ok(Vec::new()),
    )
    .unwrap();
    let long = "x".repeat(2_000);
    for number in 0..30_000 {
        parts.write(&Entry::new(format!("http://example.com/{number}/{long}"))).unwrap();
    }
    let parts = parts.finish().unwrap();
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[0].out.len() as u64, parts[0].written.bytes);
    assert!(parts[0].out.len() <= 50 << 20 && parts[0].out.len() + 2_100 > 50 << 20);
}

#[test]
fn no_entries_make_one_empty_document() {
    let head = Head::sitemap(Form::List);
    let parts =
        SplitWriter::new(&head, Capacity::default(), |_| Ok(Vec::new())).unwrap().finish().unwrap();
    assert_eq!(parts.len(), 1);
    assert_eq!(parts[0].written.entries, 0);
}

#[test]
fn changes_are_not_split_under_one_interval() {
    let head = change_list();
    refused(
        SplitWriter::new(&head, Capacity::default(), |_| Ok(Vec::new())),
        "RS-12.2-until-missing",
    );
}

#[test]
fn nothing_is_opened_for_an_entry_that_is_refused() {
    let head = Head::sitemap(Form::List);
    let capacity = Capacity { entries: 1, bytes: u64::MAX };
    let opened = std::cell::Cell::new(0);
    let open = |_| {
        opened.set(opened.get() + 1);
        Ok(Vec::new())
    };
    let mut parts = SplitWriter::new(&head, capacity, open).unwrap();
    refused(parts.write(&Entry::new("relative")), "SM-loc-relative");
    assert_eq!(opened.get(), 0);
    parts.write(&Entry::new("http://example.com/1")).unwrap();
    refused(parts.write(&Entry::new("relative")), "SM-loc-relative");
    assert_eq!(parts.finish().unwrap().len(), 1);
}

#[test]
fn a_refused_entry_does_not_count_against_later_ones() {
    let from = moment("2026-01-01T00:00:00Z");
    let until = Some(moment("2026-02-01T00:00:00Z"));
    let head = Head::interval(Capability::ChangeList, Form::List, from, until, UP);
    let mut writer = Writer::new(Vec::new(), &head).unwrap();
    let late = change("http://example.com/a", "2026-03-01T00:00:00Z");
    refused(writer.write(&late), "RS-7-datetime-range");
    writer.write(&change("http://example.com/a", "2026-01-02T00:00:00Z")).unwrap();

    let from = moment("2025-01-01T00:00:00Z");
    let head = Head::interval(Capability::ChangeList, Form::Index, from, None, UP);
    let mut writer = Writer::new(Vec::new(), &head).unwrap();
    let part = |from: &str, until: &str| {
        let mut entry = Entry::new(format!("http://example.com/{from}"));
        entry.metadata.from = Some(moment(from));
        entry.metadata.until = Some(moment(until));
        entry
    };
    writer.write(&part("2026-02-01", "2026-03-01")).unwrap();
    for _ in 0..2 {
        refused(writer.write(&part("2025-01-01", "2025-02-01")), "RS-12.2-order");
    }
}

#[test]
fn what_readers_would_refuse_is_not_written() {
    let mut writer = Writer::new(Vec::new(), &change_list()).unwrap();
    let mut entry = change("http://example.com/a", "2026-01-02T00:00:00Z");
    entry.metadata.length = Some(u64::MAX);
    writer.write(&entry).unwrap();
    entry.metadata.encoding = Some("x".repeat(70_000).into());
    refused(writer.write(&entry), "LIMIT-token");
    entry.metadata.encoding = None;
    entry.links = vec![Link::new("duplicate", "http://mirror.example/"); 30_000];
    refused(writer.write(&entry), "LIMIT-entry");
    entry.links.clear();
    let sitemap = "http://www.sitemaps.org/schemas/sitemap/0.9";
    entry.extensions = vec![format!("<loc xmlns='{sitemap}'>http://example.com/2</loc>").into()];
    refused(writer.write(&entry), "XML-2.1-malformed");
    let mut head = change_list();
    head.namespaces.push(("sm".into(), sitemap.into()));
    refused(Writer::new(Vec::new(), &head), "XMLNS-5-prefix");
}
