//! Taking resources out of a package, on all cores.

mod manifest;
mod take;

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use tidings_document::{Change, Reader};
use url::Url;

use crate::SyncError;
use crate::engine::Engine;
use crate::fetch::{Failure, Landed};
use crate::moments::last_instant;
use crate::package::{Member, Package, PackageLimits};
use crate::replica::Draft;
use crate::seen::Seen;
use crate::state::SetRow;
use crate::wanted::Wanted;
use manifest::check_manifest;
use take::work;

/// One resource on its way out of a package.
pub(super) type Unpacked = (Wanted, Result<Landed, Failure>);

impl Engine<'_> {
    /// Takes everything out of one package, on all cores.
    pub(super) fn unpack(
        &mut self,
        set: &SetRow,
        url: &str,
        file: &Draft,
        seen: &mut Seen,
    ) -> Result<Result<(), String>, SyncError> {
        let result = self.try_unpack(set, url, file, seen);
        file.discard();
        result
    }

    fn try_unpack(
        &mut self,
        set: &SetRow,
        url: &str,
        file: &Draft,
        seen: &mut Seen,
    ) -> Result<Result<(), String>, SyncError> {
        let opened =
            file.open().map_err(SyncError::io("could not read", std::path::Path::new(url)))?;
        let package = Package::open(opened, &PackageLimits::default());
        // Headers that contradict each other are not to be trusted in anything.
        let package = match package.and_then(|package| package.check_headers().map(|()| package)) {
            Ok(package) => package,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let manifest = match package.manifest() {
            Ok(manifest) => manifest,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let Ok(base) = Url::parse(url) else { return Ok(Err("it has no URL".to_owned())) };
        // All of the manifest is looked at before anything is taken out.
        if let Err(reason) = check_manifest(&manifest, &package) {
            return Ok(Err(reason));
        }
        self.report.packages += 1;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut temporaries = Vec::new();
        for _ in 0..cores {
            temporaries.push(self.desk.replica.temporary()?);
        }
        std::thread::scope(|scope| {
            let (jobs, queue) = channel::<Vec<(Wanted, Member)>>();
            let (sender, results) = channel::<Vec<Unpacked>>();
            let queue = std::sync::Arc::new(Mutex::new(queue));
            for temporary in temporaries {
                let (queue, sender) = (std::sync::Arc::clone(&queue), sender.clone());
                let package = &package;
                scope.spawn(move || work(package, &queue, &sender, temporary));
            }
            drop((sender, queue));
            self.take_out(set, &base, &manifest, &package, jobs, &results, seen)
        })
        .map(Ok)
    }

    #[expect(clippy::too_many_arguments, reason = "both ends of the pipeline are here")]
    fn take_out(
        &mut self,
        set: &SetRow,
        base: &Url,
        manifest: &[u8],
        package: &Package,
        jobs: Sender<Vec<(Wanted, Member)>>,
        results: &Receiver<Vec<Unpacked>>,
        seen: &mut Seen,
    ) -> Result<(), SyncError> {
        /// How many resources go through the queues together.
        const TOGETHER: usize = 64;
        /// How many such batches may be under way: enough for the cores while files are put into
        /// their places.
        const MOST: usize = 64;
        let mut batch = Vec::with_capacity(TOGETHER);
        let mut waiting = 0_usize;
        let mut lookup = crate::state::Lookup::default();
        let mut reader = Reader::new(manifest);
        loop {
            let entry = reader.next_entry();
            let entry = entry.map_err(|error| crate::documents::unusable(base, &error))?;
            let Some(entry) = entry else { break };
            self.total += 1;
            let Some(uri) = self.uri_of(&entry, base) else {
                // What is passed over is not gone.
                self.pass(&entry, &mut lookup, seen)?;
                continue;
            };
            let row = lookup.find(&self.desk.state, uri.as_str())?.cloned();
            let is_later = |row: &crate::state::Row| {
                let time = entry.metadata.change.and(entry.change_time());
                time.is_some_and(|time| row.changed > Some(last_instant(time)))
            };
            if row.as_ref().is_some_and(is_later) {
                self.done += 1;
                continue;
            }
            if entry.metadata.change == Some(Change::Deleted) {
                self.done += 1;
                if let Some(row) = row {
                    self.desk.state.begin()?;
                    self.desk.state.mark_gone(row.id, entry.change_time())?;
                    self.desk.state.settle(uri.as_str())?;
                }
                continue;
            }
            if let Some(row) = &row {
                seen.insert(row.id);
                if self.is_current(&entry, &uri, row) {
                    self.report.unchanged += 1;
                    self.done += 1;
                    if row.gone || row.set != set.id {
                        self.confirm_row(row, &Wanted::of(&entry, &uri, set.id, base))?;
                    }
                    continue;
                }
            }
            let mut wanted = Wanted::of(&entry, &uri, set.id, base);
            wanted.known = row;
            let path = entry.metadata.path.as_deref().unwrap_or_default();
            let Some(member) = package.member(path) else { continue };
            batch.push((wanted, member));
            if batch.len() == TOGETHER {
                while waiting >= MOST {
                    waiting -= 1;
                    self.take_unpacked(results)?;
                }
                waiting += 1;
                let _ = jobs.send(std::mem::replace(&mut batch, Vec::with_capacity(TOGETHER)));
            }
        }
        if !batch.is_empty() {
            while waiting >= MOST {
                waiting -= 1;
                self.take_unpacked(results)?;
            }
            waiting += 1;
            let _ = jobs.send(batch);
        }
        drop(jobs);
        for _ in 0..waiting {
            self.take_unpacked(results)?;
        }
        Ok(())
    }

    fn take_unpacked(&mut self, results: &Receiver<Vec<Unpacked>>) -> Result<(), SyncError> {
        for (wanted, result) in results.recv().unwrap_or_default() {
            self.done += 1;
            match result {
                Ok(landed) => self.desk.put(wanted, landed, &mut self.report)?,
                Err(failure) if failure.is_disk => {
                    return Err(SyncError::Disk { reason: failure.reason });
                }
                // It can still be had from where it is.
                Err(failure) => {
                    self.report.note(format!("{} in its package: {}", wanted.uri, failure.reason));
                    self.desk.owe_for_now(&wanted, &failure.reason)?;
                }
            }
            self.tell("unpacking");
        }
        Ok(())
    }
}
