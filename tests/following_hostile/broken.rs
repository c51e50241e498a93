//! Documents that are not what they should be.

use std::time::{Duration, Instant};

use crate::stage::{CAPABILITIES, CHANGES, DESCRIPTION, FEED, HTML, SITEMAP, Stage};
use crate::support::documents::{Item, gzip};
use crate::support::server::{Reply, Way};

const DTD: &str = "<!DOCTYPE urlset [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">\
    <!ENTITY file SYSTEM \"file:///etc/passwd\">]>";

/// Two items, the newer one first.
fn rss(base: &str, newer: bool) -> String {
    let item = |name: &str, day: u32| {
        format!(
            "<item><title>{name}</title><link>{base}{name}</link><guid>{name}</guid>\
             <pubDate>{day} Nov 2025 00:00:00 GMT</pubDate></item>"
        )
    };
    let newer = if newer { item("two", 7) } else { String::new() };
    format!(
        "<rss version=\"2.0\"><channel><title>News</title><link>{base}</link>\
         <description>d</description>{newer}{}</channel></rss>",
        item("one", 6)
    )
}

/// A site of each kind, followed: its document, and what that is when there is something new.
fn sites() -> Vec<(Stage, &'static str, String)> {
    let garden = Stage::empty();
    garden.put_source(true);
    garden.put_changes(&[garden.change("a", "created", "2026-01-02T00:00:00Z")]);
    garden.follow(&[]).exits(0);
    let more = garden.change_list(&[
        garden.change("a", "created", "2026-01-02T00:00:00Z"),
        garden.change("b", "created", "2026-01-03T00:00:00Z"),
    ]);
    let sitemap = Stage::with_sitemap(&["/a"]);
    let pages = sitemap.sitemap(&["/a", "/b"]);
    let feed = Stage::empty();
    feed.text(FEED, rss(&feed.url("/"), false));
    feed.follow_at(FEED, &[]).exits(0);
    let items = rss(&feed.url("/"), true);
    vec![(garden, CHANGES, more), (sitemap, SITEMAP, pages), (feed, FEED, items)]
}

#[test]
fn html_instead_of_a_document_is_an_error_and_no_change() {
    for (stage, path, good) in sites() {
        for reply in [
            Reply::ok(HTML),
            Reply::ok(HTML).with("Content-Type", "text/html"),
            Reply::ok(HTML).with("Content-Type", "application/xml"),
            Reply::ok("<html><body>ok</body></html>"),
            Reply::ok("{\"error\": \"nothing\"}"),
            Reply::ok("\0\u{1}\u{2}"),
            Reply::ok(""),
        ] {
            stage.server.put(path, reply);
            stage.fails(&[path]);
        }
        stage.text(path, good);
        stage.brings(1);
    }
}

#[test]
fn html_instead_of_what_leads_to_a_source_is_nothing_to_follow() {
    for path in [DESCRIPTION, CAPABILITIES] {
        let stage = Stage::garden(&[]);
        stage.text(path, HTML);
        let answer = stage.follow(&[]);
        stage.is_not_followed(&answer, &[path]);
    }
    let stage = Stage::empty();
    stage.text(SITEMAP, HTML);
    let answer = stage.follow(&[]);
    stage.is_not_followed(&answer, &[SITEMAP]);
    // Of a Change List it is known only when it is read: the site says what is wrong with it.
    let stage = Stage::garden(&[]);
    stage.text(CHANGES, HTML);
    stage.follow(&[]).exits(1);
    stage.is_failing(&[CHANGES]);
    stage.put_changes(&[stage.change("a", "created", "2026-01-02T00:00:00Z")]);
    stage.brings(1);
}

/// A document of which only a part came says nothing: not what is in that part, and not that the rest
/// is gone.
#[test]
fn a_part_of_a_document_is_not_the_document() {
    for (stage, path, good) in sites() {
        if path == FEED {
            continue;
        }
        let length = good.len();
        for cut in [1, 40, length / 2, length * 3 / 4, length - 12, length - 2] {
            let part = good.as_bytes()[..cut].to_vec();
            for reply in [
                Reply::ok(part.clone()),
                Reply::ok(good.clone()).by(Way::Cut(cut)),
                Reply::ok(good.clone()).by(Way::ChunkedCut(cut)),
            ] {
                stage.server.put(path, reply);
                stage.fails(&[path]);
            }
        }
        stage.text(path, good);
        stage.brings(1);
    }
}

