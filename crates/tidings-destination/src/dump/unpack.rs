//! Taking resources out of a package, on all cores.

mod manifest;
mod take;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use tidings_bytes::StagedFile;
use tidings_document::{Change, Entry, Moment, Reader};
use url::Url;

use crate::SyncError;
use crate::engine::Engine;
use crate::fetch::{Failure, Landed};
use crate::mapping::Uri;
use crate::moments::{is_past, later};
use crate::package::{Member, Package, PackageLimits};
use crate::seen::Seen;
use crate::state::{Lookup, SetRow};
use crate::wanted::Wanted;
use manifest::check_manifest;
use take::work;

/// One resource on its way out of a package.
pub(super) type Unpacked = (Wanted, Result<Landed, Failure>);

/// How many resources go through the queues together.
const BATCH_RESOURCES: usize = 64;

/// How many such batches may be under way: enough for the cores while files are put into their places.
const MAX_BATCHES: usize = 64;

/// What the manifest of a package says of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackageHead {
    pub(crate) at: Option<Moment>,
    pub(crate) from: Option<Moment>,
    pub(crate) until: Option<Moment>,
    /// The latest change that its entries date.
    pub(crate) newest: Option<Moment>,
    /// How many of its entries name nothing.
    pub(crate) lost: u64,
}

/// The queues between the thread that reads the manifest and those that unpack.
struct Queues<'q> {
    jobs: Sender<Vec<(Wanted, Member)>>,
    results: &'q Receiver<Vec<Unpacked>>,
    batch: Vec<(Wanted, Member)>,
    waiting: usize,
}

