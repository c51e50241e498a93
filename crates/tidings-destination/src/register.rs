//! The register of copies: which there are on this machine, how each was when it was last looked after,
//! and what is being done with it now.
//!
//! It is a folder with one of its own for each copy, named by a digest of where the copy is. A run keeps
//! a small file there: `sync.json`, or `audit.json` for an audit. Each has one writer, so that a sync and
//! an audit at the same time lose nothing of each other; and each has a lock, which a run holds as long
//! as it lives. What a file says of a run whose lock is free is left over from one that was killed.
//!
//! The register is for people. No run depends on it: the copy itself has all that it needs.

mod entry;
mod lock;
mod place;
mod record;
mod report;

use std::io;
use std::path::{Path, PathBuf};

use url::Url;

pub use entry::Entry;
pub use report::{AuditRecord, CopyReport, Differences, RunOutcome, Running, SyncRecord, Work};

use lock::Lock;
use record::Record;

/// A register of copies.
#[derive(Debug, Clone)]
pub struct Register {
    folder: PathBuf,
}

impl Register {
    /// The register in that folder, which need not be there yet.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The register of this user: `$XDG_STATE_HOME/tidings/copies`, or `~/.local/state/tidings/copies`.
    /// None where neither is known as an absolute path.
    #[must_use]
    pub fn usual() -> Option<Self> {
        let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let state = absolute("XDG_STATE_HOME")
            .or_else(|| Some(absolute("HOME")?.join(".local").join("state")))?;
        Some(Self::at(state.join("tidings").join("copies")))
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Enters a run that is about to begin: the copy is in the register from now on, and the run is at
    /// work until the entry is dropped. Neither the copy nor its folder need be there yet.
    ///
    /// Of the source, a user name and password are not kept. An error means that the run is not in the
    /// register, and nothing else; [`WouldBlock`](io::ErrorKind::WouldBlock) that another such run of the
    /// same copy is.
    pub fn enter(&self, copy: &Path, source: &str, work: Work) -> io::Result<Entry> {
        let folder = place::canonical(copy)?;
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        let name = folder.to_str().ok_or_else(|| {
            invalid(format!("{} is not UTF-8; the register cannot name it", folder.display()))
        })?;
        let mut source = Url::parse(source)
            .map_err(|error| invalid(format!("the source of {name} is not a URL: {error}")))?;
        // A URL that has these can lose them.
        let _ = source.set_username("");
        let _ = source.set_password(None);
        let place = self.folder.join(place::key(&folder));
        Entry::begin(&place, work, name, source.as_str())
    }

    /// All copies, by their folders. What cannot be read is left out.
    pub fn list(&self) -> io::Result<Vec<CopyReport>> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let keys = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut reports: Vec<CopyReport> =
            keys.filter(|key| place::is_key(key)).filter_map(|key| self.find(&key)).collect();
        reports.sort_by(|one, other| one.folder.cmp(&other.folder));
        Ok(reports)
    }

    /// The copy of that key; none if the register has no such.
    #[must_use]
    pub fn find(&self, key: &str) -> Option<CopyReport> {
        if !place::is_key(key) {
            return None;
        }
        let place = self.folder.join(key);
        report::of(key, read(&place, Work::Sync), read(&place, Work::Audit))
    }

    /// Takes the copy of that key out of the register; false if it has no such. The copy itself is left
    /// as it is, and the next run enters it again.
    ///
    /// While a run is at work on it, that is an error of the kind
    /// [`ResourceBusy`](io::ErrorKind::ResourceBusy).
    pub fn forget(&self, key: &str) -> io::Result<bool> {
        let place = self.folder.join(key);
        if !place::is_key(key) || !place.is_dir() {
            return Ok(false);
        }
        let busy = |error: io::Error| match error.kind() {
            io::ErrorKind::WouldBlock => io::Error::new(
                io::ErrorKind::ResourceBusy,
                format!("a run is at work on the copy {key}; forget it when that has ended"),
            ),
            _ => error,
        };
        let _sync = Lock::take(&place, Work::Sync).map_err(busy)?;
        let _audit = Lock::take(&place, Work::Audit).map_err(busy)?;
        std::fs::remove_dir_all(&place)?;
        Ok(true)
    }
}

/// What a kind of run has kept of a copy. What a run that was killed was doing is no more.
fn read(place: &Path, work: Work) -> Option<Record> {
    // The lock first: a run that ends in between has told so when its file is read.
    let is_held = Lock::is_held(place, work);
    let mut record = Record::read(&record::path(place, work))?;
    record.running = record.running.filter(|_| is_held);
    Some(record)
}

#[cfg(test)]
mod tests;
