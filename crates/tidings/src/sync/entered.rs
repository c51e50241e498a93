//! A run that is shown on the screen and told to the register of copies.

use std::path::Path;

use tidings_destination::{
    AuditOptions, AuditReport, Entry, Progress, Register, Report, Step, SyncError, SyncOptions,
    Work,
};
use url::Url;

use super::show::Shown;
use crate::cli::Global;
use crate::screen::Screen;

/// Who follows a run: a person at the screen, and the register if it can be written. A run that the
/// register cannot have goes on all the same.
pub(crate) struct Entered<'s> {
    shown: Shown<'s>,
    entry: Option<Entry>,
}

impl<'s> Entered<'s> {
    /// A sync, or a repair, that is about to begin. A dry run makes no copy, and is not entered.
    pub(crate) fn sync(options: &SyncOptions, global: &Global, screen: &'s Screen) -> Self {
        let (folder, source) = (&options.folder, &options.source);
        let entry = (!options.dry_run).then(|| enter(folder, source, Work::Sync, global)).flatten();
        Self { shown: Shown::new(screen), entry }
    }

    /// An audit that is about to begin.
    pub(crate) fn audit(options: &AuditOptions, global: &Global, screen: &'s Screen) -> Self {
        let entry = enter(&options.folder, &options.source, Work::Audit, global);
        Self { shown: Shown::new(screen), entry }
    }

    pub(crate) fn synced(self, result: &Result<Report, SyncError>) {
        if let Some(entry) = self.entry {
            entry.synced(result);
        }
    }

    pub(crate) fn audited(self, result: &Result<AuditReport, SyncError>, deep: bool) {
        if let Some(entry) = self.entry {
            entry.audited(result, deep);
        }
    }
}

impl Progress for Entered<'_> {
    fn show(&mut self, step: &Step<'_>) {
        self.shown.show(step);
        if let Some(entry) = &mut self.entry {
            entry.progress(step);
        }
    }
}

fn enter(folder: &Path, source: &Url, work: Work, global: &Global) -> Option<Entry> {
    let asked = global.register.clone().map(Register::at);
    let entered = asked.or_else(Register::usual)?.enter(folder, source.as_str(), work);
    entered
        .inspect_err(|error| {
            tracing::debug!(folder = %folder.display(), %error, "the register was not written");
        })
        .ok()
}
