//! Which resources a document covers, in little memory.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::{Capability, Entry, Moment};

/// Up to so many resources differences are counted; beyond that they are only told.
const MOST_COUNTED: usize = 1 << 20;
/// Up to so many resources differences are named.
const MOST_NAMED: usize = 2_000;

/// The resources that one or several documents list.
#[derive(Debug, Clone, Default)]
pub(super) struct Cover {
    count: u64,
    /// Sums of hashes, of the URIs and of whole entries: they do not depend on the order.
    uris: u64,
    entries: u64,
    hashes: Vec<u64>,
    names: Vec<String>,
}

/// What tells one cover from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sums(u64, u64, u64);

impl Cover {
    pub(super) fn add(&mut self, entry: &Entry<'_>) {
        let uri = hash(&entry.loc);
        self.count += 1;
        self.uris = self.uris.wrapping_add(uri);
        self.entries = self.entries.wrapping_add(hash(entry));
        if self.hashes.len() < MOST_COUNTED {
            self.hashes.push(uri);
        }
        if self.names.len() < MOST_NAMED {
            self.names.push(entry.loc.clone().into_owned());
        }
    }

    /// Equal for covers of the same entries, in whatever order.
    pub(super) fn sums(&self) -> Sums {
        Sums(self.count, self.uris, self.entries)
    }

    fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.uris = self.uris.wrapping_add(other.uris);
        self.entries = self.entries.wrapping_add(other.entries);
        let room = |most: usize, length: usize| most.saturating_sub(length);
        self.hashes.extend(other.hashes.iter().take(room(MOST_COUNTED, self.hashes.len())));
        self.names.extend(other.names.iter().take(room(MOST_NAMED, self.names.len())).cloned());
    }

    fn is_counted(&self) -> bool {
        self.hashes.len() as u64 == self.count
    }
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A snapshot in one or several documents, each with its time.
#[derive(Debug, Default)]
struct Snapshot {
    cover: Cover,
    earliest: Option<Moment>,
    latest: Option<Moment>,
}

impl Snapshot {
    fn join(&mut self, cover: &Cover, at: Option<Moment>) {
        self.cover.join(cover);
        self.earliest = match (self.earliest, at) {
            (Some(earliest), Some(at)) => Some(earliest.min(at)),
            (earliest, at) => earliest.or(at),
        };
        self.latest = self.latest.max(at);
    }
}

/// What the capabilities of one set cover.
#[derive(Debug, Default)]
pub(super) struct Covers {
    list: Option<Snapshot>,
    dump: Option<Snapshot>,
    changed: Cover,
}

impl Covers {
    /// Adds what a document of that capability covers.
    pub(super) fn add(&mut self, capability: Capability, at: Option<Moment>, cover: &Cover) {
        match capability {
            Capability::ResourceList => self.list.get_or_insert_default().join(cover, at),
            Capability::ResourceDumpManifest => self.dump.get_or_insert_default().join(cover, at),
            Capability::ChangeList => self.changed.join(cover),
            _ => {}
        }
    }

    /// How the Resource List and the Resource Dump differ, if both are there. Snapshots of two
    /// moments may differ in what has changed.
    pub(super) fn difference(&self) -> Option<String> {
        let (listed, dumped) = (self.list.as_ref()?, self.dump.as_ref()?);
        let (list, dump) = (&listed.cover, &dumped.cover);
        if (list.count, list.uris) == (dump.count, dump.uris) {
            return None;
        }
        let at_once = listed.earliest == listed.latest
            && dumped.earliest == dumped.latest
            && listed.latest == dumped.latest;
        if !(list.is_counted() && dump.is_counted()) {
            return at_once.then(|| {
                format!(
                    "the Resource List has {} resources, the Resource Dump {}, and not the same",
                    list.count, dump.count
                )
            });
        }
        let excused: HashSet<u64> = match at_once {
            true => HashSet::new(),
            false => self.changed.hashes.iter().copied().collect(),
        };
        let sides = [
            ("Resource List", list, "Resource Dump", dump),
            ("Resource Dump", dump, "Resource List", list),
        ];
        let mut sentences = Vec::new();
        for (name, one, other_name, other) in sides {
            let others: HashSet<u64> = other.hashes.iter().copied().collect();
            let missing: Vec<u64> = one
                .hashes
                .iter()
                .copied()
                .filter(|uri| !others.contains(uri) && !excused.contains(uri))
                .collect();
            if missing.is_empty() {
                continue;
            }
            let example = one.names.iter().find(|name| missing.contains(&hash(name.as_str())));
            let example = example.map(|uri| format!(", such as {uri}")).unwrap_or_default();
            sentences
                .push(format!("{} of the {name} not in the {other_name}{example}", missing.len()));
        }
        (!sentences.is_empty()).then(|| sentences.join("; "))
    }
}
