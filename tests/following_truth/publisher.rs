//! A publisher: the pages of a site as its documents have them, with its habits.

use std::collections::BTreeMap;

use crate::random::Random;
use crate::support::documents::{Item, description, document, gzip, index};
use crate::support::server::{Reply, Server};

pub(crate) const DESCRIPTION: &str = "/.well-known/resourcesync";
pub(crate) const SITEMAP: &str = "/sitemap.xml";
pub(crate) const FEED: &str = "/news.xml";
const PARTS: [&str; 2] = ["/part-1.xml", "/part-2.xml"];
/// The sets of the Source; a page belongs to one by its folder.
pub(crate) const SETS: [&str; 2] = ["garden", "pond"];
/// How many entries a feed has at the most.
const FEED_ENTRIES: usize = 12;

/// What may be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    Feed,
    Sitemap,
    Source,
}

/// What happened to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Created,
    Updated,
    Deleted,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }
}

/// A real change.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) kind: Kind,
    /// In seconds.
    pub(crate) time: i64,
}

/// A page that is there.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) created: i64,
    pub(crate) changed: i64,
    pub(crate) version: u32,
}

/// What a Sitemap says of the times of its pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stamps {
    /// When they changed.
    Honest,
    /// That they changed just now, a second after the other.
    Now,
    /// That they changed when the Sitemap was written.
    Same,
    None,
}

/// How a time is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TimeForm {
    Utc,
    Millis,
    Offset,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum FeedForm {
    Atom,
    Rss,
    Json,
}

/// How the documents are written. None of this is a change of a page.
#[derive(Debug, Clone)]
pub(crate) struct Habits {
    pub(crate) means: Means,
    pub(crate) stamps: Stamps,
    pub(crate) time_form: TimeForm,
    pub(crate) has_parts: bool,
    pub(crate) is_shuffled: bool,
    pub(crate) is_packed: bool,
    pub(crate) has_tags: bool,
    pub(crate) names_twice: bool,
    pub(crate) feed_form: FeedForm,
    /// How often the ids of the feed became others.
    pub(crate) ids: u32,
    /// Which sets the Source names.
    pub(crate) sets: [bool; 2],
    /// Whether each set has a closed Change List, and one that goes on.
    pub(crate) is_rotated: bool,
    /// How many of the oldest changes its Change Lists have no more.
    pub(crate) forgotten: usize,
    pub(crate) repeats_changes: bool,
}

impl Habits {
    pub(crate) fn random(random: &mut Random) -> Self {
        Self {
            means: random.pick(&[Means::Feed, Means::Sitemap, Means::Source]),
            stamps: random.pick(&[
                Stamps::Honest,
                Stamps::Honest,
                Stamps::Now,
                Stamps::Same,
                Stamps::None,
            ]),
            time_form: random.pick(&[TimeForm::Utc, TimeForm::Millis, TimeForm::Offset]),
            has_parts: random.percent(30),
            is_shuffled: random.percent(30),
            is_packed: random.percent(30),
            has_tags: random.percent(50),
            names_twice: random.percent(20),
            feed_form: random.pick(&[FeedForm::Atom, FeedForm::Rss, FeedForm::Json]),
            ids: 0,
            sets: [true, random.percent(50)],
            is_rotated: random.percent(30),
            forgotten: 0,
            repeats_changes: random.percent(30),
        }
    }
}

/// The site.
pub(crate) struct Publisher {
    pub(crate) server: Server,
    pub(crate) pages: BTreeMap<String, Page>,
    /// All that ever happened, in order.
    pub(crate) changes: Vec<Change>,
    pub(crate) habits: Habits,
    /// Its clock, in seconds.
    pub(crate) clock: i64,
}

impl Publisher {
    pub(crate) fn text(&self, seconds: i64) -> String {
        let time = jiff::Timestamp::from_second(seconds).unwrap();
        match self.habits.time_form {
            TimeForm::Utc => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            TimeForm::Millis => time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
            TimeForm::Offset => {
                let local = time + jiff::SignedDuration::from_hours(2);
                local.strftime("%Y-%m-%dT%H:%M:%S+02:00").to_string()
            }
        }
    }

