//! Keeps runs in the history of their copy.

use std::time::Instant;

use serde::Serialize;

use tidings_bytes::STATE_FOLDER;

use super::{AuditCounts, Kept, Measures, Run, SyncCounts};
use crate::audit::compare;
use crate::state::{RunRow, State};
use crate::{AuditOptions, AuditReport, Progress, Report, RunOutcome, SyncError, Work};

/// Compares a copy with its Source, and its files with what is known of them, and keeps the result in
/// the history of the copy. Nothing else is written.
pub fn audit(
    options: &AuditOptions,
    progress: &mut dyn Progress,
) -> Result<AuditReport, SyncError> {
    let started = Instant::now();
    let mut result = compare(options, progress);
    let state = State::open_existing(&options.folder.join(STATE_FOLDER));
    let Ok(Some(mut state)) = state else { return result };
    if let Ok(report) = &mut result {
        // Where a gap is, nobody knows what the copy should have.
        report.accuracy = accuracy(report).filter(|_| report.gaps.is_empty());
        let known = state.runs().unwrap_or_default().into_iter().rev();
        report.lag = known.map(Run::from_row).find_map(|run| run.measures.lag);
    }
    let row = match &result {
        Ok(report) => audit_row(report, options),
        Err(error) if is_refusal(error) => return result,
        Err(error) => failed_row(Work::Audit, started, error),
    };
    // A result that could not be kept is still the result.
    if let Err(error) = state.keep_run(&row) {
        tracing::debug!(folder = %options.folder.display(), %error, "the audit was not kept");
    }
    result
}

/// Keeps a sync that was done.
pub(crate) fn keep_sync(state: &mut State, report: &Report) -> Result<(), SyncError> {
    let outcome = if report.is_well() { RunOutcome::Well } else { RunOutcome::Differs };
    let counts = SyncCounts::from_report(report);
    let measures = Measures {
        resources: report.resources,
        requests: report.requests,
        bytes: report.bytes,
        seconds: report.seconds,
        lag: report.lag.clone(),
        accuracy: report.accuracy,
    };
    state.keep_run(&row(Work::Sync, outcome, None, &Kept { measures, counts }))
}

/// Keeps a sync that failed, without what it had not committed. If that fails as well, the first error
/// is the one that counts.
pub(crate) fn keep_failed_sync(state: &mut State, started: Instant, error: &SyncError) {
    if is_refusal(error) || state.roll_back().is_err() {
        return;
    }
    if let Err(error) = state.keep_run(&failed_row(Work::Sync, started, error)) {
        tracing::debug!(%error, "the sync was not kept");
    }
}

/// True for an error that says nothing of the copy: the run was not let to begin.
fn is_refusal(error: &SyncError) -> bool {
    matches!(
        error,
        SyncError::Locked { .. }
            | SyncError::OtherSource { .. }
            | SyncError::OtherMapping { .. }
            | SyncError::NoCopy { .. }
            | SyncError::NewerState { .. }
            | SyncError::Pattern(_)
    )
}

/// The share of the resources that an audit found in step. Of a sample it is an estimate: resources that
/// are missing are counted among all, others among those that were looked at.
fn accuracy(report: &AuditReport) -> Option<f64> {
    let share = |part: u64, all: u64| (all > 0).then(|| part as f64 / all as f64);
    let present = share(report.resources.saturating_sub(report.missing), report.resources)?;
    if report.checked == 0 {
        return (report.missing > 0).then_some(present);
    }
    let wrong = report.changed + report.corrupt;
    Some(present * share(report.checked.saturating_sub(wrong), report.checked)?)
}

fn audit_row(report: &AuditReport, options: &AuditOptions) -> RunRow {
    let outcome = if report.in_sync { RunOutcome::Well } else { RunOutcome::Differs };
    let counts = AuditCounts::from_report(report, options.deep, options.sample);
    let measures = Measures {
        resources: report.resources,
        requests: report.requests,
        bytes: report.bytes,
        seconds: report.seconds,
        // That of a sync before is not one of this run.
        lag: None,
        accuracy: report.accuracy,
    };
    row(Work::Audit, outcome, None, &Kept { measures, counts })
}

fn failed_row(kind: Work, started: Instant, error: &SyncError) -> RunRow {
    let seconds = started.elapsed().as_secs_f64();
    row(
        kind,
        RunOutcome::Failed,
        Some(error.with_causes()),
        &Measures { seconds, ..Measures::default() },
    )
}

fn row(kind: Work, outcome: RunOutcome, error: Option<String>, report: &impl Serialize) -> RunRow {
    RunRow {
        kind: kind.name().to_owned(),
        ended: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        outcome: Some(outcome.name().to_owned()),
        error,
        report: serde_json::to_string(report).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accuracy_of_an_audit_is_the_share_in_step() {
        let report = |resources, checked, missing, changed, corrupt| AuditReport {
            resources,
            checked,
            missing,
            changed,
            corrupt,
            ..AuditReport::default()
        };
        for (report, expected) in [
            (report(0, 0, 0, 0, 0), None),
            (report(10, 10, 0, 0, 0), Some(1.0)),
            (report(10, 8, 2, 1, 1), Some(0.6)),
            (report(10, 0, 10, 0, 0), Some(0.0)),
            // A sample of 5 of 10: 2 of all are missing, 1 of 4 is corrupt.
            (report(10, 4, 2, 0, 1), Some(0.6)),
        ] {
            let found = accuracy(&report);
            let is_close = match (found, expected) {
                (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
                (found, expected) => found == expected,
            };
            assert!(is_close, "{found:?} for {report:?}");
        }
    }
}
