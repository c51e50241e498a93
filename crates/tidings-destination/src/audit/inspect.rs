//! Looking at the files, on all cores.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use tidings_bytes::{ByteReader, ByteStore};

use super::{AuditReport, Kind};
use crate::SyncError;
use crate::bytes::Expected;
use crate::fetch::measure;
use crate::mapping::{Mapping, Uri};

/// How many files are looked at together.
const TOGETHER: usize = 512;

/// A file, and what is known of it.
pub(super) struct Suspect {
    pub(super) uri: String,
    /// Where it is, if that is not where the mapping puts it.
    pub(super) path: Option<String>,
    pub(super) length: u64,
    pub(super) mtime: i64,
    pub(super) sha256: [u8; 32],
    /// What the Source says of it, if only the bytes can tell whether that is so.
    pub(super) asked: Option<Expected>,
}

/// What is wrong with some files, and how many bytes of them were read.
type Found = (Vec<(Kind, String, &'static str)>, u64);

/// Threads that look at files.
pub(super) struct Inspector {
    batch: Vec<Suspect>,
    queues: Vec<SyncSender<Vec<Suspect>>>,
    next: usize,
    results: Receiver<Found>,
    threads: Vec<JoinHandle<()>>,
}

impl Inspector {
    pub(super) fn start(
        files: &dyn ByteStore,
        mapping: &Arc<Mapping>,
        deep: bool,
    ) -> Result<Self, SyncError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // Results are small and few; a queue without bound keeps both ends from waiting.
        let (sender, results) = std::sync::mpsc::channel();
        let (mut queues, mut threads) = (Vec::new(), Vec::new());
        for _ in 0..cores {
            let (queue, batches) = sync_channel::<Vec<Suspect>>(8);
            let (mut files, sender) = (files.reader()?, sender.clone());
            let mapping = Arc::clone(mapping);
            threads.push(std::thread::spawn(move || {
                while let Ok(batch) = batches.recv() {
                    if sender.send(inspect(files.as_mut(), &mapping, batch, deep)).is_err() {
                        return;
                    }
                }
            }));
            queues.push(queue);
        }
        Ok(Self { batch: Vec::with_capacity(TOGETHER), queues, next: 0, results, threads })
    }

    /// Has a file looked at.
    pub(super) fn look_at(&mut self, suspect: Suspect, report: &mut AuditReport) {
        self.batch.push(suspect);
        if self.batch.len() == TOGETHER {
            self.send();
            while let Ok(found) = self.results.try_recv() {
                add(found, report);
            }
        }
    }

    fn send(&mut self) {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(TOGETHER));
        self.next = (self.next + 1) % self.queues.len();
        let _ = self.queues[self.next].send(batch);
    }

    /// Waits until all files were looked at.
    pub(super) fn finish(mut self, report: &mut AuditReport) {
        self.send();
        self.queues.clear();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        while let Ok(found) = self.results.try_recv() {
            add(found, report);
        }
        report.in_sync = report.count() == 0 && report.gaps.is_empty();
    }
}

fn add((found, bytes): Found, report: &mut AuditReport) {
    report.bytes += bytes;
    for (kind, uri, reason) in found {
        report.add(kind, &uri, reason);
    }
}

fn inspect(
    files: &mut dyn ByteReader,
    mapping: &Mapping,
    batch: Vec<Suspect>,
    deep: bool,
) -> Found {
    let (mut wrong, mut bytes) = (Vec::new(), 0);
    for suspect in batch {
        let mapped = || mapping.path(&Uri::known(&suspect.uri));
        let path = suspect.path.clone().unwrap_or_else(mapped);
        if let Some((kind, reason)) = verdict(files, &suspect, &path, deep, &mut bytes) {
            wrong.push((kind, suspect.uri, reason));
        }
    }
    (wrong, bytes)
}

fn verdict(
    files: &mut dyn ByteReader,
    suspect: &Suspect,
    path: &str,
    deep: bool,
    bytes: &mut u64,
) -> Option<(Kind, &'static str)> {
    let Some(stamp) = files.stamp(path) else {
        return Some((Kind::Missing, "its file is not there"));
    };
    if stamp.length != suspect.length {
        return Some((Kind::Corrupt, "its file has another length than was put there"));
    }
    // A time alone may have been touched: then the bytes decide.
    if !deep && stamp.mtime == suspect.mtime && suspect.asked.is_none() {
        return None;
    }
    let expected = suspect.asked.clone().unwrap_or_default();
    let measured = files.open(path).ok().and_then(|file| measure(file, &expected));
    let Some(measured) = measured else {
        return Some((Kind::Corrupt, "its file cannot be read"));
    };
    *bytes += measured.length;
    if measured.sha256 != suspect.sha256 {
        return Some((Kind::Corrupt, "its file has other bytes than were put there"));
    }
    let is_other = expected.mismatch(&measured).is_some();
    is_other.then_some((Kind::Changed, "the Source has another version"))
}
