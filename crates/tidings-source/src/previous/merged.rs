//! What all sets say, as one sequence.

use std::cmp::Ordering;
use std::io;

use tidings_base::Merge;

use super::ListAgreement;
use crate::cache::{CachePosition, CachedFile, Record};
use crate::{PublishError, Resource};

/// A resource as it was published, in which set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublishedResource {
    pub(crate) set: usize,
    pub(crate) agreement: ListAgreement,
    pub(crate) resource: Resource,
    /// Where the cache has it. Of one that it has, the links that rules give are not there yet.
    pub(crate) cached: Option<CachePosition>,
}

impl PublishedResource {
    /// The resource of a cache that is of the documents that are there.
    pub(crate) fn from_cache(file: &CachedFile<'_>) -> io::Result<Self> {
        let Record { set, resource, stamp } = file.record()?;
        let cached = Some(CachePosition { stamp, end: file.end });
        Ok(Self { set, agreement: ListAgreement::Agrees, resource, cached })
    }
}

/// The resources of several sets, each in the order of the URIs, as one sequence in that order.
pub(crate) fn merged<I>(
    sets: impl IntoIterator<Item = I>,
) -> impl Iterator<Item = Result<PublishedResource, PublishError>>
where
    I: Iterator<Item = Result<(ListAgreement, Resource), PublishError>>,
{
    let heads = sets.into_iter().enumerate().map(|(set, resources)| {
        resources.map(move |one| {
            let (agreement, resource) = one?;
            Ok(Head(PublishedResource { set, agreement, resource, cached: None }))
        })
    });
    Merge::new(heads).map(|head| head.map(|Head(published)| published))
}

/// In the order of the URIs, then of the sets.
struct Head(PublishedResource);

impl Head {
    fn key(&self) -> (&str, usize) {
        (&self.0.resource.uri, self.0.set)
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_merged_in_the_order_of_uris() {
        let set = |uris: &[&str]| {
            let resources = uris.iter().map(|uri| {
                let uri = (*uri).to_owned();
                Ok((ListAgreement::Agrees, Resource { uri, ..Resource::default() }))
            });
            resources.collect::<Vec<_>>().into_iter()
        };
        let merged = merged([set(&["a", "d"]), set(&[]), set(&["b", "c", "d", "e"])]);
        let merged: Vec<(String, usize)> =
            merged.map(|one| one.map(|one| (one.resource.uri, one.set)).unwrap()).collect();
        let merged: Vec<(&str, usize)> =
            merged.iter().map(|(uri, set)| (uri.as_str(), *set)).collect();
        assert_eq!(merged, [("a", 0), ("b", 2), ("c", 2), ("d", 0), ("d", 2), ("e", 2)]);
    }
}
