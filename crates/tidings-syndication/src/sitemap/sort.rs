//! Sorts differences into collections, and keeps the newest of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use tidings_store::{CollectionOutcome, Kind, Millis, NewChange, NewCollection, Site};
use url::Url;

use crate::collector::{MOST, ROOM, size};
use crate::key::key;
use crate::snapshot::Difference;

/// How many collections a site is split into; pages beyond go into that of the whole site.
const MOST_COLLECTIONS: usize = 500;

/// The differences between two snapshots, by collection. Of more than there is room for, the newest are
/// kept and the others are counted.
pub(super) struct Sorter<'a> {
    site: &'a Site,
    home: Option<Url>,
    outcomes: BTreeMap<String, CollectionOutcome>,
    kept: BinaryHeap<Reverse<Kept>>,
    most: usize,
    bytes: usize,
    count: u64,
}

/// In the order of time, and of those of one time in the order in which they came.
struct Kept {
    time: Millis,
    number: u64,
    collection: String,
    change: NewChange,
}

impl Kept {
    fn order(&self) -> (Millis, u64) {
        (self.time, self.number)
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Kept {}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl<'a> Sorter<'a> {
    pub(super) fn new(site: &'a Site) -> Self {
        Self {
            site,
            home: Url::parse(&site.url).ok(),
            outcomes: BTreeMap::new(),
            kept: BinaryHeap::new(),
            most: MOST,
            bytes: 0,
            count: 0,
        }
    }

    /// Keeps no more than so many.
    pub(super) fn keep(&mut self, most: usize) {
        self.most = most;
    }

    pub(super) fn take(&mut self, difference: Difference, time: Millis, key: [u8; 16]) {
        let collection = self.collection(&difference.page.uri);
        let Difference { page, kind } = difference;
        let time_text = (!page.stamp.is_empty() && page.stamp.as_bytes()[0].is_ascii_digit())
            .then_some(page.stamp);
        let uri = page.uri;
        let change = NewChange { key, uri, kind, time, time_text, title: None, note: None };
        self.bytes += size(&change);
        self.kept.push(Reverse(Kept { time, number: self.count, collection, change }));
        self.count += 1;
        while self.kept.len() > self.most || self.bytes > ROOM {
            let Some(Reverse(dropped)) = self.kept.pop() else { break };
            self.bytes -= size(&dropped.change);
            if let Some(outcome) = self.outcomes.get_mut(&dropped.collection) {
                outcome.more[dropped.change.kind as usize] += 1;
            }
        }
    }

    /// What has that time was not updated after all.
    pub(super) fn forget_updates(&mut self, stamp: &str) {
        self.kept.retain(|Reverse(kept)| {
            kept.change.kind != Kind::Updated || kept.change.time_text.as_deref() != Some(stamp)
        });
        self.bytes = self.kept.iter().map(|Reverse(kept)| size(&kept.change)).sum();
        for outcome in self.outcomes.values_mut() {
            outcome.more[Kind::Updated as usize] = 0;
        }
    }

    /// These were not updated after all.
    pub(super) fn forget_updates_of(&mut self, unchanged: &[String]) {
        self.kept.retain(|Reverse(kept)| {
            kept.change.kind != Kind::Updated || !unchanged.contains(&kept.change.uri)
        });
        self.bytes = self.kept.iter().map(|Reverse(kept)| size(&kept.change)).sum();
    }

    /// None was updated after all, but for these.
    pub(super) fn forget_updates_except(&mut self, changed: &[String]) {
        self.kept.retain(|Reverse(kept)| {
            kept.change.kind != Kind::Updated || changed.contains(&kept.change.uri)
        });
        self.bytes = self.kept.iter().map(|Reverse(kept)| size(&kept.change)).sum();
        for outcome in self.outcomes.values_mut() {
            outcome.more[Kind::Updated as usize] = 0;
        }
    }

    /// What was not kept does not count either.
    pub(super) fn forget_more(&mut self) {
        for outcome in self.outcomes.values_mut() {
            outcome.more = [0; 3];
        }
    }

    /// What the collections are to be told, each with its newest change last.
    pub(super) fn outcomes(mut self) -> Vec<CollectionOutcome> {
        // Reversed twice: the oldest comes first.
        for Reverse(kept) in self.kept.into_sorted_vec().into_iter().rev() {
            if let Some(outcome) = self.outcomes.get_mut(&kept.collection) {
                outcome.changes.push(kept.change);
            }
        }
        self.outcomes.into_values().collect()
    }

    /// The same with a change of the whole site, which is at another URL by now if that is given.
    pub(super) fn outcomes_with(
        mut self,
        change: Option<NewChange>,
        moved: Option<&str>,
    ) -> Vec<CollectionOutcome> {
        let old = self.site.url.clone();
        if change.is_some() {
            self.make_collection(&old);
        }
        let mut outcomes = self.outcomes();
        if let Some(whole) = outcomes.iter_mut().find(|one| one.collection.identity == old) {
            whole.changes.extend(change);
            moved.unwrap_or(&old).clone_into(&mut whole.collection.identity);
        }
        outcomes
    }

    /// The collection that a page is in: the whole site, or that of the first segment of its path.
    fn collection(&mut self, uri: &str) -> String {
        let whole = self.site.url.clone();
        let part = if self.site.settings.split { first_segment(uri) } else { None };
        let identity = part.filter(|identity| {
            self.outcomes.contains_key(identity) || self.outcomes.len() < MOST_COLLECTIONS
        });
        let identity = identity.unwrap_or(whole);
        self.make_collection(&identity);
        identity
    }

    fn make_collection(&mut self, identity: &str) {
        if self.outcomes.contains_key(identity) {
            return;
        }
        let url = Url::parse(identity).ok().or_else(|| self.home.clone());
        let collection = NewCollection {
            key: url.map(|url| key(&url, Some("sitemap"))).unwrap_or_default(),
            identity: identity.to_owned(),
            progress: "{}".to_owned(),
            ..NewCollection::default()
        };
        let outcome = CollectionOutcome { collection, ..CollectionOutcome::default() };
        self.outcomes.insert(identity.to_owned(), outcome);
    }
}

/// The folder below the root that a page is in, if it is in one.
fn first_segment(uri: &str) -> Option<String> {
    let mut url = Url::parse(uri).ok()?;
    let mut segments = url.path_segments()?;
    let first = segments.next().filter(|first| !first.is_empty())?.to_owned();
    // A file in the root is in no folder.
    segments.next()?;
    url.set_query(None);
    url.set_fragment(None);
    url.set_path(&format!("/{first}/"));
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_sorted_by_the_first_segment_of_their_path() {
        for (uri, expected) in [
            ("http://a.example/", None),
            ("http://a.example/about.html", None),
            ("http://a.example/shrine/", Some("http://a.example/shrine/")),
            ("http://a.example/shrine/x/y?z#f", Some("http://a.example/shrine/")),
            ("not a url", None),
        ] {
            assert_eq!(first_segment(uri).as_deref(), expected, "{uri}");
        }
    }
}
