//! Counts what a plan would do, for a dry run.
//!
//! A dry run records nothing, so it cannot compare one document after the other as a run does. It collects the last
//! change of each resource first, and then compares the copy once with the baseline and these changes together.

use tidings_document::{Change, Moment};

use super::Outcome;
use super::applying::Opened;
use crate::SyncError;
use crate::engine::Engine;
use crate::increment::Last;
use crate::mapping::Uri;
use crate::overlay::Overlay;
use crate::plan::{Plan, Start};
use crate::state::{History, SetRow};
use crate::survey::{ChangeDocument, ReadSoFar, Survey};
use crate::wanted::Wanted;

/// The last change of each resource that a plan would apply.
pub(super) struct Preview {
    pub(super) overlay: Overlay,
    /// True if all of them come after what the copy has read.
    pub(super) is_new: bool,
}

impl Engine<'_> {
    /// Collects the changes of a plan, or says why that cannot be done.
    pub(super) fn preview(
        &mut self,
        set: &SetRow,
        known: &[History],
        survey: &mut Survey,
        planned: &Plan,
    ) -> Result<Result<Preview, Outcome>, SyncError> {
        let mut overlay = Overlay::new()?;
        let mut is_new = true;
        let mut documents: Vec<Option<ChangeDocument>> =
            std::mem::take(&mut survey.changes).into_iter().map(Some).collect();
        for index in &planned.changes {
            let Some(document) = documents[*index].take() else { continue };
            match self.open(known, document, planned.start) {
                Opened::Read => {}
                Opened::Not(outcome) => return Ok(Err(outcome)),
                Opened::Packages(packages) => {
                    for package in packages.listed {
                        self.preview_changes(set, &package, &mut overlay)?;
                    }
                }
                Opened::List(mut list) => {
                    let skipped = match list.read {
                        ReadSoFar::Entries(place) if planned.start == Start::Copy => place,
                        _ => 0,
                    };
                    is_new &= planned.start != Start::Copy || list.read != ReadSoFar::Nothing;
                    let mut place = 0;
                    list.document.each(|entry, base| {
                        place += 1;
                        if place <= skipped {
                            return Ok(());
                        }
                        match self.uri_of(set.id, entry, base)? {
                            Some(uri) => overlay.put(&uri, entry, base),
                            None => Ok(()),
                        }
                    })?;
                }
            }
        }
        overlay.finish()?;
        Ok(Ok(Preview { overlay, is_new }))
    }

    /// Counts what the changes after a time would do.
    pub(super) fn count_changes(
        &mut self,
        set: &SetRow,
        preview: &Preview,
        at: Option<Moment>,
    ) -> Result<(), SyncError> {
        preview.overlay.each_change(at, |entry, base| {
            let Ok(uri) = Uri::resolve(&entry.loc, base) else { return Ok(()) };
            let wanted = Wanted::of(entry, &uri, set.id, base);
            let change = entry.metadata.change.unwrap_or(Change::Updated);
            let time = entry.metadata.datetime;
            self.act_on(set, Last { order: 0, change, time, wanted, is_new: preview.is_new })
        })
    }
}
