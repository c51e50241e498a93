//! RFC 4287's RELAX NG schema, which is not ours to keep: `atom.rnc` in `../shared/corpus` beside the
//! checkout, or where `TIDINGS_CORPUS` says. Without it, or without `jing`, this is skipped, and says
//! so.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quick_xml::events::Event;
use quick_xml::reader::Reader;
use tidings_feed::{Category, Entry, Feed, FeedLink, Item, Section, atom, rss};
use url::Url;

fn schema() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("TIDINGS_CORPUS").map_or_else(beside, PathBuf::from);
    let schema = folder.join("atom.rnc");
    if !schema.is_file() {
        eprintln!("skipped: the schema of Atom is not at {}", schema.display());
        return None;
    }
    if Command::new("jing").output().is_err() {
        eprintln!("skipped: jing is not installed");
        return None;
    }
    Some(schema)
}

fn link(rel: &str, href: &str, media_type: Option<&str>) -> FeedLink {
    FeedLink {
        rel: rel.into(),
        href: href.into(),
        media_type: media_type.map(Into::into),
        title: Some("A \"title\"".into()),
    }
}

fn rich() -> Feed {
    let item = Item {
        text: "<script>alert(1)</script>".into(),
        href: Some("http://e.example/ü b?c&d".into()),
        time: Some("2026-03-01T12:00:00+01:00".into()),
        note: Some("12\u{0} bytes".into()),
        diff: Some("--- a\n+++ b\n@@ -1 +1 @@\n-<x>\n+&y\r\n".into()),
    };
    let section = Section {
        heading: "Changed & new".into(),
        items: vec![item, Item { href: Some("data:,x".into()), ..Item::default() }],
        more: 3,
        more_link: Some("http://e.example/more".into()),
    };
    let category = Category {
        term: "created".into(),
        scheme: Some("http://e.example/scheme#".into()),
        label: Some("New".into()),
    };
    let entry = Entry {
        id: "tag:e.example,2026:1".into(),
        title: "Käse".into(),
        updated: "2026-03-01T00:00:00.123456789Z".parse().unwrap(),
        published: Some("2026-02-01T00:00:00Z".parse().unwrap()),
        link: "http://e.example/1".into(),
        related: vec![link("related", "http://e.example/x", None)],
        categories: vec![category, Category::default()],
        summary: Some("One & two".into()),
        content: vec![section],
        author: Some("Anna".into()),
        html: None,
    };
    let bare = Entry { title: "bare".into(), link: "nowhere".into(), ..Entry::default() };
    Feed {
        id: "tag:e.example,2026:feed".into(),
        title: "News of <e.example>".into(),
        subtitle: Some("All of it".into()),
        updated: "2026-03-01T00:00:00Z".parse().unwrap(),
        author: None,
        language: Some("de-CH".into()),
        home: "http://e.example/".into(),
        own: "http://f.example/feed.atom".into(),
        links: vec![
            link("hub", "http://hub.example/", None),
            link("alternate", "http://f.example/feed.json", Some("application/feed+json")),
            link("alternate", "http://e.example/again", Some("text/html")),
            link("prev-archive", "http://f.example/1.atom", Some("application/atom+xml")),
            link("broken", "relative", Some("nonsense")),
        ],
        icon: Some("http://e.example/icon.png".into()),
        is_archive: false,
        stylesheet: Some("/feed.css".into()),
        version: "0.1.0",
        entries: vec![entry.clone(), entry, bare],
    }
}

fn feeds() -> [(&'static str, Feed); 4] {
    let archive = Feed { is_archive: true, ..rich() };
    let empty = Feed { entries: Vec::new(), ..rich() };
    [("rich", rich()), ("archive", archive), ("empty", empty), ("blank", Feed::default())]
}

#[test]
fn what_is_written_is_valid_by_the_schema() {
    let Some(schema) = schema() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (name, feed) in feeds() {
        let file = folder.path().join(name);
        fs::write(&file, atom(&feed)).unwrap();
        let output = Command::new("jing").arg("-c").arg(&schema).arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name}: {said}\n{}", atom(&feed));
    }
}

/// All texts and the values of that attribute in elements of that name.
fn texts(document: &str, name: &str, attribute: Option<&str>) -> Vec<String> {
    let mut reader = Reader::from_str(document);
    let mut found = Vec::new();
    let mut open = false;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) | Event::Empty(start) if start.name().as_ref() == name => {
                open = attribute.is_none();
                if let Some(attribute) = attribute {
                    let value = start.try_get_attribute(attribute).unwrap();
                    found.extend(value.map(|one| one.value.into_owned()));
                }
            }
            Event::Text(text) if open => found.push(text.to_string()),
            Event::End(_) => open = false,
            Event::Eof => return found,
            _ => {}
        }
    }
}

#[test]
fn the_rules_that_no_schema_has_are_kept() {
    for (name, feed) in feeds() {
        let (atom, rss) = (atom(&feed), rss(&feed));
        for (document, element) in [(&atom, "id"), (&rss, "guid")] {
            let ids = texts(document, element, None);
            assert_eq!(ids.len(), ids.iter().collect::<HashSet<_>>().len(), "{name}");
            assert!(ids.iter().all(|id| Url::parse(id).is_ok()), "{name}: {ids:?}");
        }
        for (document, element) in [(&atom, "link"), (&rss, "atom:link"), (&atom, "a")] {
            for href in texts(document, element, Some("href")) {
                assert!(href.starts_with("http://") && href.is_ascii(), "{name}: {href}");
            }
        }
        let entries = atom.matches("<entry>").count();
        assert_eq!(texts(&atom, "updated", None).len(), entries + 1, "{name}");
        assert_eq!(texts(&rss, "pubDate", None).len(), rss.matches("<item>").count());
        for date in texts(&rss, "pubDate", None) {
            assert_eq!((date.len(), &date[25..]), (29, " GMT"), "{name}: {date}");
        }
        assert_eq!(rss.matches("<guid isPermaLink=\"false\">").count(), entries, "{name}");
        let own = usize::from(!feed.own.is_empty());
        assert_eq!(rss.matches("<atom:link rel=\"self\"").count(), own, "{name}");
        assert_eq!(atom.matches("<link rel=\"self\"").count(), own, "{name}");
        let divs = "<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">";
        let content = atom.matches(divs).count();
        assert_eq!(atom.matches("</div></content>").count(), content, "{name}");
        assert!(!atom.contains("/again\""), "two alternates of a type");
    }
}
