//! Publishes the Change Lists of a set.

use super::{Covers, Publisher};
use crate::sources::habits::ChangeKind;
use crate::sources::world::World;
use crate::support::documents::{self, Item, document, index};
use crate::support::server::Server;

impl Publisher {
    pub(super) fn events_between(&self, world: &World, from: i64, until: i64) -> (usize, usize) {
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
        let items: Vec<Item> =
            (events.0..events.1).map(|number| self.change(world, number, server)).collect();
        let ends = until.map(|until| self.time(until));
        let list = documents::change_list_of(&self.time(from), ends.as_deref(), &items);
        self.put(server, name, list);
        let url = self.url(server, name);
        self.covers.push(Covers::Changes { from, until, is_package: false, events, url });
    }

    pub(super) fn publish_changes(
        &mut self,
        world: &World,
        server: &Server,
        offers: &mut Vec<(&str, String)>,
    ) {
        self.offers_lists = false;
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
            ChangeKind::Since(tick) => {
                let from = World::end_of(tick);
                if from <= now {
                    lists.push(("changelist.xml".to_owned(), from, None));
                }
            }
            ChangeKind::Replaced(period, is_same_url) => {
                let name = |from: i64| match is_same_url {
                    true => "changelist.xml".to_owned(),
                    false => format!("changes-{from}.xml"),
                };
                if world.tick > 0 && world.tick.is_multiple_of(period) {
                    server.remove(&format!("/{}/{}", self.set, name(self.open_from)));
                    self.open_from = World::end_of(world.tick - 1);
                }
                lists.push((name(self.open_from), self.open_from, None));
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
        self.offers_lists = self.covers.iter().any(|one| matches!(one, Covers::Changes { .. }));
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
}
