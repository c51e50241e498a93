//! What every answer has: HEAD, validators, compression, types.

use std::io::Read as _;

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site};
use crate::support::follower::Answer;

/// The paths of all kinds of answers.
const PATHS: [&str; 14] = [
    "/robots.txt",
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemaps/sitemap-0001.xml",
    "/feed.atom",
    "/page",
    "/long",
    "/picture.svg",
    "/missing",
    "/.well-known/resourcesync",
    "/resourcesync/resourcelist.xml",
    "/resourcesync/changelist.xml",
    "/builtin/search?q=page",
    "/builtin/theme/style.css",
];

fn root(layout: Layout) -> Root {
    let long = "A sentence that is there many times. ".repeat(500);
    let root = Root::with(layout, &[Page::new("page"), Page::new("long").says(&long)]);
    let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{}</svg>", " ".repeat(3_000));
    match layout {
        Layout::Plain => root.write("pages/picture.svg", svg),
        Layout::Versioned => {
            root.version(1, 0, "(alias: \"picture.svg\", mime: \"image/svg+xml\")", svg);
        }
    }
    root
}

/// Header lines in their order, without the date.
fn lines(answer: &Answer) -> Vec<String> {
    let lines = answer.head.lines().map(str::to_lowercase);
    let mut lines: Vec<String> = lines
        .filter(|line| !line.starts_with("date:") && !line.starts_with("transfer-encoding:"))
        .collect();
    lines.sort();
    lines
}

#[test]
fn head_is_get_without_the_body() {
    for layout in LAYOUTS {
        let root = root(layout);
        let site = root.serve(&[]);
        for path in PATHS {
            for headers in ["", "Accept-Encoding: gzip\r\n"] {
                let get = site.request("GET", path, headers, "");
                let head = site.request("HEAD", path, headers, "");
                assert!(!get.body.is_empty() && head.body.is_empty(), "{layout:?} {path}");
                // What is written while it is sent has no length that is known before.
                let mut expected = lines(&get);
                let mut found = lines(&head);
                if !found.iter().any(|line| line.starts_with("content-length:")) {
                    expected.retain(|line| !line.starts_with("content-length:"));
                }
                expected.sort();
                found.sort();
                assert_eq!(found, expected, "{layout:?} {path} {headers}");
            }
        }
    }
}

#[test]
fn what_is_known_is_not_sent_again() {
    for layout in LAYOUTS {
        let root = root(layout);
        let site = root.serve(&[]);
        for path in ["/robots.txt", "/sitemap.xml", "/feed.atom", "/page", "/picture.svg"] {
            let first = site.get(path);
            let etag = first.header("etag").unwrap_or_else(|| panic!("{path}: {}", first.head));
            for tags in [etag.clone(), format!("\"other\", {etag}"), "*".to_owned()] {
                let again = site.get_with(path, &format!("If-None-Match: {tags}\r\n"));
                assert_eq!(again.status, 304, "{layout:?} {path} {tags}");
                assert!(again.body.is_empty());
                assert_eq!(again.header("etag"), first.header("etag"), "{path}");
            }
            assert_eq!(site.get_with(path, "If-None-Match: \"other\"\r\n").status, 200);
            if let Some(modified) = first.header("last-modified") {
                let since = format!("If-Modified-Since: {modified}\r\n");
                assert_eq!(site.get_with(path, &since).status, 304, "{layout:?} {path}");
                let before = "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
                assert_eq!(site.get_with(path, before).status, 200, "{layout:?} {path}");
            }
        }
        for path in ["/page", "/picture.svg"] {
            assert!(site.get(path).header("last-modified").is_some(), "{path}");
        }
    }
}

