//! The counts of syncs and audits with their words, for everybody who shows them.

use std::fmt;

use tidings_base::text::grouped;

use super::{AuditCounts, SyncCounts};
use crate::{AuditReport, Report};

/// How many failures or differences are kept with a run.
const MAX_EXAMPLES: usize = 20;

/// A count that is not 0, with its word. It shows as `1,000 missing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountLabel {
    /// How many.
    pub count: u64,
    /// What they are.
    pub word: &'static str,
    /// False if no resources are counted.
    pub is_of_resources: bool,
}

impl fmt::Display for CountLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", grouped(self.count), self.word)
    }
}

impl SyncCounts {
    /// The counts of a report.
    #[must_use]
    pub fn from_report(report: &Report) -> Self {
        Self {
            created: report.created,
            updated: report.updated,
            deleted: report.deleted,
            kept: report.kept,
            held: report.held,
            unchanged: report.unchanged,
            failed: report.failed,
            gaps: report.gaps.len() as u64,
            failures: report.failures.iter().take(MAX_EXAMPLES).cloned().collect(),
        }
    }

    /// The counts in words, in the order in which they are shown.
    #[must_use]
    pub fn labels(&self) -> Vec<CountLabel> {
        labels([
            (self.created, "created"),
            (self.updated, "updated"),
            (self.deleted, "deleted"),
            (self.failed, "not fetched"),
            (self.held, "held back"),
            (self.kept, "kept"),
            (self.unchanged, "unchanged"),
        ])
        .chain(gap_label(self.gaps))
        .collect()
    }
}

impl AuditCounts {
    /// The counts of a report, of an audit that reads every byte if it is `deep`, or looks at some resources
    /// only.
    #[must_use]
    pub fn from_report(report: &AuditReport, deep: bool, sample: Option<u64>) -> Self {
        Self {
            deep,
            sample,
            checked: report.checked,
            missing: report.missing,
            changed: report.changed,
            extra: report.extra,
            corrupt: report.corrupt,
            stray: report.stray,
            gaps: report.gaps.len() as u64,
            differences: report.differences.iter().take(MAX_EXAMPLES).cloned().collect(),
        }
    }

    /// What is not as it should be, in words.
    #[must_use]
    pub fn difference_labels(&self) -> Vec<CountLabel> {
        labels([
            (self.missing, "missing"),
            (self.changed, "changed"),
            (self.extra, "extra"),
            (self.corrupt, "corrupt"),
            (self.stray, "stray"),
        ])
        .chain(gap_label(self.gaps))
        .collect()
    }

    /// All counts in words, in the order in which they are shown.
    #[must_use]
    pub fn labels(&self) -> Vec<CountLabel> {
        let mut all = self.difference_labels();
        let word = if self.deep { "checked byte by byte" } else { "checked" };
        all.extend(labels([(self.checked, word)]));
        all
    }
}

fn labels<const N: usize>(counts: [(u64, &'static str); N]) -> impl Iterator<Item = CountLabel> {
    let label = |(count, word)| CountLabel { count, word, is_of_resources: true };
    counts.into_iter().filter(|(count, _)| *count > 0).map(label)
}

fn gap_label(gaps: u64) -> Option<CountLabel> {
    let word = if gaps == 1 { "gap" } else { "gaps" };
    (gaps > 0).then_some(CountLabel { count: gaps, word, is_of_resources: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(labels: &[CountLabel]) -> String {
        labels.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn counts_have_words_when_they_are_not_0() {
        assert_eq!(SyncCounts::default().labels(), []);
        let sync = SyncCounts { created: 1_000, failed: 2, gaps: 1, ..SyncCounts::default() };
        assert_eq!(shown(&sync.labels()), "1,000 created, 2 not fetched, 1 gap");
        let audit = AuditCounts { stray: 1, gaps: 2, checked: 3, ..AuditCounts::default() };
        assert_eq!(shown(&audit.difference_labels()), "1 stray, 2 gaps");
        assert_eq!(shown(&audit.labels()), "1 stray, 2 gaps, 3 checked");
        let deep = AuditCounts { checked: 3, deep: true, ..AuditCounts::default() };
        assert_eq!(shown(&deep.labels()), "3 checked byte by byte");
    }
}
