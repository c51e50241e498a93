//! Removing what the Source has no more.

use crate::SyncError;
use crate::engine::Engine;

/// How many are removed in one transaction.
const BATCH: usize = 1_000;

impl Engine<'_> {
    /// Removes what is gone, if that was asked for and can be believed.
    ///
    /// The row goes after the file: a run that is killed in between finds the row again, and no file.
    pub(crate) fn remove_gone(&mut self, now: &str) -> Result<(), SyncError> {
        let gone = self.desk.state.count_gone()?;
        let all = self.count_resources(gone)?;
        self.report.resources = all.saturating_sub(gone);
        let gone = gone + self.would_go;
        if gone == 0 {
            return Ok(());
        }
        if !self.options.delete {
            self.report.kept = gone;
            return Ok(());
        }
        if !self.options.max_delete.allows(gone, all) {
            self.report.held = gone;
            return Ok(());
        }
        if self.options.dry_run {
            self.report.deleted = gone;
            return Ok(());
        }
        // Each run has its own: what is deleted twice in a day is kept twice.
        let trash = format!("trash/{}", now.replace(':', ""));
        let mut last = 0;
        loop {
            let rows = self.desk.state.gone_after(last, BATCH)?;
            if rows.is_empty() {
                break;
            }
            for (id, uri, path) in &rows {
                last = *id;
                let path = self.desk.path(uri, path.as_deref());
                if self.options.trash {
                    self.desk.replica.set_aside(&path, &trash)?;
                } else {
                    self.desk.replica.remove(&path)?;
                }
            }
            self.desk.replica.sync()?;
            self.desk.state.begin()?;
            for (id, _, _) in &rows {
                self.desk.state.forget(*id)?;
                self.report.deleted += 1;
            }
            self.desk.state.commit()?;
        }
        self.report.deletes_arrived();
        self.desk.state.set_setting("resources", &self.desk.state.count()?.to_string())
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
        if !self.options.dry_run {
            self.desk.state.set_setting(NAME, &all.to_string())?;
        }
        Ok(all)
    }
}
