//! Publishes a set as its habits say: writes its documents to a server, and says what they cover.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tidings_document::{Algorithm, Moment, Precision};

use super::habits::{ChangeKind, Digests, Habits, Lastmod, Times};
use super::world::{Event, State, Version, World};
use crate::support::documents::{self, Item, capability_list, document, index};
use crate::support::server::{Reply, Server};
use crate::support::zip::{Member, member, zip};

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
    packages: Vec<(i64, i64)>,
    /// What the documents cover now.
    pub covers: Vec<Covers>,
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
            packages: Vec::new(),
            covers: Vec::new(),
        }
    }

    /// Forgets all that was published: every document is written again.
    pub fn start_again(&mut self) {
        *self = Self::new(self.set, self.habits.clone());
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
        let mut offers: Vec<(&str, String)> = Vec::new();
        self.publish_list(world, server, &mut offers);
        self.publish_dump(world, server, &mut offers);
        self.publish_changes(world, server, &mut offers);
        self.publish_change_dump(world, server, &mut offers);
        self.put(server, "capabilitylist.xml", capability_list(&offers));
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
        }
        if let Some(at) = self.list {
            offers.push(("resourcelist", self.url(server, "resourcelist.xml")));
            self.covers.push(Covers::State { at, is_package: false });
        }
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
        match self.habits.has_mirrors {
            true => item.link("duplicate", &server.url("/mirror"), "pri=\"1\""),
            false => item,
        }
    }

    /// The entry of a change. What it says never changes afterwards.
    fn change(&self, event: &Event, server: &Server) -> Item {
        let mut item = Item::new(server.url(&format!("/r/{}", event.resource)));
        let (times, at) = (self.habits.times, self.time(event.time));
        let own = event.version.as_ref().and_then(|version| self.lastmod(version));
        let lastmod = match times {
            Times::Lastmod | Times::Both => Some(at.clone()),
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
        match &event.version {
            Some(version) => self.describe(item, version, tick, server),
            None => item,
        }
    }

    fn events_between(&self, world: &World, from: i64, until: i64) -> (usize, usize) {
        let events = &world.events[self.set];
        let place = |time: i64| events.partition_point(|event| event.time <= time);
        (place(from), place(until))
    }

    /// Writes a Change List, and says what it covers.
    fn write_changes(
        &mut self,
        world: &World,
        server: &Server,
        name: &str,
        from: i64,
        until: Option<i64>,
    ) {
        let events = self.events_between(world, from, until.unwrap_or(world.now()));
        let items: Vec<Item> = world.events[self.set][events.0..events.1]
            .iter()
            .map(|event| self.change(event, server))
            .collect();
        let ends = until.map(|until| self.time(until));
        let list = documents::change_list_of(&self.time(from), ends.as_deref(), &items);
        self.put(server, name, list);
        let url = self.url(server, name);
        self.covers.push(Covers::Changes { from, until, is_package: false, events, url });
    }

    fn publish_changes(
        &mut self,
        world: &World,
        server: &Server,
        offers: &mut Vec<(&str, String)>,
    ) {
        let Some(habit) = self.habits.changes.clone() else { return };
        let now = world.now();
        // (name, from, until)
        let mut lists: Vec<(String, i64, Option<i64>)> = Vec::new();
        match habit.kind {
            ChangeKind::Open => {
                lists.push(("changelist.xml".to_owned(), World::beginning(), None));
            }
            ChangeKind::Window(ticks) => {
                let from = (now - ticks as i64 * 3_600).max(World::beginning());
                lists.push(("changelist.xml".to_owned(), from, None));
            }
            ChangeKind::Rotating(period) | ChangeKind::Closed(period) => {
                if (world.tick + 1).is_multiple_of(period) {
                    self.closed.push((self.open_from, now));
                    self.open_from = now;
                }
                for (from, until) in &self.closed {
                    lists.push((format!("changes-{from}.xml"), *from, Some(*until)));
                }
                if matches!(habit.kind, ChangeKind::Rotating(_)) {
                    lists.push((format!("changes-{}.xml", self.open_from), self.open_from, None));
                }
            }
        }
        let oldest = now - habit.keeps as i64 * 3_600;
        let is_kept = |until: &Option<i64>| until.is_none_or(|until| until > oldest);
        let archived: Vec<_> = lists.iter().filter(|one| !is_kept(&one.2)).cloned().collect();
        lists.retain(|one| is_kept(&one.2));
        for (name, ..) in archived.iter().filter(|_| !habit.has_archive) {
            server.remove(&format!("/{}/{name}", self.set));
        }
        self.offer_changes(world, server, &lists, habit.index, offers);
        if habit.has_archive && !archived.is_empty() {
            let items: Vec<Item> = archived
                .iter()
                .map(|(name, from, until)| {
                    let item = Item::new(self.url(server, name)).md("from", self.time(*from));
                    item.md("until", self.time(until.unwrap_or_default()))
                })
                .collect();
            let head = "<rs:md capability=\"changelist-archive\"/>";
            self.put(server, "archive.xml", document(head, &items));
            offers.push(("changelist-archive", self.url(server, "archive.xml")));
            for (name, from, until) in archived {
                self.write_changes(world, server, &name, from, until);
            }
        }
    }

    /// Writes Change Lists, and an index of them if that is the habit. Without one, the Capability List
    /// has the newest only; the one before it is still where it was.
    fn offer_changes(
        &mut self,
        world: &World,
        server: &Server,
        lists: &[(String, i64, Option<i64>)],
        index_says: Option<bool>,
        offers: &mut Vec<(&str, String)>,
    ) {
        let Some(last) = lists.last() else { return };
        let is_offered = |one: &(String, i64, Option<i64>)| index_says.is_some() || one.0 == last.0;
        for (name, from, until) in lists {
            let before = self.covers.len();
            self.write_changes(world, server, name, *from, *until);
            if !is_offered(&(name.clone(), *from, *until)) {
                // It can be read by who knows it, and nobody else.
                self.covers.truncate(before);
            }
        }
        let Some(says) = index_says else {
            offers.push(("changelist", self.url(server, &last.0)));
            return;
        };
        let items: Vec<Item> = lists
            .iter()
            .map(|(name, from, until)| {
                let item = Item::new(self.url(server, name));
                match (says, until) {
                    (true, Some(until)) => {
                        item.md("from", self.time(*from)).md("until", self.time(*until))
                    }
                    (true, None) => item.md("from", self.time(*from)),
                    (false, _) => item,
                }
            })
            .collect();
        let head = format!("<rs:md capability=\"changelist\" from=\"{}\"/>", self.time(lists[0].1));
        self.put(server, "changelists.xml", index(&head, &items));
        offers.push(("changelist", self.url(server, "changelists.xml")));
    }

    fn publish_dump(&mut self, world: &World, server: &Server, offers: &mut Vec<(&str, String)>) {
        let Some(habit) = self.habits.dump.clone() else { return };
        if world.tick.is_multiple_of(habit.period) || self.dump.is_none() {
            self.dump = Some(world.now());
            let state = world.state_at(self.set, world.now());
            let at = self.time(world.now());
            let mut items = Vec::new();
            for package in 0..habit.packages {
                let own: State = state
                    .iter()
                    .filter(|(resource, _)| *resource % habit.packages == package)
                    .map(|(resource, version)| (*resource, version.clone()))
                    .collect();
                let head = format!("<rs:md capability=\"resourcedump-manifest\" at=\"{at}\"/>");
                let entries: Vec<Item> = self
                    .items(server, world.tick, own.iter())
                    .into_iter()
                    .zip(own.keys())
                    .map(|(item, resource)| item.md("path", format!("/files/{resource}")))
                    .collect();
                let manifest = document(&head, &entries);
                let files = own.iter().map(|(resource, version)| {
                    member(format!("files/{resource}"), version.content.clone())
                });
                let name = format!("dump-{}-{package}", world.tick);
                items.push(self.package(server, &name, &manifest, files, habit.has_contents));
            }
            let head = format!("<rs:md capability=\"resourcedump\" at=\"{at}\"/>");
            self.put_dump(server, "resourcedump", &head, &items, habit.is_indexed);
        }
        if let Some(at) = self.dump {
            offers.push(("resourcedump", self.url(server, "resourcedump.xml")));
            self.covers.push(Covers::State { at, is_package: true });
        }
    }

    /// Writes a dump of these packages, or an index of dumps of one package each.
    fn put_dump(
        &self,
        server: &Server,
        name: &str,
        head: &str,
        packages: &[Item],
        is_indexed: bool,
    ) {
        let top = format!("{name}.xml");
        if !is_indexed {
            return self.put(server, &top, document(head, packages));
        }
        let part = |number: usize, package: &Item| {
            let part = format!("{name}-part-{number}.xml");
            self.put(server, &part, document(head, std::slice::from_ref(package)));
            Item::new(self.url(server, &part))
        };
        let parts: Vec<Item> =
            packages.iter().enumerate().map(|(number, package)| part(number, package)).collect();
        self.put(server, &top, index(head, &parts));
    }

    /// Writes a package, and gives the entry for it.
    fn package(
        &self,
        server: &Server,
        name: &str,
        manifest: &str,
        files: impl Iterator<Item = Member>,
        has_contents: bool,
    ) -> Item {
        let members: Vec<Member> =
            std::iter::once(member("manifest.xml", manifest)).chain(files).collect();
        let bytes = zip(&members);
        let item = Item::new(self.url(server, &format!("{name}.zip"))).md("length", bytes.len());
        self.put(server, &format!("{name}.zip"), bytes);
        if !has_contents {
            return item;
        }
        self.put(server, &format!("{name}.xml"), manifest);
        item.link("contents", &self.url(server, &format!("{name}.xml")), "")
    }

    fn publish_change_dump(
        &mut self,
        world: &World,
        server: &Server,
        offers: &mut Vec<(&str, String)>,
    ) {
        let Some(habit) = self.habits.change_dump.clone() else { return };
        let now = world.now();
        // A package without times is said to be current: then it has to be.
        let period = if habit.says_times { habit.period } else { 1 };
        if (world.tick + 1).is_multiple_of(period) {
            let from = self.packages.last().map_or(World::beginning(), |package| package.1);
            self.packages.push((from, now));
            self.write_change_package(world, server, from, now, habit.has_contents);
        }
        let oldest = now - habit.keeps as i64 * 3_600;
        self.packages.retain(|(_, until)| *until > oldest);
        let Some(first) = self.packages.first() else { return };
        let items: Vec<Item> = self
            .packages
            .iter()
            .map(|(from, until)| {
                let name = format!("changes-{from}-{until}");
                let mut item = Item::new(self.url(server, &format!("{name}.zip")));
                if habit.says_times {
                    item = item.md("from", self.time(*from)).md("until", self.time(*until));
                }
                match habit.has_contents {
                    true => item.link("contents", &self.url(server, &format!("{name}.xml")), ""),
                    false => item,
                }
            })
            .collect();
        let head = format!("<rs:md capability=\"changedump\" from=\"{}\"/>", self.time(first.0));
        self.put_dump(server, "changedump", &head, &items, habit.is_indexed);
        offers.push(("changedump", self.url(server, "changedump.xml")));
        let cover = |from: i64, until: i64| {
            let events = self.events_between(world, from, until);
            let url = self.url(server, &format!("changes-{from}-{until}.zip"));
            let until = habit.says_times.then_some(until);
            Covers::Changes { from, until, is_package: true, events, url }
        };
        if habit.says_times {
            let all: Vec<_> = self.packages.iter().map(|one| cover(one.0, one.1)).collect();
            self.covers.extend(all);
        } else if !self.covers.iter().any(|one| matches!(one, Covers::Changes { .. })) {
            // All packages together are one interval, which goes on.
            let all = cover(first.0, now);
            self.covers.push(all);
        }
    }

    fn write_change_package(
        &self,
        world: &World,
        server: &Server,
        from: i64,
        until: i64,
        has_contents: bool,
    ) {
        let events = self.events_between(world, from, until);
        let events = &world.events[self.set][events.0..events.1];
        let entries: Vec<Item> = events
            .iter()
            .enumerate()
            .map(|(place, event)| {
                let item = self.change(event, server);
                match event.version {
                    Some(_) => item.md("path", format!("/{place}")),
                    None => item,
                }
            })
            .collect();
        let head = format!(
            "<rs:md capability=\"changedump-manifest\" from=\"{}\" until=\"{}\"/>",
            self.time(from),
            self.time(until)
        );
        let files = events.iter().enumerate().filter_map(|(place, event)| {
            Some(member(place.to_string(), event.version.as_ref()?.content.clone()))
        });
        let manifest = document(&head, &entries);
        self.package(server, &format!("changes-{from}-{until}"), &manifest, files, has_contents);
    }
}
