//! Reports which documents a plan uses and why, and which of them are missing.

use std::collections::HashSet;

use tidings_document::{Capability, Moment};

use super::{FROM_CHANGE_LIST, Update, urls_of};
use crate::SyncError;
use crate::coverage::{Gap, IntervalKind};
use crate::engine::Engine;
use crate::moments::instant;
use crate::plan::{Plan, Start};
use crate::report::{SetGap, Way};
use crate::state::SetRow;
use crate::survey::{BaselineDocument, DocumentFailure, ReadSoFar, Survey};

impl Engine<'_> {
    /// Says which documents were chosen, and why.
    pub(super) fn tell_plan(
        &mut self,
        set: &SetRow,
        survey: &Survey,
        planned: &Plan,
        update: &Update<'_>,
    ) {
        let words = match planned.start {
            Start::Baseline(index) => {
                let why = self.reason(set, survey, update);
                Some(match &survey.baselines[index] {
                    BaselineDocument::Dump { .. } => {
                        format!("everything, from its Resource Dump ({why})")
                    }
                    BaselineDocument::List { is_sitemap: true, .. } => {
                        format!("everything, compared with its Sitemap ({why})")
                    }
                    BaselineDocument::List { .. } => {
                        format!("everything, compared with its Resource List ({why})")
                    }
                })
            }
            Start::Nothing if survey.changes.is_empty() => return,
            Start::Copy
                if planned
                    .changes
                    .iter()
                    .all(|one| survey.changes[*one].read == ReadSoFar::All) =>
            {
                None
            }
            Start::Nothing => Some(
                "what changed, as far as that reaches back: it has no Resource List".to_owned(),
            ),
            Start::Copy => {
                let is_package = |index: &&usize| {
                    survey.coverage.changes[**index].kind == IntervalKind::ChangeDump
                };
                let words = match planned.changes.iter().filter(is_package).count() {
                    0 => FROM_CHANGE_LIST,
                    count if count == planned.changes.len() => "what changed, from its Change Dump",
                    _ => "what changed, from its Change Dump and its Change List",
                };
                Some(words.to_owned())
            }
        };
        let name = set.name.clone();
        self.report.ways.push(match words {
            Some(words) => Way::Documents { set: name, words },
            None => Way::NothingNew { set: name },
        });
        self.report.add_plan(format!("{}: {}", set.name, survey.summary(planned)));
    }

    /// Why the changes do not lead on from the copy.
    pub(super) fn reason(&self, set: &SetRow, survey: &Survey, update: &Update<'_>) -> String {
        if self.options.moved {
            return "the Source has moved".to_owned();
        }
        if self.options.baseline {
            return "it was asked for".to_owned();
        }
        if !set.complete {
            return "there is no copy yet".to_owned();
        }
        if self.source.must_compare_all {
            return "other resources are wanted than before".to_owned();
        }
        if let Some(reason) = update.contradiction.as_ref().or(survey.contradiction.as_ref()) {
            return reason.clone();
        }
        let first = survey.coverage.changes.iter().filter_map(|interval| interval.from).min();
        match (first, set.reached.or(set.at)) {
            (Some(from), Some(reached)) => {
                format!("its changes begin at {from}, and the copy is of {reached}")
            }
            _ => "the Source has no Change List".to_owned(),
        }
    }

    pub(super) fn tell_gap(&mut self, set: &SetRow, gap: &Gap, contradiction: Option<&String>) {
        let reason = match contradiction {
            Some(contradiction) if gap.after.is_none() => contradiction.clone(),
            _ => gap.to_string(),
        };
        let text = |moment: Moment| moment.to_string();
        self.report.gaps.push(SetGap {
            set: set.name.clone(),
            after: gap.after.map(text),
            before: gap.before.map(text),
            reason,
        });
    }

    /// Tells of documents that are listed and could not be read. Packages are another way to the same
    /// resources: a dump that is broken is worth a note where the rest led to the end. One that is not
    /// there is a promise that the Source does not keep.
    pub(super) fn tell_failures(
        &mut self,
        set: &SetRow,
        update: &Update<'_>,
    ) -> Result<(), SyncError> {
        let dumps = [Capability::ResourceDump, Capability::ChangeDump]
            .map(|capability| urls_of(update.offered, capability))
            .concat();
        let did_nothing = !update.is_compared
            && self.report.gaps.is_empty()
            && !self.report.has_changes()
            && self.report.unchanged + self.report.to_compare + self.report.uncounted_packages == 0;
        let mut told = HashSet::new();
        for failure in &update.failures {
            if !told.insert(failure.url.clone()) {
                continue;
            }
            let is_dump = dumps.iter().any(|dump| dump.as_str() == failure.url);
            let reached = set.reached.or(set.at).map(instant);
            let is_reached = failure.at.is_some_and(|at| reached >= Some(instant(at)));
            let is_needed = update.is_broken || !(update.is_current || is_reached);
            let reason = failure.error.to_string();
            let is_absent_dump = is_dump && failure.is_absence();
            if is_dump && !is_needed && !is_absent_dump {
                self.report.note(format!("{}: {reason}", failure.url));
                continue;
            }
            // Where a dump is not there, and the rest was read, all was looked at.
            self.source.is_partial |= !is_absent_dump || update.is_broken;
            self.source.has_lost_entries |= failure.error.is_of_lost_entries();
            self.report.fail(&failure.url, &reason);
        }
        // Nothing could be done: the error stands for the run. What is not there, or is broken in a
        // package, is no fault of this run.
        let stops = |failure: &&DocumentFailure| {
            let is_read = failure.is_absence() || failure.error.is_of_lost_entries();
            !is_read && !dumps.iter().any(|dump| dump.as_str() == failure.url)
        };
        if did_nothing && let Some(failure) = update.failures.iter().find(stops) {
            let (url, reason) = (failure.url.clone(), failure.error.to_string());
            return Err(SyncError::Unreadable { url, reason });
        }
        Ok(())
    }
}
