//! Habits that were added last. They are drawn of numbers of their own: those before them are drawn as they
//! were.

use super::habits::{ChangeHabit, ChangeKind, Digests, Habits, Lastmod, ListHabit, Mirrors, Times};
use super::random::Random;

/// What a Source does to its past.
#[derive(Debug, Clone, Copy)]
pub enum Revision {
    /// It is restored from a backup of an earlier tick.
    Restore(u64),
    /// It purges a resource from all its documents, as if that had never been.
    Purge,
}

impl Habits {
    /// Draws more habits.
    pub fn widen(&mut self, wider: &mut Random, is_revised: bool) {
        if wider.chance(12) {
            self.mirrors = Mirrors::Right;
        }
        self.has_patches = wider.chance(15);
        if wider.chance(10) {
            self.lastmod = Lastmod::Day;
        }
        let is_stale = wider.chance(12);
        if let Some(list) = self.list.as_mut().filter(|_| is_stale) {
            list.period = 1_000;
        }
        let (is_day, is_replaced) = (wider.chance(8), wider.chance(12));
        let archives = [wider.chance(20), wider.chance(20), wider.chance(40), wider.chance(30)];
        let (period, is_same_url) = (wider.within(1, 3), wider.chance(50));
        if is_revised {
            return;
        }
        if is_day {
            self.times = Times::Day;
        }
        let has_baseline = self.list.is_some() || self.dump.is_some();
        if let Some(changes) = self.changes.as_mut().filter(|_| is_replaced && has_baseline) {
            changes.kind = ChangeKind::Replaced(period, is_same_url);
        }
        self.archives.has_lists = archives[0] && self.list.is_some();
        self.archives.has_dumps = archives[1] && self.dump.is_some();
        self.archives.has_change_dumps = archives[2];
        self.archives.hides_list = archives[3] && self.archives.has_lists && self.dump.is_none();
    }

    /// Makes a publisher of a revised Source: its documents tell of it to whoever has read what is not true
    /// any more.
    pub fn tell_of_revision(&mut self, revision: Revision, wider: &mut Random) {
        self.times = wider.pick(&[Times::Lastmod, Times::Datetime, Times::Both]);
        self.digests = wider.pick(&[Digests::Md5, Digests::Sha256, Digests::Several]);
        (self.new_digests, self.change_dump) = (None, None);
        if self.list.is_none() && self.dump.is_none() {
            self.list = Some(ListHabit { period: 5, parts: 1 });
        }
        let kind = match revision {
            _ if wider.chance(40) => ChangeKind::Open,
            Revision::Restore(_) if wider.chance(50) => ChangeKind::Rotating(wider.within(1, 3)),
            Revision::Restore(to) => ChangeKind::Since(wider.below(to + 1)),
            Revision::Purge => ChangeKind::Since(0),
        };
        let habit = ChangeHabit { kind, keeps: 1_000, has_archive: false, index: None };
        self.changes =
            Some(ChangeHabit { kind, keeps: 1_000, ..self.changes.clone().unwrap_or(habit) });
    }
}
