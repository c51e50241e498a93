//! Removing what the Source has no more.

use tidings_bytes::{Occupant, STATE_FOLDER};

use crate::SyncError;
use crate::bytes::Expected;
use crate::engine::Engine;
use crate::fetch::measure;
use crate::state::Gone;

/// How many are removed in one transaction.
const BATCH: usize = 1_000;

/// What becomes of the file of a resource that is gone.
enum Fate {
    Remove,
    /// It goes to the trash, as was asked for.
    Trash,
    /// The same, unasked: it is not what the copy put there.
    Keep,
    /// Something else is there.
    Leave,
}

impl Engine<'_> {
    /// Removes what is gone, if that was asked for and can be believed.
    ///
    /// The row goes after the file: a run that is killed in between finds the row again, and no file.
    pub(crate) fn remove_gone(&mut self, now: &str) -> Result<(), SyncError> {
        // Each run has its own: what is deleted twice in a day is kept twice.
        let trash = format!("trash/{}", now.replace(':', ""));
        self.remove_leftovers(&trash)?;
        let gone = self.desk.state.count_gone()?;
        let all = self.count_resources(gone)?;
        self.report.resources = all.saturating_sub(gone);
        if gone == 0 {
            return Ok(());
        }
        // What entries that name nothing were to name may be what seems to be gone.
        if !self.options.delete || self.source.has_lost_entries {
            self.report.kept = gone;
            return Ok(());
        }
        if !self.options.max_delete.allows(gone, all) {
            self.report.held = gone;
            return Ok(());
        }
        let mut last = 0;
        loop {
            let rows = self.desk.state.gone_after(last, BATCH)?;
            if rows.is_empty() {
                break;
            }
            for gone in &rows {
                last = gone.id;
                let path = self.desk.path(&gone.uri, gone.path.as_deref());
                match self.fate_of(gone, &path) {
                    Fate::Remove => self.desk.files.delete(&path)?,
                    Fate::Trash => self.desk.files.set_aside(&path, &trash)?,
                    Fate::Keep => {
                        let kept = self.desk.files.location(&trash_path(&trash, &path));
                        self.report.note(format!(
                            "the file of {} was changed after it was copied; it is kept as {}",
                            gone.uri,
                            kept.display()
                        ));
                        self.desk.files.set_aside(&path, &trash)?;
                    }
                    Fate::Leave => {}
                }
            }
            self.desk.files.sync()?;
            self.desk.state.begin()?;
            for Gone { id, .. } in &rows {
                self.desk.state.forget(*id)?;
                self.desk.tally.count_deletion(*id, &mut self.report);
            }
            self.desk.state.commit()?;
        }
        self.report.deletes_arrived();
        self.desk.state.set_setting("resources", &self.desk.state.count()?.to_string())
    }

    /// Removes what a killed run has left, if this one has brought all that there is.
    fn remove_leftovers(&mut self, trash: &str) -> Result<(), SyncError> {
        let is_whole = !self.source.is_partial
            && self.report.failed == 0
            && self.report.failures.is_empty()
            && self.desk.state.owed_count()? == 0;
        if !is_whole {
            return Ok(());
        }
        for path in self.desk.sweep_unrecorded(trash)? {
            let kept = self.desk.files.location(&trash_path(trash, &path));
            self.report.note(format!(
                "{path} was left by a run that was stopped, and is no resource any more; it is kept \
                 as {}",
                kept.display()
            ));
        }
        Ok(())
    }

    /// Only what the copy wrote is removed: what somebody has written over it since may be had nowhere
    /// else.
    fn fate_of(&mut self, gone: &Gone, path: &str) -> Fate {
        // A folder that has taken its place is not its file.
        match self.desk.files.occupant(path) {
            Err(_) | Ok(Occupant::Folder | Occupant::BelowFile(_)) => Fate::Leave,
            // Its folders may still be there.
            Ok(Occupant::Nothing) => Fate::Remove,
            _ if self.options.trash => Fate::Trash,
            Ok(Occupant::File) if self.is_own(gone, path) => Fate::Remove,
            Ok(Occupant::File | Occupant::Other) => Fate::Keep,
        }
    }

    /// True if a file has the bytes that the copy put there.
    fn is_own(&mut self, gone: &Gone, path: &str) -> bool {
        let Some(stamp) = self.desk.files.stamp(path) else { return false };
        if stamp.length == gone.length && stamp.mtime == gone.mtime {
            return true;
        }
        let file = self.desk.files.open(path).ok().filter(|_| stamp.length == gone.length);
        let measured = file.and_then(|file| measure(file, &Expected::default()));
        measured.is_some_and(|measured| measured.sha256 == gone.sha256)
    }

    /// How many resources the copy has: counted where something changed, else as it was counted last.
    fn count_resources(&mut self, gone: u64) -> Result<u64, SyncError> {
        const NAME: &str = "resources";
        let counted = self.desk.state.setting(NAME)?.and_then(|text| text.parse().ok());
        let is_same = gone == 0 && !self.report.has_changes() && self.report.adopted == 0;
        if let Some(counted) = counted.filter(|_| is_same) {
            return Ok(counted);
        }
        let all = self.desk.state.count()?;
        self.desk.state.set_setting(NAME, &all.to_string())?;
        Ok(all)
    }
}

fn trash_path(trash: &str, path: &str) -> String {
    format!("{STATE_FOLDER}/{trash}/{path}")
}
