//! Reads what an index says of its parts.

use std::hash::{DefaultHasher, Hasher};

use tidings_document::{Entry, Moment, Precision};
use url::Url;

use crate::SyncError;
use crate::documents::Document;
use crate::moments::instant;
use crate::state::{History, Role};

/// A part that an index or archive lists.
#[derive(Debug, Clone)]
pub(crate) struct ListedPart {
    pub(crate) url: Url,
    pub(crate) from: Option<Moment>,
    pub(super) until: Option<Moment>,
    /// A hash of all that the index says of it.
    pub(super) identity: u64,
    /// True if a part that is another one has another identity: the index gives its digest, or the moment
    /// at which it was modified.
    is_certain: bool,
    /// True if the index itself is as it was.
    pub(super) is_of_same_index: bool,
    /// A closed part of the same interval that the index no longer lists: this is its new name.
    pub(super) predecessor: Option<History>,
}

/// How a part stands to the closed one that was read under its URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartMatch {
    /// It is the same.
    Same,
    /// It covers the same interval. Only the server can tell whether it is the same.
    SameInterval,
    /// It is of another interval, or was not read, or was not closed.
    Other,
}

impl ListedPart {
    /// A document that no index lists.
    pub(super) fn top(url: &Url) -> Self {
        let (from, until, identity) = (None, None, 0);
        let (is_certain, is_of_same_index) = (false, false);
        let (url, predecessor) = (url.clone(), None);
        Self { url, from, until, identity, is_certain, is_of_same_index, predecessor }
    }

    /// A part of an index that is as it was when the part was read.
    pub(super) fn of_same_index(url: Url, history: &History) -> Self {
        let (from, until, identity) = (history.from, history.until, history.identity);
        let (is_certain, is_of_same_index, predecessor) = (false, true, None);
        Self { url, from, until, identity, is_certain, is_of_same_index, predecessor }
    }

    /// True if a closed part has the very interval of this one.
    pub(super) fn replaces(&self, closed: &History) -> bool {
        let is_whole = self.from.is_some() && self.until.is_some();
        let is_read = closed.role == Role::Closed && closed.from.is_some();
        is_whole
            && is_read
            && is_at_same_instant(self.from, closed.from)
            && is_at_same_instant(self.until, closed.until)
    }

    pub(super) fn match_closed(&self, read: Option<&History>) -> PartMatch {
        let Some(read) = read.filter(|read| read.role == Role::Closed) else {
            return PartMatch::Other;
        };
        let is_same_entry = self.identity == read.identity && read.identity != 0;
        let is_same_interval =
            is_at_same_instant(self.from, read.from) && is_at_same_instant(self.until, read.until);
        match (is_same_entry, is_same_interval) {
            (true, _) if self.is_certain || self.is_of_same_index => PartMatch::Same,
            (_, true) if self.is_of_same_index => PartMatch::Same,
            (true, _) | (_, true) => PartMatch::SameInterval,
            // A name may be used again for another interval.
            (false, false) => PartMatch::Other,
        }
    }
}

/// The documents that an index or archive lists, with what it says of them.
pub(crate) fn parts_of(document: &mut Document) -> Result<Vec<ListedPart>, SyncError> {
    let (mut parts, mut unusable) = (Vec::new(), 0);
    document.each(|entry, base| {
        let Ok(mut url) = base.join(entry.loc.trim()) else {
            unusable += 1;
            return Ok(());
        };
        url.set_fragment(None);
        let identity = identity_of(entry);
        let metadata = &entry.metadata;
        let is_exact = |moment: Moment| {
            matches!(moment.precision(), Precision::Second | Precision::Fraction(_))
        };
        parts.push(ListedPart {
            url,
            from: metadata.from,
            until: metadata.until,
            identity,
            is_certain: metadata.hash.is_some() || entry.lastmod.is_some_and(is_exact),
            is_of_same_index: false,
            predecessor: None,
        });
        Ok(())
    })?;
    document.add_lost_entries(unusable);
    Ok(parts)
}

/// A hash of what an index or a dump says of a part or a package, which is never 0.
pub(super) fn identity_of(entry: &Entry<'_>) -> u64 {
    let metadata = &entry.metadata;
    let mut hasher = DefaultHasher::new();
    for time in [metadata.from, metadata.until, metadata.at, entry.lastmod] {
        hasher.write_i64(time.map_or(i64::MIN, instant));
    }
    hasher.write_u64(metadata.length.unwrap_or(u64::MAX));
    hasher.write(metadata.hash.as_ref().map_or("", |hash| hash.as_str()).as_bytes());
    hasher.finish().max(1)
}

/// True if one of them is not given, or both are the same instant.
fn is_at_same_instant(one: Option<Moment>, other: Option<Moment>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => instant(one) == instant(other),
        _ => true,
    }
}
