//! A run, as the register has it.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tidings_bytes::FolderStore;

use super::lock::Lock;
use super::record::{self, Record};
use super::{AuditRecord, Running, SyncRecord, Work};
use crate::{AuditReport, Report, Step, SyncError};

/// How often progress is written.
const EVERY: Duration = Duration::from_millis(500);

/// A run in the register. As long as it lives the run is at work; once it is dropped, or its process
/// ended, it is not.
///
/// What cannot be written is left out, without a word: the run goes on.
#[derive(Debug)]
pub struct Entry {
    path: PathBuf,
    source: String,
    /// What was known before this run.
    before: Option<Record>,
    /// True if there is no copy yet, or no more.
    is_new: bool,
    record: Record,
    running: Running,
    /// When progress was written; none before the first.
    told: Option<Instant>,
    /// Held as long as this lives.
    _lock: Lock,
}

impl Entry {
    /// Takes the lock in that folder of the register, and tells that a run began.
    pub(super) fn begin(place: &Path, work: Work, folder: &str, source: &str) -> io::Result<Self> {
        // What somebody copies is nobody else's business.
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(place)?;
        let lock = Lock::take(place, work)?;
        let path = record::path(place, work);
        let before = Record::read(&path).map(|before| Record { running: None, ..before });
        let new = || Record { source: source.to_owned(), ..Record::default() };
        let mut record = before.clone().unwrap_or_else(new);
        folder.clone_into(&mut record.folder);
        let is_new = !FolderStore::exists(Path::new(folder));
        let (doing, began) = (String::new(), now());
        let running = Running { what: work, doing, done: 0, total: 0, bytes: 0, began, at: began };
        record.running = Some(running.clone());
        record.write(&path)?;
        let source = source.to_owned();
        Ok(Self { path, source, before, is_new, record, running, told: None, _lock: lock })
    }

    /// Tells how far the run is: at most twice in a second, however often it is called.
    pub fn progress(&mut self, step: &Step<'_>) {
        if self.told.is_some_and(|told| told.elapsed() < EVERY) {
            return;
        }
        self.told = Some(Instant::now());
        let Step { doing, done, total, bytes } = *step;
        let (what, began) = (self.running.what, self.running.began);
        self.record.running =
            Some(Running { what, doing: doing.to_owned(), done, total, bytes, began, at: now() });
        self.write();
    }

    /// Tells how a sync ended. One that was refused, as the copy is of another Source or another run is
    /// at work, says nothing of the copy: all is as it was before.
    pub fn synced(mut self, result: &Result<Report, SyncError>) {
        let mut record = match result {
            Ok(report) => {
                let since = self.record.since.filter(|_| !self.is_new);
                self.record.since = since.or(Some(self.running.began));
                self.record.sets.clone_from(&report.sets);
                self.record.resources = Some(report.resources);
                self.record.source.clone_from(&self.source);
                SyncRecord::of(report)
            }
            Err(error) if self.is_refusal(error) => return self.withdraw(),
            Err(error) => SyncRecord { error: Some(error.with_causes()), ..SyncRecord::default() },
        };
        (record.began, record.ended) = (self.running.began, now());
        if result.is_err() {
            record.seconds = seconds(record.began, record.ended);
        }
        self.record.last_sync = Some(record);
        self.end();
    }

    /// Tells how an audit ended, and whether it was to read every byte. For one that was refused, see
    /// [`synced`](Self::synced).
    pub fn audited(mut self, result: &Result<AuditReport, SyncError>, deep: bool) {
        let mut record = match result {
            Ok(report) => {
                self.record.sets.clone_from(&report.sets);
                self.record.source.clone_from(&self.source);
                AuditRecord::of(report)
            }
            Err(error) if self.is_refusal(error) => return self.withdraw(),
            Err(error) => {
                AuditRecord { error: Some(error.with_causes()), ..AuditRecord::default() }
            }
        };
        (record.began, record.ended, record.deep) = (self.running.began, now(), deep);
        if result.is_err() {
            record.seconds = seconds(record.began, record.ended);
        }
        self.record.last_audit = Some(record);
        self.end();
    }

    /// True if the run did not so much as begin.
    fn is_refusal(&self, error: &SyncError) -> bool {
        match error {
            SyncError::Locked { .. }
            | SyncError::OtherSource { .. }
            | SyncError::OtherMapping { .. }
            | SyncError::NoCopy { .. }
            | SyncError::Pattern(_) => true,
            // There never was a copy.
            _ => self.before.is_none() && !Path::new(&self.record.folder).is_dir(),
        }
    }

    fn end(mut self) {
        self.record.running = None;
        self.write();
    }

    /// Makes the register as it was.
    fn withdraw(self) {
        let result = match &self.before {
            Some(before) => before.write(&self.path),
            None => std::fs::remove_file(&self.path),
        };
        told(&self.path, result);
    }

    fn write(&self) {
        told(&self.path, self.record.write(&self.path));
    }
}

fn told(path: &Path, result: io::Result<()>) {
    if let Err(error) = result {
        tracing::debug!(path = %path.display(), %error, "the register was not written");
    }
}

fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

fn seconds(began: i64, ended: i64) -> f64 {
    (ended - began).max(0) as f64 / 1000.0
}