    fn put(&self, path: &str, body: String, is_packed: bool) {
        let tag = crate::support::documents::md5(body.as_bytes());
        let body = if is_packed { gzip(body.as_bytes()) } else { body.into_bytes() };
        let reply = Reply::ok(body);
        self.server.put(path, if self.habits.has_tags { reply.etag(&tag) } else { reply });
    }

    /// Publishes everything as it is now.
    pub(crate) fn publish(&self, random: &mut Random) {
        for path in self.server.paths() {
            self.server.remove(&path);
        }
        for (path, page) in &self.pages {
            // What surrounds the text is another thing each time.
            let html = format!(
                "<!doctype html><title>Page {path}</title><p data-at={}>Version {} of {path}.",
                self.clock, page.version
            );
            let reply = Reply::ok(html).with("Content-Type", "text/html");
            let tag = format!("{}-{}", page.version, self.clock);
            self.server.put(path, if self.habits.has_tags { reply.etag(&tag) } else { reply });
        }
        let home = "<!doctype html><title>Garden</title>\
            <link rel=alternate type=application/atom+xml href=/news.xml>";
        self.server.put("/", Reply::ok(home).with("Content-Type", "text/html"));
        self.put_feed(random);
        match self.habits.means {
            Means::Feed => {}
            Means::Sitemap => self.put_sitemap(random),
            Means::Source => self.put_source(random),
        }
    }

    fn put_sitemap(&self, random: &mut Random) {
        let mut items = Vec::new();
        for (number, (path, page)) in self.pages.iter().enumerate() {
            let item = Item::new(self.server.url(path));
            let time = match self.habits.stamps {
                Stamps::Honest => Some(page.changed),
                Stamps::Now => Some(self.clock + number as i64),
                Stamps::Same => Some(self.clock),
                Stamps::None => None,
            };
            let item = match time {
                Some(time) => item.lastmod(&self.text(time)),
                None => item,
            };
            if self.habits.names_twice && number % 3 == 0 {
                items.push(item.clone());
            }
            items.push(item);
        }
        if self.habits.is_shuffled {
            random.shuffle(&mut items);
        }
        let is_packed = self.habits.is_packed;
        if self.habits.has_parts {
            let (one, other) = items.split_at(items.len() / 2);
            self.put(PARTS[0], document("", one), is_packed);
            self.put(PARTS[1], document("", other), is_packed);
            let parts = PARTS.map(|part| Item::new(self.server.url(part)));
            self.put(SITEMAP, index("", &parts), is_packed);
        } else {
            self.put(SITEMAP, document("", &items), is_packed);
        }
    }

    fn put_source(&self, random: &mut Random) {
        let list = |set: &str| self.server.url(&format!("/{set}/list.xml"));
        let named: Vec<String> = SETS
            .iter()
            .zip(self.habits.sets)
            .filter(|(_, is_named)| *is_named)
            .map(|(set, _)| list(set))
            .collect();
        self.put(DESCRIPTION, description(&named), false);
        for set in SETS {
            let url = |name: &str| self.server.url(&format!("/{set}/{name}"));
            let head = format!(
                "<rs:ln rel=\"up\" href=\"{}\"/><rs:ln rel=\"describes\" href=\"{}\"/>\
                 <rs:md capability=\"capabilitylist\"/>",
                self.server.url(DESCRIPTION),
                url("")
            );
            let offer = Item::new(url("changes.xml")).md("capability", "changelist");
            self.put(&format!("/{set}/list.xml"), document(&head, &[offer]), false);
            self.put_change_lists(random, set);
        }
    }

