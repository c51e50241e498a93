//! One history: what happens to a site, and what its follower tells of it.

use std::collections::BTreeMap;

use tidings_store::{Location, Retention, Store, Via};
use tidings_syndication::{Follower, FollowerOptions, Wishes};

use crate::publisher::{
    Change, DESCRIPTION, FEED, FeedForm, Habits, Kind, Means, Page, Publisher, SETS, SITEMAP,
    Stamps, TimeForm,
};
use crate::random::Random;
use crate::support::documents::document;
use crate::support::server::{Reply, Server, Way};

const STEPS: usize = 12;
/// A site never has more pages; of as many a follower knows the contents.
const MAX_PAGES: usize = 9;
const MIN_PAGES: usize = 3;
/// A poll for what was held because it looked like a mistake, one for what the first left, one for nothing.
const POLLS: usize = 3;

pub(crate) struct History {
    number: u64,
    random: Random,
    publisher: Publisher,
    follower: Follower,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
    site: (i64, String),
    /// How many changes the follower has recorded.
    recorded: usize,
    next_page: u32,
    /// Changes that the documents do not show by themselves: they may be told once.
    unseen: Vec<Change>,
    /// Changes of a set that the Source does not name now: they are told when it does again.
    hidden: Vec<Change>,
    log: Vec<String>,
}

/// A change that was told.
#[derive(Debug)]
struct Told {
    path: String,
    kind: Kind,
    title: Option<String>,
}