impl Engine<'_> {
    /// Takes everything out of one package, on all cores.
    pub(super) fn unpack(
        &mut self,
        set: &SetRow,
        url: &str,
        file: &StagedFile,
        seen: &mut Seen,
    ) -> Result<Result<PackageHead, String>, SyncError> {
        let result = self.try_unpack(set, url, file, seen);
        file.discard();
        result
    }

    fn try_unpack(
        &mut self,
        set: &SetRow,
        url: &str,
        file: &StagedFile,
        seen: &mut Seen,
    ) -> Result<Result<PackageHead, String>, SyncError> {
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
        let (head, last) = match last_entries(&manifest, &base) {
            Ok(read) => read,
            Err(error) => return Ok(Err(error.to_string())),
        };
        self.report.packages += 1;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut temporaries = Vec::new();
        for _ in 0..cores {
            temporaries.push(self.desk.files.staging_area()?);
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
            let batch = Vec::with_capacity(BATCH_RESOURCES);
            let queues = Queues { jobs, results: &results, batch, waiting: 0 };
            self.take_out(set, &base, &manifest, &package, &last, queues, seen)
        })?;
        self.describe_all(set, &base, &manifest, &last)?;
        Ok(Ok(head))
    }

    /// Fetches what describes the resources of a package, if that was asked for.
    fn describe_all(
        &mut self,
        set: &SetRow,
        base: &Url,
        manifest: &[u8],
        last: &HashMap<u64, u64>,
    ) -> Result<(), SyncError> {
        if !self.options.descriptions {
            return Ok(());
        }
        let (mut reader, mut number) = (Reader::new(manifest), 0);
        loop {
            let entry = reader.next_entry();
            let entry = entry.map_err(|error| crate::documents::unusable(base, &error))?;
            let Some(entry) = entry else { break };
            number += 1;
            let Ok(uri) = Uri::resolve(&entry.loc, base) else { continue };
            let is_last = last.get(&hash_of(&uri)) == Some(&number);
            if is_last && entry.metadata.change != Some(Change::Deleted) && self.takes(&entry, base)
            {
                self.describe(&Wanted::of(&entry, &uri, set.id, base))?;
            }
        }
        self.drain()
    }

    #[expect(clippy::too_many_arguments, reason = "both ends of the pipeline are here")]
    fn take_out(
        &mut self,
        set: &SetRow,
        base: &Url,
        manifest: &[u8],
        package: &Package,
        last: &HashMap<u64, u64>,
        mut queues: Queues<'_>,
        seen: &mut Seen,
    ) -> Result<(), SyncError> {
        let mut lookup = Lookup::default();
        let mut reader = Reader::new(manifest);
        let mut number = 0;
        loop {
            let entry = reader.next_entry();
            let entry = entry.map_err(|error| crate::documents::unusable(base, &error))?;
            let Some(entry) = entry else { break };
            number += 1;
            self.meter.total += 1;
            let Some(uri) = self.uri_of(set.id, &entry, base)? else {
                // What is passed over is not gone.
                self.pass(&entry, &mut lookup, seen)?;
                continue;
            };
            // Of several changes of a resource the last one counts.
            if last.get(&hash_of(&uri)) != Some(&number) {
                self.meter.done += 1;
                continue;
            }
            if let Some(wanted) = self.take_entry(set, &entry, &uri, base, &mut lookup, seen)? {
                let path = entry.metadata.path.as_deref().unwrap_or_default();
                let Some(member) = package.member(path) else { continue };
                queues.batch.push((wanted, member));
                if queues.batch.len() == BATCH_RESOURCES {
                    self.send_batch(&mut queues)?;
                }
            }
        }
        if !queues.batch.is_empty() {
            self.send_batch(&mut queues)?;
        }
        drop(queues.jobs);
        for _ in 0..queues.waiting {
            self.take_unpacked(queues.results)?;
        }
        Ok(())
    }

    fn send_batch(&mut self, queues: &mut Queues<'_>) -> Result<(), SyncError> {
        while queues.waiting >= MAX_BATCHES {
            queues.waiting -= 1;
            self.take_unpacked(queues.results)?;
        }
        queues.waiting += 1;
        let batch = std::mem::replace(&mut queues.batch, Vec::with_capacity(BATCH_RESOURCES));
        let _ = queues.jobs.send(batch);
        Ok(())
    }

    /// Acts on an entry of a manifest; gives what has to be taken out of the package.
    fn take_entry(
        &mut self,
        set: &SetRow,
        entry: &Entry<'_>,
        uri: &Uri<'_>,
        base: &Url,
        lookup: &mut Lookup,
        seen: &mut Seen,
    ) -> Result<Option<Wanted>, SyncError> {
        let row = lookup.find(&self.desk.state, uri.as_str())?.cloned();
        let mut wanted = Wanted::of(entry, uri, set.id, base);
        if entry.metadata.change == Some(Change::Deleted) {
            self.meter.done += 1;
            self.act_on_delete(set, &wanted, row.as_ref())?;
            return Ok(None);
        }
        if let Some(row) = &row {
            seen.insert(row.id);
            let own_type = wanted.media_type.as_deref();
            let is_current = match entry.metadata.change {
                Some(_) => self.has_change(entry.metadata.hash.as_ref(), uri, row),
                None => self.is_current(entry, uri, row),
            };
            if is_current && self.has_preferred(&wanted.links, own_type, row) {
                self.desk.tally.count_unchanged(row.id, &mut self.report);
                self.meter.done += 1;
                if row.gone || row.set != set.id || self.is_owed(uri.as_str())? {
                    self.confirm_row(row, &wanted, true)?;
                }
                return Ok(None);
            }
        }
        if self.contest(&mut wanted, row.as_ref())? {
            // The server decides, and is asked when the packages are read.
            self.meter.done += 1;
            self.desk.owe_for_now(&wanted, "another set has another version of it")?;
            return Ok(None);
        }
        if self.prefers_other(&wanted) {
            // A package has what its manifest speaks of, and the server the other representation.
            self.meter.done += 1;
            self.desk.owe_for_now(&wanted, "its preferred representation is not in the package")?;
            return Ok(None);
        }
        wanted.known = row;
        Ok(Some(wanted))
    }

    fn take_unpacked(&mut self, results: &Receiver<Vec<Unpacked>>) -> Result<(), SyncError> {
        for (wanted, result) in results.recv().unwrap_or_default() {
            self.meter.done += 1;
            match result {
                Ok(landed) => self.put(wanted, landed)?,
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

/// What a manifest says of its package, and for each resource the number of its last entry, by a hash of
/// its URI: a resource that changed twice is there twice (section 13.2).
fn last_entries(
    manifest: &[u8],
    base: &Url,
) -> Result<(PackageHead, HashMap<u64, u64>), tidings_document::ReadError> {
    let mut reader = Reader::new(manifest);
    let metadata = &reader.head()?.metadata;
    let mut head = PackageHead {
        at: metadata.at,
        from: metadata.from,
        until: metadata.until,
        newest: None,
        lost: 0,
    };
    let (mut last, mut number) = (HashMap::new(), 0);
    while let Some(entry) = reader.next_entry()? {
        number += 1;
        head.newest = later(head.newest, entry.metadata.datetime.filter(|time| is_past(*time)));
        if let Ok(uri) = Uri::resolve(&entry.loc, base) {
            last.insert(hash_of(&uri), number);
        }
    }
    head.lost = reader.entries().saturating_sub(number);
    Ok((head, last))
}

fn hash_of(uri: &Uri<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(uri.as_str().as_bytes());
    hasher.finish()
}
