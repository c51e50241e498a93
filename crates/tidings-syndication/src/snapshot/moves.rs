//! Pages that are gone under one address and new under another: moved, and neither deleted nor created.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use tidings_store::Kind;
use tidings_web::Url;

use super::Difference;
use crate::page_identity::{host, path};

/// How many deleted, and how many created pages are compared with each other.
const MAX_COMPARED_PAGES: usize = 200_000;
/// How many hosts are told apart.
const MAX_HOSTS: usize = 64;
/// How many moved pages are named.
const MAX_NAMED_PAGES: usize = 5;

/// The host and the path of a page, as far as they tell pages apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    host: usize,
    path: u64,
}

/// Collects the deleted and the created pages of two snapshots.
#[derive(Debug, Default)]
pub(crate) struct MoveFinder {
    hosts: Vec<String>,
    deleted: HashSet<Place>,
    created: HashSet<Place>,
}

impl MoveFinder {
    /// Takes a difference, if there is room for it.
    pub(crate) fn take(&mut self, difference: &Difference) {
        let Some(place) = self.place(&difference.page.uri) else { return };
        let places = match difference.kind {
            Kind::Deleted => &mut self.deleted,
            Kind::Created => &mut self.created,
            Kind::Updated => return,
        };
        if places.len() < MAX_COMPARED_PAGES {
            places.insert(place);
        }
    }

    fn place(&mut self, uri: &str) -> Option<Place> {
        let url = Url::parse(uri).ok()?;
        let name = host(&url);
        let host = match self.hosts.iter().position(|known| *known == name) {
            Some(host) => host,
            None if self.hosts.len() < MAX_HOSTS => {
                self.hosts.push(name);
                self.hosts.len() - 1
            }
            None => return None,
        };
        let mut hasher = DefaultHasher::new();
        path(&url).hash(&mut hasher);
        Some(Place { host, path: hasher.finish() })
    }

    /// The pages that moved: those with the same host (but for `www.`) and path, and those with the same
    /// path where most of what is gone from one host is new on another.
    pub(crate) fn finish(self) -> Moves {
        let mut places: HashSet<Place> =
            self.deleted.intersection(&self.created).copied().collect();
        let mut gone: HashMap<usize, Vec<Place>> = HashMap::new();
        for place in self.deleted.difference(&places) {
            gone.entry(place.host).or_default().push(*place);
        }
        for (old_host, deleted) in gone {
            for host in (0..self.hosts.len()).filter(|host| *host != old_host) {
                let there = |place: &&Place| self.created.contains(&Place { host, ..**place });
                let moved: Vec<Place> = deleted.iter().filter(there).copied().collect();
                if moved.len() * 2 > deleted.len() {
                    places.extend(moved.iter().map(|place| Place { host, ..*place }));
                    places.extend(moved);
                    break;
                }
            }
        }
        Moves { hosts: self.hosts, places, old: Vec::new(), new: Vec::new(), count: 0 }
    }
}

/// The pages that moved.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    hosts: Vec<String>,
    places: HashSet<Place>,
    /// The first of them, by their paths.
    old: Vec<(u64, String)>,
    new: Vec<(u64, String)>,
    /// How many are gone from where they were.
    count: u64,
}

impl Moves {
    /// Whether a difference is a part of a move, which is counted.
    pub(crate) fn has(&mut self, difference: &Difference) -> bool {
        if self.places.is_empty() || difference.kind == Kind::Updated {
            return false;
        }
        let mut finder =
            MoveFinder { hosts: std::mem::take(&mut self.hosts), ..MoveFinder::default() };
        let place = finder.place(&difference.page.uri);
        self.hosts = finder.hosts;
        let Some(place) = place.filter(|place| self.places.contains(place)) else { return false };
        let is_deleted = difference.kind == Kind::Deleted;
        self.count += u64::from(is_deleted);
        let named = if is_deleted { &mut self.old } else { &mut self.new };
        // Both come nearly in the order of their paths.
        if named.len() < 4 * MAX_NAMED_PAGES {
            named.push((place.path, difference.page.uri.clone()));
        }
        true
    }

    /// True if no page moved.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many pages moved.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Some of the moved pages: where they were, and where they are.
    pub(crate) fn named(&self) -> Vec<(&str, &str)> {
        let new = |path: u64| self.new.iter().find(|(other, _)| *other == path);
        let pairs = self.old.iter().filter_map(|(path, old)| Some((&old[..], &new(*path)?.1[..])));
        pairs.take(MAX_NAMED_PAGES).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Page;
    use super::*;

    fn moves(deleted: &[&str], created: &[&str]) -> Moves {
        let difference = |uri: &&str, kind| {
            let page = Page { uri: (*uri).to_owned(), stamp: String::new() };
            Difference { page, kind }
        };
        let deleted = deleted.iter().map(|uri| difference(uri, Kind::Deleted));
        let all: Vec<Difference> =
            deleted.chain(created.iter().map(|uri| difference(uri, Kind::Created))).collect();
        let mut finder = MoveFinder::default();
        all.iter().for_each(|difference| finder.take(difference));
        let mut moves = finder.finish();
        assert!(all.iter().filter(|difference| moves.has(difference)).count() <= all.len());
        moves
    }

    #[test]
    fn pages_that_moved_are_neither_deleted_nor_created() {
        for (deleted, created, count) in [
            (&["http://a.example/x", "http://a.example/y"][..], &["https://a.example/x"][..], 1),
            (&["http://a.example/x"], &["https://www.a.example/x/"], 1),
            (&["http://a.example/x"], &["http://a.example/z"], 0),
            (
                &["http://a.example/x", "http://a.example/y"],
                &["http://b.example/x", "http://b.example/y"],
                2,
            ),
            // One of three that is elsewhere by that name is another page.
            (
                &["http://a.example/x", "http://a.example/y", "http://a.example/z"],
                &["http://b.example/x"],
                0,
            ),
        ] {
            let moves = moves(deleted, created);
            assert_eq!(moves.count(), count, "{deleted:?} {created:?}");
            assert_eq!(moves.named().len() as u64, count);
        }
        let one = moves(&["http://a.example/x"], &["https://a.example/x"]);
        assert_eq!(one.named(), [("http://a.example/x", "https://a.example/x")]);
    }
}
