//! A site on a server that does what a test says, the follower of it, and what must hold of both.
#![allow(unreachable_pub, reason = "a part of a test")]

use std::time::Duration;

use rusqlite::Connection;
use serde_json::Value;

use crate::support::documents::{self, Item};
use crate::support::follower::{Follower, path_of};
use crate::support::server::{Reply, Server};
use crate::support::{stderr, stdout};

pub const DESCRIPTION: &str = "/.well-known/resourcesync";
pub const CAPABILITIES: &str = "/garden/capabilitylist.xml";
pub const CHANGES: &str = "/garden/changelist.xml";
pub const SITEMAP: &str = "/sitemap.xml";
pub const FEED: &str = "/news.xml";

pub const HTML: &str = "<!doctype html><html><head><title>Not found</title></head><body>\
    <p>Sorry & welcome back<br></body></html>";

/// A site, and who follows it.
pub struct Stage {
    pub server: Server,
    pub follower: Follower,
}

/// What a verb answered with.
pub struct Answer {
    pub code: Option<i32>,
    pub json: Value,
    pub errors: String,
}

impl Answer {
    /// The new changes of all sites that were polled.
    pub fn changes(&self) -> i64 {
        let polled = self.json["polled"].as_array().unwrap_or_else(|| panic!("{}", self.errors));
        polled.iter().map(|one| one["changes"].as_i64().unwrap()).sum()
    }
}

impl Stage {
    /// A server with nothing on it.
    pub fn empty() -> Self {
        Self::at("127.0.0.1:0")
    }

    pub fn at(address: &str) -> Self {
        Self { server: Server::at(address), follower: Follower::default() }
    }

    /// A Source of one collection, the garden, which says what it `describes`.
    pub fn garden(changes: &[Item]) -> Self {
        let stage = Self::empty();
        stage.put_source(true);
        stage.put_changes(changes);
        stage
    }

    /// The same, followed.
    #[track_caller]
    pub fn followed(changes: &[Item]) -> Self {
        let stage = Self::garden(changes);
        stage.follow(&[]).exits(0);
        stage
    }

    /// A site that has no more than a Sitemap, followed.
    #[track_caller]
    pub fn with_sitemap(pages: &[&str]) -> Self {
        let stage = Self::empty();
        stage.put_sitemap(pages);
        stage.follow(&[]).exits(0);
        stage
    }

    /// A site that has no more than a feed, followed.
    #[track_caller]
    pub fn with_feed(feed: &str) -> Self {
        let stage = Self::empty();
        stage.server.put(FEED, Reply::ok(feed));
        stage.follow_at(FEED, &[]).exits(0);
        stage
    }

    pub fn url(&self, path: &str) -> String {
        self.server.url(path)
    }

    pub fn text(&self, path: &str, body: impl Into<Vec<u8>>) {
        self.server.put(path, Reply::ok(body));
    }

    pub fn put_source(&self, describes: bool) {
        self.text(DESCRIPTION, documents::description(&[self.url(CAPABILITIES)]));
        self.text(CAPABILITIES, self.capabilities(describes, CHANGES));
    }

    /// A Capability List with that Change List.
    pub fn capabilities(&self, describes: bool, changes: &str) -> String {
        let mut head = format!("<rs:ln rel=\"up\" href=\"{}\"/>", self.url(DESCRIPTION));
        if describes {
            head += &format!("<rs:ln rel=\"describes\" href=\"{}\"/>", self.url("/garden/"));
        }
        head += "<rs:md capability=\"capabilitylist\"/>";
        let offer = Item::new(self.url(changes)).md("capability", "changelist");
        documents::document(&head, &[offer])
    }

    pub fn put_changes(&self, changes: &[Item]) {
        self.text(CHANGES, self.change_list(changes));
    }

    pub fn change_list(&self, changes: &[Item]) -> String {
        let up = format!("<rs:ln rel=\"up\" href=\"{}\"/>", self.url(CAPABILITIES));
        let head = up + "<rs:md capability=\"changelist\" from=\"2020-01-01T00:00:00Z\"/>";
        documents::document(&head, changes)
    }

    /// A change of a page of the garden.
    pub fn change(&self, page: &str, kind: &str, time: &str) -> Item {
        Item::new(self.url(&format!("/garden/{page}"))).change(kind).at(time)
    }

    pub fn put_sitemap(&self, pages: &[&str]) {
        self.text(SITEMAP, self.sitemap(pages));
    }

    pub fn sitemap(&self, pages: &[&str]) -> String {
        let pages: Vec<Item> = pages.iter().map(|page| Item::new(self.url(page))).collect();
        documents::document("", &pages)
    }

    /// Follows the site, without the titles of its pages unless they are asked for.
    pub fn follow(&self, options: &[&str]) -> Answer {
        self.follow_at("/", options)
    }

