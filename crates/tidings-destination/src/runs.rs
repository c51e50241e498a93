//! The history of a copy: how its syncs and audits ended.

mod keep;
mod label;

use std::path::Path;

use serde::{Deserialize, Serialize};

use tidings_bytes::STATE_FOLDER;

use crate::lag::Lag;
use crate::state::{RunRow, State};
use crate::{Difference, Failed, RunOutcome, SyncError, Work};
pub use keep::audit;
pub(crate) use keep::{keep_failed_sync, keep_sync};
pub use label::CountLabel;

/// A sync or an audit of a copy that ended.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    /// What it was.
    pub kind: Work,
    /// When it ended, by the clock of this machine: RFC 3339, in UTC.
    pub ended: String,
    /// How it ended.
    pub outcome: RunOutcome,
    /// Why it failed.
    pub error: Option<String>,
    /// What it measured.
    #[serde(flatten)]
    pub measures: Measures,
    /// What it counted.
    #[serde(flatten)]
    pub counts: RunCounts,
}

/// The measures that syncs and audits share. A run that failed has few of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measures {
    /// How many resources the copy has, for a sync; how many the Source has, for an audit.
    pub resources: u64,
    /// How many requests were made.
    pub requests: u64,
    /// Bytes that came over the network, for a sync; bytes of the copy that were read, for an audit.
    pub bytes: u64,
    /// How long it took.
    pub seconds: f64,
    /// The newest change that reached the copy; none if that is not known.
    pub lag: Option<Lag>,
    /// The share of the resources that are in step; none if that is not known.
    pub accuracy: Option<f64>,
}

/// The counts of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum RunCounts {
    /// Those of a sync.
    Sync(SyncCounts),
    /// Those of an audit.
    Audit(AuditCounts),
}

/// The counts of a sync, as in its [`Report`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "they are those of the report")]
pub struct SyncCounts {
    pub created: u64,
    pub updated: u64,
    pub deleted: u64,
    pub kept: u64,
    pub held: u64,
    pub unchanged: u64,
    pub failed: u64,
    pub gaps: u64,
    /// The first 20 of the failures.
    pub failures: Vec<Failed>,
}

/// The counts of an audit, as in its [`AuditReport`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "they are those of the report")]
pub struct AuditCounts {
    /// True if every byte of the copy was read.
    pub deep: bool,
    /// How many resources were asked for, if not all.
    pub sample: Option<u64>,
    pub checked: u64,
    pub missing: u64,
    pub changed: u64,
    pub extra: u64,
    pub corrupt: u64,
    pub stray: u64,
    pub gaps: u64,
    /// The first 20 of the differences.
    pub differences: Vec<Difference>,
}

/// What is kept of a run, as JSON.
#[derive(Serialize, Deserialize)]
struct Kept<C> {
    #[serde(flatten)]
    measures: Measures,
    #[serde(flatten)]
    counts: C,
}

/// The syncs and audits of a copy, the newest last: the last thousand. Runs that were refused, as
/// another run was working on the copy, are not among them; nor are dry runs.
pub fn runs(folder: &Path) -> Result<Vec<Run>, SyncError> {
    let state = State::open_existing(&folder.join(STATE_FOLDER))?;
    let state = state.ok_or_else(|| SyncError::NoCopy { path: folder.to_owned() })?;
    Ok(state.runs()?.into_iter().map(Run::from_row).collect())
}

impl Run {
    /// A row that cannot be read has no counts: the rest of the history is worth to be seen.
    pub(crate) fn from_row(row: RunRow) -> Self {
        let kind = if row.kind == Work::Audit.name() { Work::Audit } else { Work::Sync };
        let (measures, counts) = match kind {
            Work::Sync => {
                let (measures, counts) = parse::<SyncCounts>(&row.report);
                (measures, RunCounts::Sync(counts))
            }
            Work::Audit => {
                let (measures, counts) = parse::<AuditCounts>(&row.report);
                (measures, RunCounts::Audit(counts))
            }
        };
        let outcome = row.outcome.as_deref().and_then(RunOutcome::from_name);
        // Before outcomes were kept, only syncs that were done were.
        let done = match &counts {
            RunCounts::Sync(counts) if counts.failed + counts.held > 0 => RunOutcome::Differs,
            _ => RunOutcome::Well,
        };
        let outcome = outcome.unwrap_or(done);
        Self { kind, ended: row.ended, outcome, error: row.error, measures, counts }
    }
}

fn parse<C: Default + for<'de> Deserialize<'de>>(report: &str) -> (Measures, C) {
    let kept = serde_json::from_str(report).map(|Kept { measures, counts }| (measures, counts));
    kept.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_from_before_have_the_outcome_that_their_counts_tell() {
        let old = |report: &str| {
            Run::from_row(RunRow {
                kind: "sync".into(),
                report: report.into(),
                ..RunRow::default()
            })
        };
        let well =
            old(r#"{"source":"x","created":3,"failed":0,"held":0,"seconds":1.5,"notes":[]}"#);
        assert_eq!((well.outcome, well.measures.seconds), (RunOutcome::Well, 1.5));
        assert!(matches!(well.counts, RunCounts::Sync(SyncCounts { created: 3, .. })));
        let held = old(r#"{"held":7,"failures":[{"uri":"a","reason":"b"}]}"#);
        assert_eq!(held.outcome, RunOutcome::Differs);
        assert!(matches!(old("not JSON").counts, RunCounts::Sync(_)));
    }
}
