//! What all sets say, as one sequence.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::Standing;
use crate::cache::Cached;
use crate::{PublishError, Resource};

/// A resource as it was published, in which set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Published {
    pub(crate) set: usize,
    pub(crate) standing: Standing,
    pub(crate) resource: Resource,
    /// What is remembered of its file.
    pub(crate) cached: Option<Cached>,
}

/// The resources of several sets, each in the order of the URIs, as one sequence in that order.
pub(crate) struct Merged<I> {
    sets: Vec<I>,
    heads: BinaryHeap<Reverse<Head>>,
    /// Sets of which the next resource is still to be asked for.
    due: Vec<usize>,
}

struct Head(Published);

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

impl<I: Iterator<Item = Result<(Standing, Resource), PublishError>>> Merged<I> {
    pub(crate) fn new(sets: Vec<I>) -> Self {
        let due = (0..sets.len()).collect();
        Self { sets, heads: BinaryHeap::new(), due }
    }
}

impl<I: Iterator<Item = Result<(Standing, Resource), PublishError>>> Iterator for Merged<I> {
    type Item = Result<Published, PublishError>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(set) = self.due.pop() {
            match self.sets[set].next() {
                Some(Ok((standing, resource))) => {
                    self.heads.push(Reverse(Head(Published {
                        set,
                        standing,
                        resource,
                        cached: None,
                    })));
                }
                Some(Err(error)) => return Some(Err(error)),
                None => {}
            }
        }
        let Reverse(Head(published)) = self.heads.pop()?;
        self.due.push(published.set);
        Some(Ok(published))
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
                Ok((Standing::Listed, Resource { uri, ..Resource::default() }))
            });
            resources.collect::<Vec<_>>().into_iter()
        };
        let merged = Merged::new(vec![set(&["a", "d"]), set(&[]), set(&["b", "c", "d", "e"])]);
        let merged: Vec<(String, usize)> =
            merged.map(|one| one.map(|one| (one.resource.uri, one.set)).unwrap()).collect();
        let merged: Vec<(&str, usize)> =
            merged.iter().map(|(uri, set)| (uri.as_str(), *set)).collect();
        assert_eq!(merged, [("a", 0), ("b", 2), ("c", 2), ("d", 0), ("d", 2), ("e", 2)]);
    }
}