#[test]
fn validators_change_with_what_they_stand_for() {
    for layout in LAYOUTS {
        let root = Root::with(layout, &[Page::new("page"), Page::new("other")]);
        let site = root.serve(&[]);
        let tag = |path: &str| site.get(path).header("etag").unwrap();
        let before = ["/page", "/sitemap.xml", "/feed.atom", "/other"].map(tag);
        root.put(layout, &Page::new("page").says("Others.\n"));
        let after = ["/page", "/sitemap.xml", "/feed.atom", "/other"].map(tag);
        assert_ne!(before[0], after[0]);
        // Its time may be the same to the second, and then so may the sitemap be.
        assert_ne!(before[2], after[2]);
        assert_eq!(before[3], after[3]);
        root.date(layout, "page", 1_500_000_000);
        assert_ne!(tag("/sitemap.xml"), before[1]);
        // URLs are absolute, and so another host has other documents.
        let there = site.get_with("/sitemap.xml", "Host: there.example\r\n").header("etag");
        assert_ne!(there.unwrap(), tag("/sitemap.xml"));
        // What a theme or the navigation changes is another page, too.
        let before = (tag("/page"), tag("/other"));
        root.put(layout, &Page::new("other").in_navigation("Other"));
        let known = format!("If-None-Match: {}\r\n", before.0);
        assert_eq!(site.get_with("/page", &known).status, 200, "{layout:?}");
        assert!(site.text("/page").contains(">Other</a>"), "{layout:?}");
    }
}

fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut all).unwrap();
    all
}

fn packed(site: &Site, path: &str) -> Answer {
    site.get_with(path, "Accept-Encoding: br, gzip\r\n")
}

#[test]
fn answers_come_compressed_to_those_who_take_it() {
    for layout in LAYOUTS {
        let root = root(layout);
        let site = root.serve(&[]);
        for path in
            ["/sitemap.xml", "/long", "/resourcesync/changelist.xml", "/builtin/theme/style.css"]
        {
            let (plain, packed) = (site.get(path), packed(&site, path));
            assert_eq!(plain.header("content-encoding"), None, "{path}");
            assert_eq!(packed.header("content-encoding").as_deref(), Some("gzip"), "{path}");
            assert_eq!(unpacked(&packed.body), plain.body, "{layout:?} {path}");
            for answer in [&plain, &packed] {
                let varies = answer.head.to_lowercase();
                let varies = varies.lines().filter(|line| line.starts_with("vary:"));
                assert!(varies.into_iter().any(|line| line.contains("accept-encoding")), "{path}");
            }
            // One strong validator is not for two different sequences of bytes (RFC 9110, section 8.8.1).
            if let (Some(one), Some(other)) = (plain.header("etag"), packed.header("etag")) {
                assert!(one != other || one.starts_with("W/"), "{path}: {one}");
            }
            let refused = site.get_with(path, "Accept-Encoding: gzip;q=0\r\n");
            assert_eq!(refused.header("content-encoding"), None, "{path}");
        }
    }
}

#[test]
fn each_answer_says_what_it_is() {
    for layout in LAYOUTS {
        let root = root(layout);
        let site = root.serve(&[]);
        for (path, kind) in [
            ("/robots.txt", "text/plain; charset=utf-8"),
            ("/sitemap.xml", "application/xml; charset=utf-8"),
            ("/sitemap_index.xml", "application/xml; charset=utf-8"),
            ("/feed.atom", "application/atom+xml; charset=utf-8"),
            ("/page", "text/html; charset=utf-8"),
            ("/missing", "text/html; charset=utf-8"),
            ("/picture.svg", "image/svg+xml"),
            ("/.well-known/resourcesync", "application/xml; charset=utf-8"),
            ("/builtin/theme/style.css", "text/css; charset=utf-8"),
        ] {
            let answer = site.get(path);
            assert_eq!(answer.header("content-type").as_deref(), Some(kind), "{layout:?} {path}");
            assert_eq!(answer.header("x-content-type-options").as_deref(), Some("nosniff"));
            assert!(answer.header("content-security-policy").is_some(), "{path}");
        }
    }
}

#[test]
fn what_can_only_be_read_says_so() {
    let root = root(Layout::Plain);
    let site = root.serve(&[]);
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        for path in ["/robots.txt", "/sitemap.xml", "/page", "/missing"] {
            let answer = site.request(method, path, "", "");
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.header("allow").as_deref(), Some("GET, HEAD"));
        }
    }
}

#[test]
fn caches_for_many_keep_only_what_is_said_for_a_known_host() {
    let root = root(Layout::Plain);
    let site = root.serve(&["--host", "known.example"]);
    for path in ["/robots.txt", "/sitemap.xml", "/page", "/missing", "/resourcesync/changelist.xml"]
    {
        for (host, kept) in [("known.example", "no-cache"), ("other.example", "private, no-cache")]
        {
            let answer = site.get_with(path, &format!("Host: {host}\r\n"));
            assert_eq!(answer.header("cache-control").as_deref(), Some(kept), "{path} {host}");
        }
    }
}
