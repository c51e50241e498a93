//! Sitemaps that claim more than is so: times that are always now, deletions in mass, and pages that moved.

use std::cell::Cell;

use crate::stage::{FEED, SITEMAP, Stage};
use crate::support::documents::{Item, document};
use crate::support::server::Reply;

/// A site whose Sitemap says of each page, whenever it is written, that it changed just now.
struct Now {
    stage: Stage,
    pages: usize,
    begun: jiff::Timestamp,
    seconds: Cell<i64>,
}

impl Now {
    fn new(pages: usize) -> Self {
        let (begun, seconds) = (jiff::Timestamp::now(), Cell::new(-100_000_000));
        let site = Self { stage: Stage::empty(), pages, begun, seconds };
        for number in 0..pages {
            site.put(number, "as it was");
        }
        site
    }

    fn put(&self, number: usize, text: &str) {
        // Another tag and other markup each time: what a person reads is the same.
        let tag = format!("{}", self.seconds.get());
        let page =
            format!("<!doctype html><title>P{number}</title><p id=x{tag}>Page {number}, {text}");
        let reply = Reply::ok(page).with("Content-Type", "text/html").etag(&tag);
        self.stage.server.put(&format!("/p{number}"), reply);
    }

    /// Writes the Sitemap again, with the times of so many pages spread over seconds.
    fn stamp(&self, from: usize) {
        self.seconds.set(self.seconds.get() + 5_000);
        let items = (0..self.pages).map(|number| {
            let is_new = number >= from;
            let seconds = if is_new { self.seconds.get() + number as i64 } else { -200_000_000 };
            let time = self.begun + jiff::SignedDuration::from_secs(seconds);
            let time = time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            Item::new(self.stage.url(&format!("/p{number}"))).lastmod(&time)
        });
        self.stage.text(SITEMAP, document("", &items.collect::<Vec<_>>()));
    }
}