impl History {
    pub(crate) fn new(number: u64) -> Self {
        let mut random = Random::new(number);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = runtime.block_on(Store::open(&Location::Folder(folder.path().into()), None));
        let retention = Retention { max_age: None, max_changes: None };
        let options =
            FollowerOptions { allow_private: true, retention, ..FollowerOptions::default() };
        let follower = Follower::new(store.unwrap(), options).unwrap();
        let behind = random.pick(&[3 * 3600, 4 * 3600]);
        let publisher = Publisher {
            server: Server::start(),
            pages: BTreeMap::new(),
            changes: Vec::new(),
            habits: Habits::random(&mut random),
            clock: jiff::Timestamp::now().as_second() - behind,
        };
        let (unseen, hidden, log) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            number,
            random,
            publisher,
            follower,
            runtime,
            _folder: folder,
            site: (0, String::new()),
            recorded: 0,
            next_page: 0,
            unseen,
            hidden,
            log,
        }
    }

    /// Runs the history, and returns how many real changes were told.
    pub(crate) fn run(mut self) -> Result<usize, String> {
        for _ in 0..3 + self.random.below(4) {
            self.create(true);
            self.publisher.clock += 60;
        }
        self.publisher.publish(&mut self.random);
        self.follow()?;
        let habits = self.publisher.habits.clone();
        self.note(format!("followed: {habits:?}"));
        // What it tells of the past is not looked at.
        (0..2).for_each(|_| self.poll());
        let _ = self.told();
        if self.publisher.habits.means == Means::Source {
            // A set that is named for the first time tells its past.
            let past = self.publisher.changes.iter().filter(|change| !self.is_named(change));
            self.unseen = past.cloned().collect();
        }
        (0..STEPS).map(|step| self.step(step)).sum()
    }

    fn note(&mut self, text: String) {
        self.log.push(text);
    }

    fn wrong(&self, why: &str) -> String {
        format!("history {}: {why}\n{}", self.number, self.log.join("\n"))
    }

    fn follow(&mut self) -> Result<(), String> {
        let wishes = Wishes { titles: Some(0), ..Wishes::default() };
        let url = self.publisher.server.url("/");
        let followed = self.runtime.block_on(self.follower.follow(&url, &wishes, true));
        let followed = followed.map_err(|error| self.wrong(&error.to_string()))?;
        self.site = (followed.site.id, followed.site.key);
        self.is_followed_by(followed.site.via)
    }

    fn is_followed_by(&self, via: Via) -> Result<(), String> {
        let expected = match self.publisher.habits.means {
            Means::Feed => Via::Feed,
            Means::Sitemap => Via::Sitemap,
            Means::Source => Via::ResourceSync,
        };
        if via != expected {
            return Err(self.wrong(&format!("it is followed by {via:?}")));
        }
        Ok(())
    }

    fn poll(&mut self) {
        let polled = self.runtime.block_on(self.follower.poll("truth", &self.site.1)).unwrap();
        let reason = polled.site.reason.unwrap_or_default();
        let line = format!("    poll by {:?}: {:?} {reason}", polled.site.via, polled.site.state);
        self.note(line);
    }

    /// What was told since this was asked last.
    fn told(&mut self) -> Vec<Told> {
        let store = self.follower.store();
        let all = self.runtime.block_on(store.site_changes(self.site.0, 0, 10_000)).unwrap();
        let count = all.len() - self.recorded;
        self.recorded = all.len();
        let base = self.publisher.server.url("");
        let told = all.into_iter().take(count).map(|change| Told {
            path: change.change.uri.replace(&base, ""),
            kind: match change.change.kind {
                tidings_store::Kind::Created => Kind::Created,
                tidings_store::Kind::Updated => Kind::Updated,
                tidings_store::Kind::Deleted => Kind::Deleted,
            },
            title: change.change.title,
        });
        told.collect()
    }

    fn change(&mut self, path: String, kind: Kind) -> Change {
        let time = self.publisher.clock;
        let change = Change { path, kind, time };
        self.publisher.changes.push(change.clone());
        change
    }

    /// A page, which was there before or not.
    fn create(&mut self, is_new: bool) -> Change {
        let clock = self.publisher.clock;
        // Gone and there again between two polls is nothing that anybody could see.
        let changes = &self.publisher.changes;
        let now: Vec<&str> = changes
            .iter()
            .filter(|change| change.time == clock)
            .map(|change| change.path.as_str())
            .collect();
        let gone: Vec<String> = changes
            .iter()
            .filter(|change| !self.publisher.pages.contains_key(&change.path))
            .filter(|change| !now.contains(&change.path.as_str()))
            .map(|change| change.path.clone())
            .collect();
        // A feed has the same id for what is there again.
        let path = if !is_new && !gone.is_empty() && self.random.percent(20) {
            gone[self.random.below(gone.len())].clone()
        } else {
            let set = SETS[usize::from(self.random.percent(30))];
            self.next_page += 1;
            format!("/{set}/page-{}", self.next_page)
        };
        let page = Page { created: clock, changed: clock, version: self.next_page * 1_000 };
        self.publisher.pages.insert(path.clone(), page);
        self.change(path, Kind::Created)
    }

    fn update(&mut self) -> Option<Change> {
        let path = self.any_page()?;
        let clock = self.publisher.clock;
        let page = self.publisher.pages.get_mut(&path)?;
        page.version += 1;
        page.changed = clock;
        Some(self.change(path, Kind::Updated))
    }

    fn delete(&mut self) -> Option<Change> {
        let path = self.any_page()?;
        self.publisher.pages.remove(&path);
        Some(self.change(path, Kind::Deleted))
    }

    /// A page to which nothing has happened in this step.
    fn any_page(&mut self) -> Option<String> {
        let clock = self.publisher.clock;
        let old = self.publisher.pages.iter().filter(|(_, page)| page.changed < clock);
        let old: Vec<String> = old.map(|(path, _)| path.clone()).collect();
        (!old.is_empty()).then(|| old[self.random.below(old.len())].clone())
    }

    /// Whether the Source names the set of a page.
    fn is_named(&self, change: &Change) -> bool {
        let sets = SETS.iter().zip(self.publisher.habits.sets);
        sets.into_iter().any(|(set, is_named)| is_named && change.path[1..].starts_with(set))
    }

    /// Changes the habits in one way; says whether the ids of the feed are others.
    fn change_habits(&mut self) -> bool {
        let random = &mut self.random;
        let habits = &mut self.publisher.habits;
        match random.below(10) {
            0 => {
                habits.stamps =
                    random.pick(&[Stamps::Honest, Stamps::Now, Stamps::Same, Stamps::None])
            }
            1 => {
                habits.time_form = random.pick(&[TimeForm::Utc, TimeForm::Millis, TimeForm::Offset])
            }
            2 => habits.has_parts = !habits.has_parts,
            3 => habits.is_shuffled = !habits.is_shuffled,
            4 => habits.is_packed = !habits.is_packed,
            5 => habits.has_tags = !habits.has_tags,
            6 => habits.names_twice = !habits.names_twice,
            7 => habits.is_rotated = !habits.is_rotated,
            8 if habits.means == Means::Source => habits.sets[1] = !habits.sets[1],
            9 if habits.means == Means::Feed => {
                habits.ids += 1;
                return true;
            }
            _ => {}
        }
        false
    }

    fn step(&mut self, step: usize) -> Result<usize, String> {
        self.publisher.clock += 30 + self.random.below(600) as i64;
        let before = self.publisher.habits.clone();
        let switches = self.random.percent(12);
        let mut has_new_ids = false;
        if switches {
            let others: Vec<Means> = [Means::Feed, Means::Sitemap, Means::Source]
                .into_iter()
                .filter(|means| *means != before.means)
                .collect();
            self.publisher.habits.means = self.random.pick(&others);
            self.publisher.habits.sets = [true, true];
            self.publisher.habits.forgotten = 0;
            // What the means of before did not show may come up now, or never.
            let hidden = std::mem::take(&mut self.hidden);
            self.unseen.extend(hidden);
        } else if self.random.percent(40) {
            has_new_ids = self.change_habits();
        }
        let may_forget = before.means == Means::Source && !switches && self.hidden.is_empty();
        if may_forget && self.random.percent(15) {
            self.publisher.habits.forgotten = self.publisher.changes.len();
        }
        let mut changes = self.changes(switches);
        let habits = self.publisher.habits.clone();
        self.note(format!("step {step}: {changes:?}\n  {habits:?}"));
        // A set that is named again tells what was missed.
        let hidden = std::mem::take(&mut self.hidden);
        let (named, hidden): (Vec<_>, Vec<_>) =
            hidden.into_iter().partition(|change| self.is_named(change));
        self.hidden = hidden;
        changes.extend(named);
        let (required, others): (Vec<Change>, Vec<Change>) =
            changes.into_iter().partition(|change| switches || self.shows(change, &before));
        for change in others {
            if habits.means == Means::Source {
                self.hidden.push(change);
            } else {
                self.unseen.push(change);
            }
        }
        self.publisher.publish(&mut self.random);
        if !switches && self.random.percent(25) {
            self.break_something();
            self.poll();
            self.publisher.publish(&mut self.random);
        }
        (0..POLLS).for_each(|_| self.poll());
        let site = self.runtime.block_on(self.follower.store().site(&self.site.1)).unwrap();
        self.is_followed_by(site.unwrap().via)?;
        self.check(required, has_new_ids, switches)
    }

    /// Lets something happen to a few pages.
    fn changes(&mut self, switches: bool) -> Vec<Change> {
        let habits = &self.publisher.habits;
        // The first Sitemap is where its past ends.
        let tells_new = habits.means != Means::Sitemap;
        let mut changes = Vec::new();
        for _ in 0..self.random.below(4) {
            let count = self.publisher.pages.len();
            let kind = self.random.below(3);
            let change = match kind {
                0 if count < MAX_PAGES && (!switches || tells_new) => Some(self.create(switches)),
                1 if !switches => self.update(),
                2 if !switches && count > MIN_PAGES => self.delete(),
                _ => None,
            };
            changes.extend(change);
        }
        changes
    }

    /// Whether the documents show a change to somebody who reads them before and after it.
    fn shows(&self, change: &Change, before: &Habits) -> bool {
        let habits = &self.publisher.habits;
        let was_there =
            self.publisher.changes.iter().filter(|one| one.path == change.path).count() > 1;
        match habits.means {
            Means::Source => self.is_named(change),
            Means::Sitemap => {
                change.kind != Kind::Updated
                    || (habits.stamps != Stamps::None && before.stamps != Stamps::None)
            }
            Means::Feed => match change.kind {
                Kind::Created => !was_there,
                Kind::Updated => !matches!(habits.feed_form, FeedForm::Rss),
                Kind::Deleted => false,
            },
        }
    }

    /// One of the documents is not what it should be, for one poll.
    fn break_something(&mut self) {
        let server = &self.publisher.server;
        let documents: Vec<String> = server
            .paths()
            .into_iter()
            .filter(|path| path.ends_with(".xml") || path == DESCRIPTION)
            .filter(|path| (path == FEED) == (self.publisher.habits.means == Means::Feed))
            .collect();
        let path = documents[self.random.below(documents.len())].clone();
        let reply = server.reply(&path).unwrap();
        let half = reply.body.len() / 2;
        let html = "<!doctype html><title>Not found</title><p>Sorry";
        let html = Reply::ok(html).with("Content-Type", "text/html");
        let (name, reply) = match self.random.below(8) {
            0 => ("500", Reply::new(500, "")),
            1 => ("404", Reply::new(404, "")),
            2 => ("503", Reply::new(503, "").with("Retry-After", "1")),
            3 => ("cut", reply.by(Way::Cut(half))),
            4 => ("closed", reply.by(Way::Closed)),
            5 => ("html", html),
            6 if path == SITEMAP => ("no pages", Reply::ok(document("", &[]))),
            _ => ("nothing", Reply::ok("")),
        };
        server.put(&path, reply);
        self.note(format!("  {path} is broken: {name}"));
    }

    fn check(
        &mut self,
        mut required: Vec<Change>,
        has_new_ids: bool,
        switches: bool,
    ) -> Result<usize, String> {
        let count = required.len();
        let mut moves = 0;
        let all = self.told();
        self.note(format!("    told: {all:?}"));
        for told in all {
            if told.title.as_deref().is_some_and(|title| title.contains("new id")) {
                moves += 1;
                continue;
            }
            let is_it = |change: &Change| {
                change.path == told.path && (switches || change.kind == told.kind)
            };
            let is_like_it = |change: &Change| {
                change.path == told.path
                    && (change.kind == Kind::Deleted) == (told.kind == Kind::Deleted)
            };
            if let Some(at) = required.iter().position(is_it) {
                required.remove(at);
            } else if let Some(at) = self.unseen.iter().position(is_like_it) {
                self.unseen.remove(at);
            } else if let Some(at) = self.hidden.iter().position(is_it) {
                // Its Change List is still there.
                self.hidden.remove(at);
            } else if self.publisher.habits.means == Means::Feed
                && let Some(at) = required.iter().position(is_like_it)
            {
                required.remove(at);
            } else {
                let why = format!("{told:?} is told, and was told before or is not so");
                return Err(self.wrong(&why));
            }
        }
        if let Some(change) = required.first() {
            return Err(self.wrong(&format!("{change:?} is not told")));
        }
        if moves > usize::from(has_new_ids) {
            return Err(self.wrong(&format!("new ids are told {moves} times")));
        }
        Ok(count)
    }
}
