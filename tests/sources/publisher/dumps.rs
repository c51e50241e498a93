//! Publishes the dumps of a set.

use super::{Covers, Publisher};
use crate::sources::habits::ChangeDumpHabit;
use crate::sources::world::{State, World};
use crate::support::documents::{Item, document, index};
use crate::support::server::Server;
use crate::support::zip::{Member, member, zip};

impl Publisher {
    pub(super) fn publish_dump(
        &mut self,
        world: &World,
        server: &Server,
        offers: &mut Vec<(&str, String)>,
    ) {
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
            if self.habits.archives.has_dumps {
                self.old_dumps.push(world.now());
                let name = format!("resourcedump-{}.xml", world.now());
                self.put(server, &name, document(&head, &items));
            }
        }
        if let Some(at) = self.dump {
            offers.push(("resourcedump", self.url(server, "resourcedump.xml")));
            self.covers.push(Covers::State { at, is_package: true });
        }
        self.offer_old_states(server, "resourcedump", offers);
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

    pub(super) fn publish_change_dump(
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
        let is_old = |package: &&(i64, i64)| package.1 <= oldest;
        if self.habits.archives.has_change_dumps && habit.says_times {
            self.old_packages.extend(self.packages.iter().filter(is_old));
        }
        self.packages.retain(|(_, until)| *until > oldest);
        self.offer_old_packages(world, server, &habit, offers);
        let Some(first) = self.packages.first() else { return };
        let items: Vec<Item> =
            self.packages.iter().map(|one| self.package_item(server, &habit, *one)).collect();
        let head = format!("<rs:md capability=\"changedump\" from=\"{}\"/>", self.time(first.0));
        self.put_dump(server, "changedump", &head, &items, habit.is_indexed);
        offers.push(("changedump", self.url(server, "changedump.xml")));
        if habit.says_times {
            let cover = |one: &(i64, i64)| self.cover_package(world, server, *one, true);
            let all: Vec<_> = self.packages.iter().map(cover).collect();
            self.covers.extend(all);
        } else {
            // All packages together are one interval, which goes on.
            let all = self.cover_package(world, server, (first.0, now), false);
            match self.offers_lists {
                true => self.spare = Some(all),
                false => self.covers.push(all),
            }
        }
    }

    fn package_item(
        &self,
        server: &Server,
        habit: &ChangeDumpHabit,
        (from, until): (i64, i64),
    ) -> Item {
        let name = format!("changes-{from}-{until}");
        let mut item = Item::new(self.url(server, &format!("{name}.zip")));
        if habit.says_times {
            item = item.md("from", self.time(from)).md("until", self.time(until));
        }
        match habit.has_contents {
            true => item.link("contents", &self.url(server, &format!("{name}.xml")), ""),
            false => item,
        }
    }

    fn cover_package(
        &self,
        world: &World,
        server: &Server,
        (from, until): (i64, i64),
        says_times: bool,
    ) -> Covers {
        let events = self.events_between(world, from, until);
        let url = self.url(server, &format!("changes-{from}-{until}.zip"));
        let until = says_times.then_some(until);
        Covers::Changes { from, until, is_package: true, events, url }
    }

    /// Writes a dump for each package that went into the archive, and the archive.
    fn offer_old_packages(
        &mut self,
        world: &World,
        server: &Server,
        habit: &ChangeDumpHabit,
        offers: &mut Vec<(&str, String)>,
    ) {
        if self.old_packages.is_empty() {
            return;
        }
        let (mut items, mut covers) = (Vec::new(), Vec::new());
        for package in &self.old_packages {
            let (from, until) = (self.time(package.0), self.time(package.1));
            let name = format!("changedump-{}.xml", package.0);
            let head =
                format!("<rs:md capability=\"changedump\" from=\"{from}\" until=\"{until}\"/>");
            let listed = self.package_item(server, habit, *package);
            self.put(server, &name, document(&head, &[listed]));
            items.push(Item::new(self.url(server, &name)).md("from", from).md("until", until));
            covers.push(self.cover_package(world, server, *package, true));
        }
        let head = "<rs:md capability=\"changedump-archive\"/>";
        self.put(server, "changedump-archive.xml", document(head, &items));
        offers.push(("changedump-archive", self.url(server, "changedump-archive.xml")));
        self.covers.extend(covers);
    }

    fn write_change_package(
        &self,
        world: &World,
        server: &Server,
        from: i64,
        until: i64,
        has_contents: bool,
    ) {
        let span = self.events_between(world, from, until);
        let events = &world.events[self.set][span.0..span.1];
        let entries: Vec<Item> = events
            .iter()
            .enumerate()
            .map(|(place, event)| {
                let item = self.change(world, span.0 + place, server);
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
