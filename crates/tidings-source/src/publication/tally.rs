//! What was counted of a resource that may be in several sets.

use tidings_document::Change;

/// What has been said of the last resource, so that it counts once, in however many sets it is. All
/// that is said of one resource comes in a row.
#[derive(Debug, Default)]
pub(super) struct Tally {
    uri: String,
    is_there: bool,
    changes: Vec<Change>,
}

impl Tally {
    /// The resource is there: true the first time.
    pub(super) fn is_first(&mut self, uri: &str) -> bool {
        self.arrive(uri);
        !std::mem::replace(&mut self.is_there, true)
    }

    /// That became of the resource: true the first time.
    pub(super) fn is_first_change(&mut self, change: Change, uri: &str) -> bool {
        self.arrive(uri);
        let first = !self.changes.contains(&change);
        if first {
            self.changes.push(change);
        }
        first
    }

    /// True if the resource is known to be there, in some set.
    pub(super) fn is_there(&self, uri: &str) -> bool {
        self.uri == uri && self.is_there
    }

    fn arrive(&mut self, uri: &str) {
        if self.uri != uri {
            uri.clone_into(&mut self.uri);
            self.is_there = false;
            self.changes.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_counts_once_in_several_sets() {
        let mut tally = Tally::default();
        assert!(tally.is_first("a") && !tally.is_first("a") && tally.is_there("a"));
        assert!(tally.is_first_change(Change::Updated, "a"));
        assert!(!tally.is_first_change(Change::Updated, "a"));
        assert!(tally.is_first_change(Change::Deleted, "a"));
        assert!(tally.is_first_change(Change::Updated, "b") && !tally.is_there("b"));
        assert!(tally.is_first("b"));
    }
}
