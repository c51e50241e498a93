//! Which URIs were met before.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// How many URIs are remembered: four times what a document may list, in some 8 MiB. In longer ones
/// duplicates are still found where they follow each other, as in a sorted list.
const MOST: usize = 200_000;

/// Finds URIs that come up again, by 64-bit hashes of them. The hashes are keyed anew each time,
/// so that no document can be made to collide.
#[derive(Default)]
pub(super) struct Seen {
    hasher: RandomState,
    hashes: HashSet<u64>,
    last: Option<u64>,
}

impl Seen {
    /// True if the URI was met before.
    pub(super) fn again(&mut self, uri: &str) -> bool {
        let hash = self.hasher.hash_one(uri);
        let repeated = self.last.replace(hash) == Some(hash);
        if self.hashes.len() < MOST {
            !self.hashes.insert(hash)
        } else {
            repeated || self.hashes.contains(&hash)
        }
    }
}
