//! Publishes a set as its habits say: writes its documents to a server, and says what they cover.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tidings_document::{Algorithm, Moment, Precision};

use super::habits::{ChangeKind, Digests, Habits, Lastmod, Mirrors, Times};
use super::world::{Version, World};
use crate::support::documents::{self, Item, capability_list, document, index, unified_diff};
use crate::support::server::{Reply, Server};

mod changes;
mod dumps;

/// What one document covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Covers {
    /// The state at a time.
    State { at: i64, is_package: bool },
    /// Changes: those of the events from one number to another.
    Changes { from: i64, until: Option<i64>, is_package: bool, events: (usize, usize), url: String },
}

/// The documents of one set.
pub struct Publisher {
    pub set: usize,
    pub habits: Habits,
    list: Option<i64>,
    dump: Option<i64>,
    /// Closed Change Lists: from, until.
    closed: Vec<(i64, i64)>,
    open_from: i64,
    /// True if Change Lists are offered besides those in an archive.
    offers_lists: bool,
    packages: Vec<(i64, i64)>,
    /// Packages of Change Dumps that are in an archive.
    old_packages: Vec<(i64, i64)>,
    /// The times of the Resource Lists and Resource Dumps that are in archives.
    old_lists: Vec<i64>,
    old_dumps: Vec<i64>,
    /// The closed Change Lists, and since when the open one is, after each publication.
    past: Vec<(Vec<(i64, i64)>, i64)>,
    /// What the documents cover now.
    pub covers: Vec<Covers>,
    /// What packages without times cover, where lists that say more are offered.
    spare: Option<Covers>,
}

/// By how much a clock is ahead that is wrong.
const AHEAD: i64 = 3_000_000_000;

fn time(seconds: i64) -> String {
    Moment::from_unix(seconds, 0, Precision::Second).unwrap().to_string()
}

impl Publisher {
    pub fn new(set: usize, habits: Habits) -> Self {
        let open_from = World::beginning();
        Self {
            set,
            habits,
            list: None,
            dump: None,
            closed: Vec::new(),
            open_from,
            offers_lists: false,
            packages: Vec::new(),
            old_packages: Vec::new(),
            old_lists: Vec::new(),
            old_dumps: Vec::new(),
            past: Vec::new(),
            covers: Vec::new(),
            spare: None,
        }
    }

    /// What the documents cover, and the packages that are of use only where no list can be read.
    pub fn documents(&self) -> (&[Covers], Option<&Covers>) {
        (&self.covers, self.spare.as_ref())
    }

    /// Forgets all that was published: every document is written again.
    pub fn start_again(&mut self) {
        *self = Self::new(self.set, self.habits.clone());
    }

    /// Goes on from the Change Lists of an earlier tick. All else is written again.
    pub fn restore(&mut self, tick: u64, server: &Server) {
        let is_rotated = self.habits.changes.as_ref().is_some_and(|changes| !changes.kind.is_one());
        let past = self.past.get(tick as usize).filter(|_| is_rotated).cloned();
        for from in self.closed.iter().map(|one| one.0).chain([self.open_from]) {
            if past.as_ref().is_some_and(|(_, open_from)| from > *open_from) {
                server.remove(&format!("/{}/changes-{from}.xml", self.set));
            }
        }
        self.start_again();
        if let Some((closed, open_from)) = past {
            (self.closed, self.open_from) = (closed, open_from);
        }
    }

    /// A time as the publisher's clock has it.
    fn time(&self, seconds: i64) -> String {
        time(seconds + if self.habits.is_clock_ahead { AHEAD } else { 0 })
    }

    pub fn capability_list(&self) -> String {
        format!("/{}/capabilitylist.xml", self.set)
    }

    /// Publishes the set as it is at the end of the current tick.
    pub fn publish(&mut self, world: &World, server: &Server) {
        self.covers.clear();
        self.spare = None;
        let mut offers: Vec<(&str, String)> = Vec::new();
        self.publish_list(world, server, &mut offers);
        self.publish_dump(world, server, &mut offers);
        self.publish_changes(world, server, &mut offers);
        self.publish_change_dump(world, server, &mut offers);
        self.put(server, "capabilitylist.xml", capability_list(&offers));
        self.past.push((self.closed.clone(), self.open_from));
    }