fn reason(stage: &Stage) -> String {
    stage.follower.site()["reason"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_lastmod_that_is_always_now_creates_no_entry() {
    for pages in [1, 2, 7, 40] {
        let site = Now::new(pages);
        site.stamp(0);
        site.stage.follow(&[]).exits(0);
        let told = site.stage.told().len();
        for _ in 0..3 {
            site.stamp(0);
            site.stage.server.forget_log();
            let polled = site.stage.poll();
            polled.exits(0);
            assert_eq!(polled.changes(), 0, "{pages} pages");
            assert!(reason(&site.stage).contains("are not believed"), "{}", reason(&site.stage));
            let fetched = site.stage.server.log();
            let fetched = fetched.iter().filter(|request| request.path.starts_with("/p")).count();
            assert!((1..=10).contains(&fetched), "{fetched} of {pages} pages were fetched");
        }
        assert_eq!(site.stage.told().len(), told);
    }
}

#[test]
fn a_site_that_was_caught_is_not_believed_with_fewer_claims_either() {
    let site = Now::new(5);
    site.stamp(0);
    site.stage.follow(&[]).exits(0);
    for from in [0, 3, 4] {
        site.stamp(from);
        assert_eq!(site.stage.poll().changes(), 0, "from {from}");
    }
}

#[test]
fn pages_that_all_changed_just_now_are_not_the_past_of_a_site() {
    let stage = Stage::empty();
    let times = ["-1", "0", "1"].map(|seconds| {
        let now =
            jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds.parse().unwrap());
        now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    });
    let items = times.iter().map(|time| Item::new(stage.url(&format!("/p{time}"))).lastmod(time));
    stage.text(SITEMAP, document("", &items.collect::<Vec<_>>()));
    stage.follow(&[]).exits(0);
    assert!(stage.told().is_empty(), "{:?}", stage.told());
}

#[test]
fn a_page_of_the_sample_that_did_change_is_told_even_if_lastmod_is_not_believed() {
    let site = Now::new(5);
    site.stamp(0);
    site.stage.follow(&[]).exits(0);
    site.stamp(0);
    site.put(3, "and more");
    let polled = site.stage.poll();
    assert_eq!(polled.changes(), 1);
    assert_eq!(site.stage.told().last().unwrap(), "updated /p3");
}

#[test]
fn a_lastmod_becomes_believable_again() {
    let site = Now::new(6);
    site.stamp(0);
    site.stage.follow(&[]).exits(0);
    site.stamp(0);
    assert_eq!(site.stage.poll().changes(), 0);
    assert!(reason(&site.stage).contains("are not believed"));
    // All pages did change.
    for number in 0..6 {
        site.put(number, "in a new dress");
    }
    site.stamp(0);
    assert_eq!(site.stage.poll().changes(), 6);
    assert_eq!(reason(&site.stage), "");
    // A few have new times of their own.
    site.stamp(0);
    assert_eq!(site.stage.poll().changes(), 0);
    site.stamp(6);
    assert_eq!(site.stage.poll().changes(), 0);
    site.put(5, "in another dress");
    site.stamp(5);
    assert_eq!(site.stage.poll().changes(), 1);
    assert_eq!(reason(&site.stage), "");
    // From then on one claim is enough.
    site.stamp(6);
    assert_eq!(site.stage.poll().changes(), 1);
}

#[test]
fn the_content_of_a_page_that_changed_as_it_should_is_compared_with_what_it_became() {
    let site = Now::new(4);
    site.stamp(0);
    site.stage.follow(&[]).exits(0);
    site.stamp(4);
    site.stage.poll();
    let before = site.stage.told().len();
    for number in 3..4 {
        site.put(number, "and more");
    }
    site.stamp(3);
    assert_eq!(site.stage.poll().changes(), 1);
    // Nothing is different from that.
    site.stamp(0);
    assert_eq!(site.stage.poll().changes(), 0);
    assert_eq!(site.stage.told().len(), before + 1);
}

#[test]
fn mass_deletions_of_small_sites_are_held_until_they_are_so_again() {
    let stage = Stage::with_sitemap(&["/a", "/b", "/c", "/d", "/e"]);
    stage.put_sitemap(&["/a", "/b", "/c"]);
    let polled = stage.poll();
    polled.exits(0);
    assert_eq!(polled.changes(), 0);
    assert!(reason(&stage).contains("2 of 5 pages are gone"), "{}", reason(&stage));
    stage.put_sitemap(&["/a", "/b", "/c", "/d", "/e"]);
    stage.brings(0);
    stage.put_sitemap(&["/a", "/b", "/c"]);
    assert_eq!(stage.poll().changes(), 0);
    stage.brings(2);
    // One page of a few is no mass.
    stage.put_sitemap(&["/a", "/b"]);
    stage.brings(1);
}

fn put_pages(stage: &Stage, origin: &str, pages: &[&str]) {
    let items: Vec<Item> = pages.iter().map(|page| Item::new(format!("{origin}{page}"))).collect();
    stage.text(SITEMAP, document("", &items));
}

/// The titles of all that was told.
fn titles(stage: &Stage) -> Vec<String> {
    stage.rows("SELECT coalesce(title, kind || ' ' || uri) FROM changes ORDER BY batch, position")
}

#[test]
fn a_site_that_moves_to_https_or_another_host_is_one_entry() {
    let stage = Stage::empty();
    let pages = ["/", "/a", "/b", "/c/", "/d"];
    let names =
        ["http://a.example", "https://a.example", "https://www.a.example", "https://b.example"];
    put_pages(&stage, names[0], &pages);
    stage.follow(&[]).exits(0);
    let feeds = stage.feeds();
    for (number, pair) in names.windows(2).enumerate() {
        put_pages(&stage, pair[1], &pages);
        stage.brings(1);
        let expected = format!("5 pages moved from {}/ to {}/", pair[0], pair[1]);
        assert_eq!(titles(&stage)[number], expected);
        assert_eq!(stage.ids().len(), number + 1, "one entry");
    }
    // What is really new or gone beside it is told, too.
    put_pages(&stage, "https://c.example", &["/", "/a", "/b", "/c/", "/new"]);
    stage.brings(3);
    assert_eq!(stage.feeds(), feeds);
}

#[test]
fn a_trailing_slash_is_a_move_and_its_page_is_named() {
    let stage = Stage::with_sitemap(&["/a", "/b", "/c"]);
    stage.put_sitemap(&["/a/", "/b", "/c"]);
    stage.brings(1);
    let (old, new) = (stage.url("/a"), stage.url("/a/"));
    assert_eq!(titles(&stage), [format!("1 page moved from {old} to {new}")]);
    assert_eq!(stage.told(), ["updated /a/"]);
    stage.put_sitemap(&["/a/", "/b/index.html", "/c/"]);
    stage.brings(1);
    assert_eq!(titles(&stage)[1], "2 pages moved to new addresses");
}

/// A feed with entries of these ids, links and titles.
fn put_feed(stage: &Stage, entries: &[(&str, &str, &str)]) {
    let entries: String = entries
        .iter()
        .map(|(id, link, title)| {
            let day = title.len() % 28 + 1;
            format!(
                "<entry><id>{id}</id><link href=\"{link}\"/><title>{title}</title>\
                 <published>2026-02-{day:02}T10:00:00Z</published>\
                 <updated>2026-02-{day:02}T10:00:00Z</updated></entry>"
            )
        })
        .collect();
    let head = "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>N</title><id>urn:n</id>\
        <updated>2026-01-02T00:00:00Z</updated>";
    stage.text(FEED, format!("{head}{entries}</feed>"));
}

#[test]
fn entries_with_changed_ids_are_one_entry() {
    let stage = Stage::empty();
    let link = |name: &str| format!("http://a.example/?p={name}");
    let [a, b] = [link("1"), link("2")];
    put_feed(&stage, &[(&a, &a, "Fog"), (&b, &b, "The harbour")]);
    stage.follow_at(FEED, &[]).exits(0);
    assert_eq!(stage.told().len(), 2);
    // Other ids.
    put_feed(&stage, &[("urn:1", &a, "Fog"), ("urn:2", &b, "The harbour")]);
    stage.brings(1);
    assert_eq!(titles(&stage)[2], "2 entries have new ids");
    // Other ids and links, and a new one.
    let [c, d] = ["https://a.example/fog", "https://a.example/harbour"];
    put_feed(&stage, &[(c, c, "Fog"), (d, d, "The harbour"), ("urn:3", c, "Sunshine")]);
    stage.brings(2);
    assert!(titles(&stage)[3..].contains(&"Sunshine".to_owned()), "{:?}", titles(&stage));
    let moved = "2 entries moved from http://a.example/ to https://a.example/";
    assert!(titles(&stage)[3..].contains(&moved.to_owned()), "{:?}", titles(&stage));
    // An entry beside one of the same title and time is another one.
    put_feed(&stage, &[(c, c, "Fog"), (d, d, "The harbour"), ("urn:4", c, "Fog")]);
    stage.brings(1);
    assert_eq!(titles(&stage).last().unwrap(), "Fog");
}

#[test]
fn the_collections_of_a_split_site_go_on_where_the_site_moved() {
    let stage = Stage::empty();
    let pages = ["/x/1", "/x/2", "/y/1"];
    let [old, new] = [stage.url(""), stage.url("").replace("127.0.0.1", "localhost")];
    put_pages(&stage, &old, &pages);
    stage.follow(&["--split"]).exits(0);
    put_pages(&stage, &old, &["/x/1", "/x/2", "/y/1", "/x/3", "/y/2"]);
    stage.brings(2);
    let keys = || stage.rows("SELECT key FROM collections WHERE changes > 0 ORDER BY id");
    let before = keys();
    put_pages(&stage, &new, &["/x/1", "/x/2", "/y/1", "/x/3", "/y/2"]);
    stage.brings(1);
    put_pages(&stage, &new, &["/x/1", "/x/2", "/y/1", "/x/3", "/y/2", "/x/4"]);
    stage.brings(1);
    assert_eq!(keys()[..2], before[..]);
    assert_eq!(stage.rows("SELECT uri FROM changes WHERE uri LIKE '%/x/4'").len(), 1);
    assert_eq!(keys().len(), 3, "that of the whole site told of the move");
}