    fn put_change_lists(&self, random: &mut Random, set: &str) {
        let folder = format!("/{set}/");
        let changes = self.changes.iter().skip(self.habits.forgotten);
        let of_set: Vec<&Change> =
            changes.filter(|change| change.path.starts_with(&folder)).collect();
        let item = |change: &&Change| {
            let item = Item::new(self.server.url(&change.path)).change(change.kind.word());
            item.at(&self.text(change.time))
        };
        let mut items: Vec<Item> = of_set.iter().map(item).collect();
        if self.habits.is_shuffled && items.len() > 2 {
            let last = items.len() - 2;
            random.shuffle(&mut items[last..]);
        }
        let begin = of_set.first().map_or(self.clock - 86_400, |change| change.time) - 60;
        let up = format!(
            "<rs:ln rel=\"up\" href=\"{}\"/>",
            self.server.url(&format!("/{set}/list.xml"))
        );
        let head = |from: i64, until: Option<i64>| {
            let until =
                until.map_or(String::new(), |until| format!(" until=\"{}\"", self.text(until)));
            format!("{up}<rs:md capability=\"changelist\" from=\"{}\"{until}/>", self.text(from))
        };
        let place = format!("/{set}/changes.xml");
        if !self.habits.is_rotated {
            self.put(&place, document(&head(begin, None), &items), self.habits.is_packed);
            return;
        }
        // One that is closed when half of it all had happened, and one that goes on.
        let half = of_set.len() / 2;
        let middle = of_set.get(half).map_or(self.clock, |change| change.time);
        let (old, mut new) = (items[..half].to_vec(), items[half..].to_vec());
        if self.habits.repeats_changes {
            new.splice(0..0, old.last().cloned());
        }
        let (closed, open) = (format!("/{set}/closed-{middle}.xml"), format!("/{set}/open.xml"));
        self.put(&closed, document(&head(begin, Some(middle)), &old), false);
        self.put(&open, document(&head(middle, None), &new), false);
        let parts = [
            Item::new(self.server.url(&closed))
                .md("capability", "changelist")
                .md("from", self.text(begin))
                .md("until", self.text(middle)),
            Item::new(self.server.url(&open))
                .md("capability", "changelist")
                .md("from", self.text(middle)),
        ];
        self.put(&place, index(&head(begin, None), &parts), false);
    }

    /// The newest pages of the feed, the newest first.
    pub(crate) fn in_feed(&self) -> Vec<(&String, &Page)> {
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_by_key(|(_, page)| std::cmp::Reverse(page.changed));
        pages.truncate(FEED_ENTRIES);
        pages
    }

    fn put_feed(&self, random: &mut Random) {
        let mut pages = self.in_feed();
        if self.habits.is_shuffled {
            random.shuffle(&mut pages);
        }
        let id = |path: &str| format!("urn:{}:{path}", self.habits.ids);
        let entries = pages.into_iter().map(|(path, page)| {
            let (id, link) = (id(path), self.server.url(path));
            let (published, updated) = (self.text(page.created), self.text(page.changed));
            match self.habits.feed_form {
                FeedForm::Atom => format!(
                    "<entry><title>Page {path}</title><id>{id}</id><link href=\"{link}\"/>\
                     <published>{published}</published><updated>{updated}</updated></entry>"
                ),
                FeedForm::Rss => {
                    let date = jiff::Timestamp::from_second(page.created).unwrap();
                    let date = jiff::fmt::rfc2822::to_string(&date.to_zoned(jiff::tz::TimeZone::UTC));
                    format!(
                        "<item><title>Page {path}</title><guid isPermaLink=\"false\">{id}</guid>\
                         <link>{link}</link><pubDate>{}</pubDate></item>",
                        date.unwrap()
                    )
                }
                FeedForm::Json => format!(
                    "{{\"id\":\"{id}\",\"url\":\"{link}\",\"title\":\"Page {path}\",\"content_text\":\"\",\
                     \"date_published\":\"{published}\",\"date_modified\":\"{updated}\"}}"
                ),
            }
        });
        let entries: Vec<String> = entries.collect();
        let feed = match self.habits.feed_form {
            FeedForm::Atom => format!(
                "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>News</title><id>urn:f</id>\
                 <updated>{}</updated>{}</feed>",
                self.text(self.clock),
                entries.concat()
            ),
            FeedForm::Rss => format!(
                "<rss version=\"2.0\"><channel><title>News</title>\
                 <link>{}</link><description>n</description>{}</channel></rss>",
                self.server.url("/"),
                entries.concat()
            ),
            FeedForm::Json => format!(
                "{{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"News\",\"items\":[{}]}}",
                entries.join(",")
            ),
        };
        self.put(FEED, feed, false);
    }
}
