//! The habits of a publisher: which documents it writes, how often, and what is in them.

use super::random::Random;

/// The habits of one set.
#[derive(Debug, Clone)]
pub struct Habits {
    pub times: Times,
    pub lastmod: Lastmod,
    pub digests: Digests,
    /// From that tick on, digests are of this kind.
    pub new_digests: Option<(u64, Digests)>,
    pub has_length: bool,
    pub list: Option<ListHabit>,
    pub dump: Option<DumpHabit>,
    pub changes: Option<ChangeHabit>,
    pub change_dump: Option<ChangeDumpHabit>,
    pub mirrors: Mirrors,
    /// Changes have patches from the version before.
    pub has_patches: bool,
    pub archives: Archives,
    /// The documents have validators (`ETag`).
    pub has_etags: bool,
    /// The publisher's clock is ahead of ours, by much: all its times are in the future.
    pub is_clock_ahead: bool,
}

/// What an entry of a change says of its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Version 1.0: `lastmod` is the time of the change.
    Lastmod,
    /// Version 1.1: `datetime`, and a `lastmod` of another time or none.
    Datetime,
    /// Both, and the same.
    Both,
    /// Neither: the order of the entries is all.
    Neither,
    /// `lastmod` is the day of the change.
    Day,
}

/// The modification time of a resource, where one is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lastmod {
    None,
    /// The time of its last change.
    OfChange,
    /// A time long ago, as of files that keep theirs when they are copied.
    Old,
    /// A day that is not over, which all versions have in common.
    Day,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Digests {
    None,
    Md5,
    Sha1,
    Sha256,
    Several,
    /// Of an algorithm that nobody knows: nothing can be checked.
    Unknown,
    /// MD5 in base64, as some write it.
    Base64,
}

impl ChangeKind {
    /// True if there is only one list, or each hides those before it.
    pub fn is_one(self) -> bool {
        !matches!(self, Self::Rotating(_) | Self::Closed(_))
    }
}

impl Digests {
    /// True if bytes can be held against them.
    pub fn is_checkable(self) -> bool {
        !matches!(self, Self::None | Self::Unknown)
    }
}

/// Other places of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mirrors {
    None,
    /// They have other bytes.
    Wrong,
    /// They have the bytes of the version that is spoken of, also when the Source has a newer one.
    Right,
}

/// The documents of the past that are kept in archives, besides Change Lists.
#[derive(Debug, Clone, Copy, Default)]
pub struct Archives {
    pub has_lists: bool,
    pub has_dumps: bool,
    pub has_change_dumps: bool,
    /// The Resource List is in its archive only.
    pub hides_list: bool,
}

#[derive(Debug, Clone)]
pub struct ListHabit {
    /// Written anew every so many ticks.
    pub period: u64,
    /// The number of its parts, below an index if there are more than one.
    pub parts: u64,
}

#[derive(Debug, Clone)]
pub struct DumpHabit {
    pub period: u64,
    pub packages: u64,
    /// Each package is in a dump of its own, below an index.
    pub is_indexed: bool,
    /// Each package has a copy of its manifest.
    pub has_contents: bool,
}

#[derive(Debug, Clone)]
pub struct ChangeHabit {
    pub kind: ChangeKind,
    /// Closed lists that nobody needs any more go after so many ticks; into an archive, if there is one.
    pub keeps: u64,
    pub has_archive: bool,
    /// The lists are named by an index, which says what they cover or does not.
    pub index: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// One open list with all changes since the beginning.
    Open,
    /// A list is closed every so many ticks, and another one opened.
    Rotating(u64),
    /// Only closed lists, one every so many ticks.
    Closed(u64),
    /// An open list with the changes of the last so many ticks.
    Window(u64),
    /// An open list with all changes after a tick.
    Since(u64),
    /// An open list that is replaced by another every so many ticks, and never closed; under the same URL or
    /// another one.
    Replaced(u64, bool),
}

#[derive(Debug, Clone)]
pub struct ChangeDumpHabit {
    pub period: u64,
    pub keeps: u64,
    pub says_times: bool,
    /// The packages are listed by dumps below an index.
    pub is_indexed: bool,
    pub has_contents: bool,
}

impl Habits {
    /// Draws habits. Those that were added later are drawn of numbers of their own (`more`), so that the
    /// others are as they were.
    pub fn draw(random: &mut Random, more: &mut Random) -> Self {
        let digests =
            [Digests::None, Digests::Md5, Digests::Sha1, Digests::Sha256, Digests::Several];
        let list = random.chance(75).then(|| ListHabit {
            period: random.pick(&[1, 2, 3, 5, 5]),
            parts: random.pick(&[1, 1, 2, 3]),
        });
        let dump = random.chance(35).then(|| DumpHabit {
            period: random.pick(&[1, 2, 4, 1_000]),
            packages: random.pick(&[1, 1, 2]),
            is_indexed: more.chance(25),
            has_contents: random.chance(40),
        });
        let changes = random.chance(70).then(|| ChangeHabit {
            kind: match random.below(4) {
                0 => ChangeKind::Open,
                1 => ChangeKind::Rotating(random.within(1, 3)),
                2 => ChangeKind::Closed(random.within(1, 2)),
                _ => ChangeKind::Window(random.within(1, 3)),
            },
            keeps: random.pick(&[1, 1, 3, 1_000]),
            has_archive: random.chance(25),
            index: match random.below(3) {
                0 => None,
                1 => Some(false),
                _ => Some(true),
            },
        });
        let change_dump = random.chance(25).then(|| ChangeDumpHabit {
            period: random.within(1, 2),
            keeps: random.pick(&[2, 1_000]),
            says_times: random.chance(70),
            is_indexed: more.chance(25),
            has_contents: random.chance(40),
        });
        let mut habits = Self {
            times: random.pick(&[Times::Lastmod, Times::Datetime, Times::Both, Times::Neither]),
            lastmod: random.pick(&[Lastmod::None, Lastmod::OfChange, Lastmod::Old]),
            digests: random.pick(&digests),
            new_digests: random.chance(20).then(|| (random.within(1, 5), random.pick(&digests))),
            has_length: random.chance(60),
            list,
            dump,
            changes,
            change_dump,
            mirrors: if random.chance(15) { Mirrors::Wrong } else { Mirrors::None },
            has_patches: false,
            archives: Archives::default(),
            has_etags: random.chance(60),
            is_clock_ahead: more.chance(8),
        };
        if more.chance(8) {
            habits.digests = Digests::Base64;
        }
        if habits.list.is_none() && habits.dump.is_none() && habits.changes.is_none() {
            habits.list = Some(ListHabit { period: 1, parts: 1 });
        }
        habits
    }

    /// Makes a publisher whose documents tell of a roll-back: its Change List has every change since the
    /// beginning, and each entry has a time, so that no other change looks the same.
    pub fn tell_of_rollbacks(&mut self, random: &mut Random) {
        self.times = random.pick(&[Times::Lastmod, Times::Datetime, Times::Both]);
        self.digests = random.pick(&[Digests::Md5, Digests::Sha256, Digests::Several]);
        self.new_digests = None;
        self.change_dump = None;
        if let Some(changes) = &mut self.changes {
            changes.kind = ChangeKind::Open;
            changes.keeps = 1_000;
        }
    }

    pub fn digests_at(&self, tick: u64) -> Digests {
        match self.new_digests {
            Some((from, digests)) if tick >= from => digests,
            _ => self.digests,
        }
    }
}
