//! Whatever is in the strings, what is written can be read; whatever is read, nothing breaks.
#![allow(clippy::unwrap_used, reason = "a test")]

use jiff::Timestamp;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use quick_xml::events::Event;
use quick_xml::reader::NsReader;
use tidings_feed::{
    Category, Description, Entry, Feed, FeedLink, Item, Opml, Page, Section, TakenFeed, atom,
    json_feed, rss,
};
use url::Url;

/// Reads all of a document, with every check there is.
fn parse(text: &str) {
    let mut reader = NsReader::from_str(text);
    reader.config_mut().enable_all_checks(true);
    let mut depth = 0;
    loop {
        let (_, event) = reader.read_resolved_event().unwrap_or_else(|e| panic!("{e}: {text}"));
        match event {
            Event::Start(start) | Event::Empty(start) if start.attributes().any(|a| a.is_err()) => {
                panic!("{start:?}")
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    let is_forbidden =
        |c: char| (c < ' ' && !"\t\n\r".contains(c)) || matches!(c, '\u{FFFE}' | '\u{FFFF}');
    assert_eq!(text.find(is_forbidden), None);
    assert_eq!(text.find("href=\"javascript"), None);
}

/// The text as it comes back.
fn replaced(text: &str) -> String {
    let is_kept = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..);
    let text: String =
        text.trim().chars().map(|c| if is_kept(c) { c } else { '\u{FFFD}' }).collect();
    text.trim().to_owned()
}

fn text() -> BoxedStrategy<String> {
    prop_oneof![
        any::<String>(),
        "\\PC{0,20}",
        "[<>&\"'\\]\\x00-\\x20\u{FFFE}\u{FFFF}a]{0,20}",
        Just("javascript:alert(1)".to_owned()),
        Just("http://e.example/a?b&c d".to_owned()),
        Just("<script>alert(1)</script>".to_owned()),
        Just("2026-03-01T00:00:00Z".to_owned()),
        Just("]]>?>-->".to_owned()),
    ]
    .boxed()
}

fn time() -> impl Strategy<Value = Timestamp> {
    let (first, last) = (Timestamp::MIN.as_nanosecond(), Timestamp::MAX.as_nanosecond());
    (first..=last).prop_map(|nanos| Timestamp::from_nanosecond(nanos).unwrap())
}

fn link() -> impl Strategy<Value = FeedLink> {
    let rel = prop_oneof![text(), Just("alternate".into()), Just("hub".into())];
    (rel, text(), option::of(text()), option::of(text()))
        .prop_map(|(rel, href, media_type, title)| FeedLink { rel, href, media_type, title })
}

fn item() -> impl Strategy<Value = Item> {
    (text(), option::of(text()), option::of(text()), option::of(text()), option::of(text()))
        .prop_map(|(text, href, time, note, diff)| Item { text, href, time, note, diff })
}

fn section() -> impl Strategy<Value = Section> {
    (text(), vec(item(), 0..3), 0..3_u64, option::of(text()))
        .prop_map(|(heading, items, more, more_link)| Section { heading, items, more, more_link })
}

fn category() -> impl Strategy<Value = Category> {
    (text(), option::of(text()), option::of(text())).prop_map(|(term, scheme, label)| Category {
        term,
        scheme,
        label,
    })
}

fn entry() -> impl Strategy<Value = Entry> {
    let head = (text(), text(), time(), option::of(time()), text());
    let body = (
        vec(link(), 0..3),
        vec(category(), 0..3),
        option::of(text()),
        vec(section(), 0..3),
        option::of(text()),
    );
    (head, body).prop_map(|((id, title, updated, published, link), body)| {
        let (related, categories, summary, content, author) = body;
        Entry {
            id,
            title,
            updated,
            published,
            link,
            related,
            categories,
            summary,
            content,
            author,
            html: None,
        }
    })
}

fn feed() -> impl Strategy<Value = Feed> {
    let head = (text(), text(), option::of(text()), time(), option::of(text()));
    let links = (text(), text(), vec(link(), 0..3), option::of(text()), any::<bool>());
    let rest = (option::of(text()), option::of(text()), vec(entry(), 0..4));
    (head, links, rest).prop_map(|(head, links, (language, stylesheet, entries))| {
        let (id, title, subtitle, updated, author) = head;
        let (home, own, links, icon, is_archive) = links;
        Feed {
            id,
            title,
            subtitle,
            updated,
            author,
            language,
            home,
            own,
            links,
            icon,
            is_archive,
            stylesheet,
            version: "0.1.0",
            entries,
        }
    })
}

proptest! {
    #[test]
    fn any_feed_is_well_formed(feed in feed()) {
        parse(&atom(&feed));
        parse(&rss(&feed));
        let json: serde_json::Value = serde_json::from_str(&json_feed(&feed)).unwrap();
        prop_assert_eq!(&json["version"], "https://jsonfeed.org/version/1.1");
        for item in json["items"].as_array().unwrap() {
            prop_assert!(item["id"].is_string());
            prop_assert!(item["content_html"].is_string() != item["content_text"].is_string());
        }
    }

    #[test]
    fn another_program_reads_the_same(
        feed in feed(),
        ids in proptest::collection::btree_set("[a-zA-Z0-9:/._~-]{1,12}", 4..5),
    ) {
        let mut feed = feed;
        for (entry, id) in feed.entries.iter_mut().zip(&ids) {
            entry.id = format!("tag:e.example,2026:{id}");
            entry.title = format!("{}x", entry.title);
        }
        feed.title.push('x');
        for document in [atom(&feed), rss(&feed), json_feed(&feed)] {
            let read = feed_rs::parser::parse(document.as_bytes()).unwrap();
            let is_json = document.starts_with('{');
            let kept = |text: &str| if is_json { text.trim().to_owned() } else { replaced(text) };
            prop_assert_eq!(read.title.unwrap().content, kept(&feed.title));
            prop_assert_eq!(read.entries.len(), feed.entries.len());
            for (read, entry) in read.entries.iter().zip(&feed.entries) {
                prop_assert_eq!(&read.id, &entry.id);
                prop_assert_eq!(&read.title.as_ref().unwrap().content, &kept(&entry.title));
            }
        }
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in any::<Vec<u8>>(), content_type in option::of(text())) {
        survive(&bytes, content_type.as_deref());
        survive(&[b"<html lang=", &bytes[..]].concat(), None);
        survive(&[b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><", &bytes[..]].concat(), None);
    }
}

fn survive(bytes: &[u8], content_type: Option<&str>) {
    let url = Url::parse("http://e.example/a/b").unwrap();
    let _ = TakenFeed::read(bytes, content_type, &url);
    let _ = Description::read(bytes, content_type, &url);
    let _ = Page::read(bytes, content_type, &url);
    let _ = Opml::read(bytes);
}

#[test]
fn documents_may_be_cut_anywhere() {
    let entry = Entry {
        id: "tag:e.example,2026:1".into(),
        title: "Käse & <b>".into(),
        link: "http://e.example/1".into(),
        summary: Some("☃".into()),
        content: vec![Section {
            heading: "H".into(),
            items: vec![Item { text: "a".into(), ..Item::default() }],
            ..Section::default()
        }],
        ..Entry::default()
    };
    let feed = Feed { title: "ü".into(), entries: vec![entry], ..Feed::default() };
    let opml = "<?xml version='1.0'?><opml><head><title>&#252;&amp;</title></head><body>\
                <outline text='ü' xmlUrl=\"http://e.example/?a&b\"><outline/></outline></body></opml>";
    let html = "<!doctype html><html lang=de><meta charset=latin1><title>ü</title>\
                <link rel=alternate type=application/atom+xml href=f><script>x</script><p>a&uuml;";
    let utf16: Vec<u8> = opml.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let documents = [atom(&feed), rss(&feed), json_feed(&feed), opml.into(), html.into()];
    for document in documents.iter().map(|text| text.as_bytes()).chain([&utf16[..]]) {
        for length in 0..=document.len() {
            survive(&document[..length], None);
        }
    }
}

/// Nothing takes more than linear time: a quadratic step would show here as a test that hangs.
#[test]
fn large_nonsense_is_survived() {
    for (start, piece) in [
        ("", "<"),
        ("", "&"),
        ("", "<a "),
        ("", "<!--"),
        ("", "<?xml "),
        ("<html ", "a=b "),
        ("<html>", "<script>"),
        ("<html>", "<title>"),
        ("<html><pre>", "\n"),
        ("<rss version='2.0'><channel><title>", "&"),
        ("<rss version='2.0'><channel><title>", "&lt;a"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry/>"),
        ("<opml><outline ", "a='b' "),
        ("{\"@graph\":[", "{},"),
        ("", "\0"),
    ] {
        let text = format!("{start}{}", piece.repeat((512 << 10) / piece.len()));
        survive(text.as_bytes(), None);
    }
}

#[test]
fn long_titles_are_written_whole() {
    let title = "<&>".repeat(1 << 19);
    let feed = Feed { title: title.clone(), ..Feed::default() };
    let read = feed_rs::parser::parse(atom(&feed).as_bytes()).unwrap();
    assert_eq!(read.title.unwrap().content, title);
}
