//! Counts what a run did with each resource once, in however many documents the run met it.

use crate::id_set::IdSet;
use crate::report::Report;

/// What became of the resources that a run has looked at, as far as it takes to count each of them once.
#[derive(Debug, Default)]
pub(crate) struct ResourceTally {
    /// The largest id before the run.
    last_before: i64,
    /// The largest id that was recorded.
    last: i64,
    created: IdSet,
    updated: IdSet,
    unchanged: IdSet,
    /// Those that a dry run expects to come since a document of this set says so: what it says of them later is
    /// compared with what the copy has.
    expected: IdSet,
    /// Those that it expects since another set said so.
    expected_before: IdSet,
    /// Those that a dry run found in packages, which have their bytes whatever becomes of them later.
    packaged: IdSet,
    /// True while a dry run reads the manifest of a package.
    pub(crate) is_in_package: bool,
    /// Those that a dry run left for the server to decide.
    to_compare: IdSet,
}

impl ResourceTally {
    /// For a run that finds ids up to that one.
    pub(crate) fn new(last_id: i64) -> Self {
        Self { last_before: last_id, last: last_id, ..Self::default() }
    }

    /// Bytes of a resource came. `was_known` is false if the run did not find it in the copy.
    pub(crate) fn count_arrival(&mut self, id: i64, was_known: bool, report: &mut Report) {
        if self.is_in_package {
            self.packaged.insert(id);
        }
        if self.is_of_this_run(id) || self.created.contains(id) {
            return;
        }
        if self.unchanged.remove(id) {
            report.unchanged = report.unchanged.saturating_sub(1);
        }
        if self.to_compare.remove(id) {
            report.to_compare = report.to_compare.saturating_sub(1);
        }
        if !was_known {
            self.created.insert(id);
            report.created += 1;
        } else if self.updated.insert(id) {
            report.updated += 1;
        }
    }

    /// The documents of another set are read from now on.
    pub(crate) fn begin_set(&mut self) {
        self.expected_before.absorb(&mut self.expected);
    }

    /// Other bytes of a resource would come.
    pub(crate) fn count_expected(&mut self, id: i64, report: &mut Report) {
        if self.created.contains(id) || self.is_of_this_run(id) {
            return;
        }
        if self.unchanged.remove(id) {
            report.unchanged = report.unchanged.saturating_sub(1);
        }
        if self.to_compare.remove(id) {
            report.to_compare = report.to_compare.saturating_sub(1);
        }
        if self.is_in_package {
            self.packaged.insert(id);
        }
        let was_expected = self.expected_before.remove(id);
        report.updated += u64::from(self.expected.insert(id) && !was_expected);
    }

    /// Only the server can tell whether a resource has changed, and it is not asked.
    pub(crate) fn count_comparison(&mut self, id: i64, report: &mut Report) {
        if self.created.contains(id) {
            return;
        }
        // The last statement counts: the bytes that are there may be the ones.
        self.expect_no_more(id, report);
        if self.unchanged.remove(id) {
            report.unchanged = report.unchanged.saturating_sub(1);
        }
        report.to_compare += u64::from(self.to_compare.insert(id));
    }

    /// What a dry run counted for a resource would not come.
    pub(crate) fn retract(&mut self, id: i64, report: &mut Report) {
        if self.created.remove(id) {
            report.created = report.created.saturating_sub(1);
        }
        self.expect_no_more(id, report);
        if self.to_compare.remove(id) {
            report.to_compare = report.to_compare.saturating_sub(1);
        }
    }

    fn expect_no_more(&mut self, id: i64, report: &mut Report) {
        if self.expected.remove(id) || self.expected_before.remove(id) {
            report.updated = report.updated.saturating_sub(1);
        }
    }

    /// The largest id that is recorded now: a resource was forgotten, and its id may be another's.
    pub(crate) fn set_last(&mut self, id: i64) {
        self.last = self.last_before.max(id);
    }

    /// True if a package has the bytes of a resource.
    pub(crate) fn comes_in_package(&self, id: i64) -> bool {
        self.packaged.contains(id)
    }

    /// True if the copy had nothing of a resource before the run.
    pub(crate) fn is_newcomer(&self, id: i64) -> bool {
        id > self.last_before
    }

    /// A file that was there became part of the copy.
    pub(crate) fn count_adoption(&mut self, id: i64, report: &mut Report) {
        self.is_of_this_run(id);
        report.adopted += 1;
    }

    /// A resource is as it was.
    pub(crate) fn count_unchanged(&mut self, id: i64, report: &mut Report) {
        if self.expected_before.contains(id) {
            // Of two sets that say different things, the server decides.
            return self.count_comparison(id, report);
        }
        self.expect_no_more(id, report);
        let has_changed =
            id > self.last_before || self.updated.contains(id) || self.created.contains(id);
        if !has_changed && !self.to_compare.contains(id) && self.unchanged.insert(id) {
            report.unchanged += 1;
        }
    }

    /// A resource was removed from the copy. One that came in this run, too, was never seen in it.
    pub(crate) fn count_deletion(&mut self, id: i64, report: &mut Report) {
        if self.unchanged.remove(id) {
            report.unchanged = report.unchanged.saturating_sub(1);
        }
        self.expect_no_more(id, report);
        if self.updated.remove(id) {
            report.updated = report.updated.saturating_sub(1);
        }
        if self.to_compare.remove(id) {
            report.to_compare = report.to_compare.saturating_sub(1);
        }
        if self.created.remove(id) {
            report.created = report.created.saturating_sub(1);
        } else if id > self.last_before {
            report.adopted = report.adopted.saturating_sub(1);
        }
        report.deleted += u64::from(id <= self.last_before);
    }

    /// True if the run has recorded the resource before, and the copy had it not.
    fn is_of_this_run(&mut self, id: i64) -> bool {
        let is_recorded = id > self.last_before && id <= self.last;
        self.last = self.last.max(id);
        is_recorded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_last_of_a_resource_is_what_a_dry_run_counts() {
        let (mut tally, mut report) = (ResourceTally::new(2), Report::default());
        tally.count_expected(1, &mut report);
        tally.count_comparison(1, &mut report);
        assert_eq!((report.updated, report.to_compare), (0, 1));
        tally.count_expected(1, &mut report);
        assert_eq!((report.updated, report.to_compare), (1, 0));
    }

    #[test]
    fn what_is_deleted_is_not_to_be_compared() {
        let (mut tally, mut report) = (ResourceTally::new(2), Report::default());
        tally.count_comparison(1, &mut report);
        tally.count_deletion(1, &mut report);
        assert_eq!((report.deleted, report.to_compare), (1, 0));
    }
}