    pub fn follow_at(&self, path: &str, options: &[&str]) -> Answer {
        let titles: &[&str] = if options.contains(&"--titles") { &[] } else { &["--titles", "0"] };
        self.run(&[&["follow", &self.url(path)], titles, options].concat())
    }

    pub fn poll(&self) -> Answer {
        self.run(&["poll"])
    }

    pub fn run(&self, arguments: &[&str]) -> Answer {
        let output = self.follower.run(&[arguments, &["--json"]].concat());
        let errors = stderr(&output);
        assert!(!errors.contains("panicked"), "{errors}");
        let json = serde_json::from_str(&stdout(&output)).unwrap_or_default();
        Answer { code: output.status.code(), json, errors }
    }

    /// What was told so far, in its order: kind and page.
    pub fn told(&self) -> Vec<String> {
        self.rows("SELECT kind || ' ' || uri FROM changes ORDER BY collection_id, batch, position")
            .into_iter()
            .map(|row| row.replace(&self.url("/garden/"), "").replace(&self.url("/"), "/"))
            .collect()
    }

    /// What identifies the entries of the feeds.
    pub fn ids(&self) -> Vec<String> {
        self.rows("SELECT collection_id || '/' || sequence || '/' || key FROM batches ORDER BY 1")
    }

    pub fn rows(&self, query: &str) -> Vec<String> {
        let database = Connection::open(self.follower.data().join("tidings.db")).unwrap();
        let mut statement = database.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// From now on it is long ago that the site was looked at as a whole.
    pub fn a_day_passes(&self) {
        let database = Connection::open(self.follower.data().join("tidings.db")).unwrap();
        let sql = "UPDATE sites SET details = json_set(details, '$.looked_at', 0)";
        assert_eq!(database.execute(sql, []).unwrap(), 1);
        database.execute("UPDATE robots SET fetched_at = 0", []).unwrap();
    }

    /// The first collection.
    pub fn collection(&self) -> Value {
        self.follower.site()["collections"][0].clone()
    }

    /// A poll fails, and says why with all of these words; nothing is told, and nothing forgotten.
    #[track_caller]
    pub fn fails(&self, words: &[&str]) {
        let (ids, until) = (self.ids(), self.collection()["processed_until"].clone());
        let polled = self.poll();
        polled.exits(1);
        self.is_failing(words);
        assert_eq!(polled.changes(), 0);
        assert_eq!(self.ids(), ids, "no entry is made of an error");
        assert_eq!(self.collection()["processed_until"], until);
    }

    #[track_caller]
    pub fn is_failing(&self, words: &[&str]) {
        let site = self.follower.site();
        let reason = site["reason"].as_str().unwrap_or_else(|| panic!("{site:#}")).to_owned();
        assert_eq!(site["state"], "failing", "{reason}");
        for word in words {
            assert!(reason.contains(word), "{word:?} is not in: {reason}");
        }
        assert!(!reason.contains(|c: char| c.is_control() && c != '\n'), "{reason:?}");
    }

    /// A poll goes well and brings so many changes; another one brings none, and no other entries.
    #[track_caller]
    pub fn brings(&self, changes: i64) {
        let polled = self.poll();
        polled.exits(0);
        assert_eq!(
            polled.changes(),
            changes,
            "{:?}",
            self.told().iter().rev().take(9).collect::<Vec<_>>()
        );
        self.is_settled();
    }

    /// The site is well, and to poll it again adds nothing.
    #[track_caller]
    pub fn is_settled(&self) {
        assert_eq!(self.follower.site()["state"], "well");
        let ids = self.ids();
        for _ in 0..2 {
            let polled = self.poll();
            polled.exits(0);
            assert_eq!(polled.changes(), 0, "a repeated poll adds nothing");
        }
        assert_eq!(self.ids(), ids);
    }

    /// Nothing is followed: there was nothing to follow.
    #[track_caller]
    pub fn is_not_followed(&self, answer: &Answer, words: &[&str]) {
        answer.exits(2);
        for word in words {
            assert!(answer.errors.contains(word), "{word:?} is not in: {}", answer.errors);
        }
        assert!(self.follower.sites().is_empty());
    }

    /// The paths of the feed of the first collection: Atom, RSS, JSON Feed, and each change.
    pub fn feeds(&self) -> [String; 4] {
        let feeds = self.collection()["feeds"].clone();
        ["atom", "rss", "json", "changes"].map(|form| path_of(feeds[form].as_str().unwrap()))
    }
}

impl Answer {
    #[track_caller]
    pub fn exits(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{} {:#}", self.errors, self.json);
    }
}

/// Waits until something is so.
#[track_caller]
pub fn wait_until(what: &str, most: Duration, is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < most, "{what}: not within {most:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