/// A feed is read as far as it goes, as all readers do; but of half an entry nothing is said.
#[test]
fn a_part_of_a_feed_has_no_half_entries() {
    let (stage, path, good) = sites().pop().unwrap();
    for cut in (1..good.len()).step_by(9) {
        stage.text(path, &good[..cut]);
        stage.poll();
    }
    for cut in [good.len() / 2, good.len() - 2] {
        stage.server.put(path, Reply::ok(good.clone()).by(Way::Cut(cut)));
        stage.poll().exits(1);
    }
    stage.text(path, good);
    stage.poll().exits(0);
    let told = stage.rows("SELECT title || ' ' || uri || ' ' || time_text FROM changes ORDER BY 1");
    let told: Vec<String> = told.iter().map(|one| one.replace(&stage.url("/"), "/")).collect();
    assert_eq!(told, ["one /one 2025-11-06T00:00:00Z", "two /two 2025-11-07T00:00:00Z"]);
}

#[test]
fn a_part_of_a_compressed_document_is_not_the_document_either() {
    for (stage, path, good) in sites() {
        let packed = gzip(good.as_bytes());
        for cut in [11, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
            let part = packed[..cut].to_vec();
            stage.server.put(path, Reply::ok(part).with("Content-Encoding", "gzip"));
            stage.fails(&[path]);
        }
        stage.server.put(path, Reply::ok(packed).with("Content-Encoding", "gzip"));
        stage.brings(1);
    }
}

#[test]
fn entities_are_refused_in_every_document() {
    for (stage, path, good) in sites() {
        for body in [
            good.replacen("<urlset", &format!("{DTD}<urlset"), 1).replacen("/b<", "/&b;<", 1),
            good.replacen("<rss", &format!("{DTD}<rss"), 1).replacen(">two<", ">&file;<", 1),
        ] {
            if body == good {
                continue;
            }
            let body = if body.starts_with("<?xml") || path == FEED {
                body
            } else {
                format!("{DTD}{body}")
            };
            stage.text(path, body);
            stage.fails(&[path]);
        }
        stage.text(path, good);
        stage.brings(1);
    }
    // And in what leads to them, and in what describes them.
    let stage = Stage::garden(&[]);
    let list = stage.capabilities(true, CHANGES);
    let list = list.replacen(
        "<rs:md",
        &format!("<rs:ln rel=\"describedby\" href=\"{}\"/><rs:md", stage.url("/about.xml")),
        1,
    );
    stage.text(CAPABILITIES, list);
    stage.text(
        "/about.xml",
        "<!DOCTYPE m [<!ENTITY file SYSTEM \"file:///etc/passwd\">]>\
         <m xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>x &file;</dc:title></m>",
    );
    stage.follow(&[]).exits(0);
    assert!(!stage.follower.site().to_string().contains("root:"));
    for path in [DESCRIPTION, CAPABILITIES] {
        let stage = Stage::garden(&[]);
        let body = stage.capabilities(true, CHANGES);
        stage.text(path, body.replacen("<urlset", &format!("{DTD}<urlset"), 1));
        let answer = stage.follow(&[]);
        stage.is_not_followed(&answer, &[path]);
    }
}

/// Kilobytes that become megabytes.
#[test]
fn a_compressed_bomb_is_not_unpacked() {
    let begin = b"<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">";
    let blanks = gzip(&vec![b' '; 1 << 20]).repeat(40);
    let bomb = [gzip(begin), blanks].concat();
    let begun = Instant::now();
    for (stage, path, good) in sites() {
        stage.server.put(path, Reply::ok(bomb.clone()).with("Content-Encoding", "gzip"));
        stage.fails(&[path]);
        stage.text(path, good);
        stage.brings(1);
    }
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
}

/// What is said to be one thing and is another.
#[test]
fn a_document_of_another_kind_is_no_change_list_and_no_sitemap() {
    let stage = Stage::followed(&[]);
    let a = Item::new(stage.url("/garden/a")).change("created").at("2026-01-02T00:00:00Z");
    for capability in ["resourcelist", "capabilitylist", "description", "changedump", "nonsense"] {
        let head = format!("<rs:md capability=\"{capability}\" at=\"2026-01-01T00:00:00Z\"/>");
        stage.text(CHANGES, crate::support::documents::document(&head, std::slice::from_ref(&a)));
        stage.fails(&[CHANGES, "not a Change List"]);
    }
    stage.put_changes(std::slice::from_ref(&a));
    stage.brings(1);
    let stage = Stage::with_sitemap(&["/a"]);
    stage.text(SITEMAP, crate::support::documents::change_list(&[a]));
    stage.fails(&[SITEMAP, "not a Sitemap"]);
}