    fn url(&self, server: &Server, name: &str) -> String {
        server.url(&format!("/{}/{name}", self.set))
    }

    fn put(&self, server: &Server, name: &str, body: impl Into<Vec<u8>>) {
        let body = body.into();
        let etag = documents::md5(&body);
        let reply = Reply::ok(body);
        let reply = if self.habits.has_etags { reply.etag(&etag) } else { reply };
        server.put(&format!("/{}/{name}", self.set), reply);
    }

    fn publish_list(&mut self, world: &World, server: &Server, offers: &mut Vec<(&str, String)>) {
        let Some(habit) = self.habits.list.clone() else { return };
        if world.tick.is_multiple_of(habit.period) || self.list.is_none() {
            self.list = Some(world.now());
            self.write_list(world, server, habit.parts);
            if self.habits.archives.has_lists {
                self.old_lists.push(world.now());
                let head = format!(
                    "<rs:md capability=\"resourcelist\" at=\"{}\"/>",
                    self.time(world.now())
                );
                let state = world.state_at(self.set, world.now());
                let items = self.items(server, world.tick, state.iter());
                let name = format!("resourcelist-{}.xml", world.now());
                self.put(server, &name, document(&head, &items));
            }
        }
        if let Some(at) = self.list.filter(|_| !self.habits.archives.hides_list) {
            offers.push(("resourcelist", self.url(server, "resourcelist.xml")));
            self.covers.push(Covers::State { at, is_package: false });
        }
        self.offer_old_states(server, "resourcelist", offers);
    }

    /// Writes the archive of Resource Lists or Resource Dumps, if there is one.
    fn offer_old_states(
        &mut self,
        server: &Server,
        kind: &'static str,
        offers: &mut Vec<(&str, String)>,
    ) {
        let (archive, is_package) = match kind {
            "resourcelist" => ("resourcelist-archive", false),
            _ => ("resourcedump-archive", true),
        };
        let times = if is_package { &self.old_dumps } else { &self.old_lists };
        if times.is_empty() {
            return;
        }
        let items: Vec<Item> = times
            .iter()
            .map(|at| {
                let item = Item::new(self.url(server, &format!("{kind}-{at}.xml")));
                item.md("at", self.time(*at))
            })
            .collect();
        let covers: Vec<_> = times.iter().map(|at| Covers::State { at: *at, is_package }).collect();
        let head = format!("<rs:md capability=\"{archive}\"/>");
        let name = format!("{archive}.xml");
        self.put(server, &name, document(&head, &items));
        offers.push((archive, self.url(server, &name)));
        self.covers.extend(covers);
    }

    fn write_list(&self, world: &World, server: &Server, parts: u64) {
        let state = world.state_at(self.set, world.now());
        let at = self.time(world.now());
        let head = format!("<rs:md capability=\"resourcelist\" at=\"{at}\"/>");
        if parts == 1 {
            let items = self.items(server, world.tick, state.iter());
            self.put(server, "resourcelist.xml", document(&head, &items));
            return;
        }
        let mut named = Vec::new();
        for part in 0..parts {
            let own = state.iter().filter(|(resource, _)| *resource % parts == part);
            let items = self.items(server, world.tick, own);
            let name = format!("part-{part}.xml");
            self.put(server, &name, document(&head, &items));
            named.push(Item::new(self.url(server, &name)).lastmod(&at).md("at", &at));
        }
        self.put(server, "resourcelist.xml", index(&head, &named));
    }

