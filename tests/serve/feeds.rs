//! What is served to those who read.

use std::collections::BTreeMap;
use std::io::Read as _;

use feed_rs::model::Feed;

use crate::stage::{COLLECTION, SITE, grow, with_batches};
use crate::support::follower::{Serving, path_of};

#[test]
fn pages_and_assets_are_there() {
    let (follower, _store) = with_batches(1);
    let server = follower.serve(&["--no-poll"]);
    for (path, kind, content) in [
        ("/".to_owned(), "text/html", "The garden"),
        (format!("/sites/{SITE}"), "text/html", "Beds &#38; borders"),
        (format!("/feeds/{COLLECTION}.atom"), "application/atom+xml", "<feed"),
        (format!("/feeds/{COLLECTION}.rss"), "application/rss+xml", "<rss"),
        (format!("/feeds/{COLLECTION}.json"), "application/feed+json", "jsonfeed.org"),
        (format!("/feeds/{COLLECTION}/changes.atom"), "application/atom+xml", "<feed"),
        (format!("/sites/{SITE}.atom"), "application/atom+xml", "<feed"),
        (format!("/sites/{SITE}/changes.rss"), "application/rss+xml", "<rss"),
        ("/feeds.opml".to_owned(), "text/x-opml", "<opml"),
        ("/feed.css".to_owned(), "text/css", "{"),
        ("/tidings.css".to_owned(), "text/css", "{"),
        ("/healthz".to_owned(), "text/plain", "ok"),
        ("/metrics".to_owned(), "text/plain", "tidings_sites"),
        ("/api/openapi.json".to_owned(), "application/json", "\"openapi\""),
        ("/api/opml".to_owned(), "text/x-opml", "<opml"),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.header("content-type").unwrap().starts_with(kind), "{}", answer.head);
        assert!(answer.text().contains(content), "{path}: {}", answer.text());
        let length = answer.header("content-length").unwrap();
        assert_eq!(length, answer.body.len().to_string(), "{path}");
        assert_eq!(answer.header("x-content-type-options").as_deref(), Some("nosniff"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'"), "{policy}");
        // HEAD is the same without the body.
        let head = server.request("HEAD", &path, "", "");
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        assert_eq!(head.header("content-type"), answer.header("content-type"));
        if !["/metrics"].contains(&&path[..]) {
            assert_eq!(head.header("content-length"), Some(length), "{path}");
        }
        assert_eq!(head.header("etag"), answer.header("etag"), "{path}");
    }
    // A page leads to its feeds, and a feed to its other forms.
    let page = server.get(&format!("/sites/{SITE}")).text();
    assert!(page.contains("rel=\"alternate\" type=\"application/atom+xml\""), "{page}");
    let atom = server.get(&format!("/feeds/{COLLECTION}.atom")).text();
    assert!(atom.contains("application/rss+xml") && atom.contains("application/feed+json"));
    for path in [
        "/nothing".to_owned(),
        "/feeds/".to_owned(),
        "/feeds/none.atom".to_owned(),
        format!("/feeds/{COLLECTION}.xml"),
        format!("/feeds/{COLLECTION}"),
        format!("/feeds/{COLLECTION}/archive/1.atom"),
        "/sites/none".to_owned(),
        "/api/nothing".to_owned(),
    ] {
        assert_eq!(server.get(&path).status, 404, "{path}");
    }
}

#[test]
fn what_a_reader_has_is_not_sent_again() {
    let (follower, store) = with_batches(3);
    let server = follower.serve(&["--no-poll"]);
    for path in [
        format!("/feeds/{COLLECTION}.atom"),
        format!("/feeds/{COLLECTION}.rss"),
        format!("/feeds/{COLLECTION}.json"),
        format!("/feeds/{COLLECTION}/changes.atom"),
        format!("/sites/{SITE}.atom"),
        "/feeds.opml".to_owned(),
    ] {
        // When it was changed is said when that tells versions apart.
        let (answer, modified) = loop {
            let answer = server.get(&path);
            if let Some(modified) = answer.header("last-modified") {
                break (answer, modified);
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        };
        let etag = answer.header("etag").unwrap();
        assert!(etag.starts_with('"') && modified.ends_with(" GMT"), "{etag} {modified}");
        assert_eq!(answer.header("vary").as_deref(), Some("accept, accept-encoding"));
        for condition in [
            format!("If-None-Match: {etag}\r\n"),
            format!("If-None-Match: W/{etag}\r\n"),
            format!("If-None-Match: \"other\", {etag}\r\n"),
            "If-None-Match: *\r\n".to_owned(),
            format!("If-Modified-Since: {modified}\r\n"),
            // The tag is what counts.
            format!(
                "If-None-Match: {etag}\r\nIf-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            ),
        ] {
            let same = server.request("GET", &path, &condition, "");
            assert_eq!((same.status, same.body.len()), (304, 0), "{path} {condition}");
            assert_eq!(same.header("etag").as_deref(), Some(&etag[..]));
        }
        for condition in [
            "If-None-Match: \"other\"\r\n",
            "If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n",
            "If-Modified-Since: yesterday\r\n",
        ] {
            assert_eq!(server.request("GET", &path, condition, "").status, 200, "{condition}");
        }
        // Compressed it is the same feed, by another tag that is known as well.
        let packed = server.request("GET", &path, "Accept-Encoding: br, gzip\r\n", "");
        assert_eq!(packed.header("content-encoding").as_deref(), Some("gzip"));
        assert_eq!(packed.header("content-length").unwrap(), packed.body.len().to_string());
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut text).unwrap();
        assert_eq!(text, answer.body, "{path}");
        assert_ne!(packed.header("etag"), Some(etag));
        let tag = format!("If-None-Match: {}\r\n", packed.header("etag").unwrap());
        assert_eq!(server.request("GET", &path, &tag, "").status, 304);
        let not = server.request("GET", &path, "Accept-Encoding: gzip;q=0, identity\r\n", "");
        assert_eq!((not.header("content-encoding"), not.body), (None, answer.body));
    }
    // Something new has another tag.
    let path = format!("/feeds/{COLLECTION}.atom");
    let etag = server.get(&path).header("etag").unwrap();
    grow(&store, 3..4);
    let condition = format!("If-None-Match: {etag}\r\n");
    while server.request("GET", &path, &condition, "").status == 304 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(server.get(&path).feed().entries.len(), 4);
}

/// Entries by their ids, from the feed that is subscribed to back to the first archive.
fn walk(server: &Serving, path: &str) -> (BTreeMap<String, usize>, BTreeMap<String, Vec<u8>>) {
    let (mut entries, mut archives) = (BTreeMap::new(), BTreeMap::new());
    let mut next = Some(path.to_owned());
    let mut newer: Option<String> = None;
    while let Some(path) = next.take() {
        let answer = server.get(&path);
        let feed: Feed = answer.feed();
        let link = |rel: &str| {
            let link = feed.links.iter().find(|link| link.rel.as_deref() == Some(rel));
            link.map(|link| path_of(&link.href))
        };
        for entry in &feed.entries {
            *entries.entry(entry.id.clone()).or_default() += 1;
        }
        if let Some(newer) = &newer {
            assert!(answer.text().contains("<fh:archive/>"), "{path}");
            assert!(!newer.is_empty() && link("current").is_some(), "{path}");
            assert!(archives.insert(path.clone(), answer.body.clone()).is_none(), "{path} twice");
        }
        next = link("prev-archive");
        newer = Some(path);
    }
    (entries, archives)
}

/// RFC 5005, section 4: who walks the archives has everything.
#[test]
fn by_the_archives_every_batch_can_be_had() {
    let (follower, store) = with_batches(49);
    let server = follower.serve(&["--no-poll"]);
    let mut batches = 49;
    for more in [0, 1, 1, 68, 31] {
        grow(&store, batches..batches + more);
        batches += more;
        for form in ["atom", "rss"] {
            for path in [format!("/feeds/{COLLECTION}.{form}"), format!("/sites/{SITE}.{form}")] {
                let answer = loop {
                    let (entries, archives) = walk(&server, &path);
                    // What another process recorded is seen a little later.
                    if entries.len() == batches as usize {
                        break archives;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(100));
                };
                assert_eq!(answer.len(), batches as usize / 50, "{path}");
            }
        }
    }
    // Archives share no entry, each is full, and what is newer is in the feed itself.
    let (entries, archives) = walk(&server, &format!("/feeds/{COLLECTION}.atom"));
    assert_eq!((entries.len(), archives.len()), (150, 3));
    let in_archives: usize = archives
        .values()
        .map(|body| feed_rs::parser::parse(&body[..]).unwrap().entries.len())
        .sum();
    assert_eq!(in_archives, 150);
}

/// RFC 5005, section 4: an archive does not change, so that nobody has to fetch it twice.
#[test]
fn archives_stay_as_they_are() {
    let (follower, store) = with_batches(60);
    let read = || {
        let server = follower.serve(&["--no-poll", "--base", "https://feeds.example.org/"]);
        ["atom", "rss", "json"].map(|form| {
            let answer = server.get(&format!("/feeds/{COLLECTION}/archive/1.{form}"));
            assert_eq!(answer.status, 200);
            answer.text()
        })
    };
    let before = read();
    grow(&store, 60..120);
    assert_eq!(read(), before);
}

/// What a change's own time is says nothing of when the feed got it.
#[test]
fn a_reader_that_goes_by_time_misses_nothing() {
    let (follower, store) = with_batches(0);
    let server = follower.serve(&["--no-poll"]);
    let path = format!("/feeds/{COLLECTION}.atom");
    grow(&store, 100..101);
    drop(server);
    let server = follower.serve(&["--no-poll"]);
    // It is said when it tells versions apart.
    let modified = loop {
        if let Some(modified) = server.get(&path).header("last-modified") {
            break modified;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    // A change that is older than the newest one comes late.
    grow(&store, 50..51);
    drop(server);
    let server = follower.serve(&["--no-poll"]);
    assert_eq!(server.get(&path).feed().entries.len(), 2);
    let condition = format!("If-Modified-Since: {modified}\r\n");
    assert_eq!(server.request("GET", &path, &condition, "").status, 200);
}