    fn items<'s>(
        &self,
        server: &Server,
        tick: u64,
        resources: impl Iterator<Item = (&'s u64, &'s Version)>,
    ) -> Vec<Item> {
        resources
            .map(|(resource, version)| {
                let item = Item::new(server.url(&format!("/r/{resource}")));
                let item = match self.lastmod(version) {
                    Some(lastmod) => item.lastmod(&lastmod),
                    None => item,
                };
                self.describe(item, version, tick, server)
            })
            .collect()
    }

    fn lastmod(&self, version: &Version) -> Option<String> {
        const LONG_AGO: i64 = 1_000_000_000;
        match self.habits.lastmod {
            Lastmod::None => None,
            Lastmod::OfChange => Some(self.time(version.changed)),
            Lastmod::Day => Some("2099-06-01".to_owned()),
            // Later versions are not always of later times.
            Lastmod::Old => Some(time(LONG_AGO + ((version.number * 7_919) % 100_003) as i64)),
        }
    }

    /// Adds length, digests and mirrors.
    fn describe(&self, item: Item, version: &Version, tick: u64, server: &Server) -> Item {
        let bytes = version.content.as_bytes();
        let item = if self.habits.has_length { item.md("length", bytes.len()) } else { item };
        let digest = |algorithm: Algorithm| {
            let hex = documents::hex(&documents::digest(algorithm, bytes));
            format!("{}:{hex}", algorithm.name())
        };
        let hash = match self.habits.digests_at(tick) {
            Digests::None => return item,
            Digests::Unknown => format!("crc32:{}", &documents::md5(bytes)[..8]),
            Digests::Base64 => {
                let digest = documents::digest(Algorithm::Md5, bytes);
                format!("md5:{}", STANDARD.encode(digest))
            }
            Digests::Md5 => digest(Algorithm::Md5),
            Digests::Sha1 => digest(Algorithm::Sha1),
            Digests::Sha256 => digest(Algorithm::Sha256),
            Digests::Several => {
                format!("{} {}", digest(Algorithm::Md5), digest(Algorithm::Sha256))
            }
        };
        let item = item.md("hash", hash);
        match self.habits.mirrors {
            Mirrors::None => item,
            Mirrors::Wrong => item.link("duplicate", &server.url("/mirror"), "pri=\"1\""),
            Mirrors::Right => {
                let path = format!("/mirror/{}", version.number);
                server.put(&path, Reply::ok(version.content.clone()));
                item.link("duplicate", &server.url(&path), "pri=\"1\"")
            }
        }
    }

    /// The entry of a change. What it says never changes afterwards.
    fn change(&self, world: &World, number: usize, server: &Server) -> Item {
        let events = &world.events[self.set];
        let event = &events[number];
        let mut item = Item::new(server.url(&format!("/r/{}", event.resource)));
        let (times, at) = (self.habits.times, self.time(event.time));
        let own = event.version.as_ref().and_then(|version| self.lastmod(version));
        let lastmod = match times {
            Times::Lastmod | Times::Both => Some(at.clone()),
            Times::Day => Some(at[..10].to_owned()),
            Times::Datetime | Times::Neither => own,
        };
        if let Some(lastmod) = lastmod {
            item = item.lastmod(&lastmod);
        }
        item = item.change(event.kind);
        if matches!(times, Times::Datetime | Times::Both) {
            item = item.at(&at);
        }
        let tick = ((event.time - World::beginning()) / 3_600) as u64;
        let Some(version) = &event.version else { return item };
        let item = self.describe(item, version, tick, server);
        let mut before = events[..number].iter().rev();
        let before = before.find(|one| one.resource == event.resource);
        match before.and_then(|before| before.version.as_ref()).filter(|_| self.habits.has_patches)
        {
            Some(before) => {
                let path = format!("/patch/{}-{}", before.number, version.number);
                let patch = unified_diff(&before.content, &version.content);
                server.put(&path, Reply::ok(patch));
                let rel = "http://www.openarchives.org/rs/terms/patch";
                item.link(rel, &server.url(&path), "type=\"text/x-diff\"")
            }
            None => item,
        }
    }

    /// The time after which the Change List has all changes.
    pub fn changes_from(&self) -> i64 {
        match self.habits.changes.as_ref().map(|changes| changes.kind) {
            Some(ChangeKind::Since(tick)) => World::end_of(tick),
            _ => World::beginning(),
        }
    }
}
