//! Everything that the Source has, or everything that changed, in packages.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use tidings_document::{Capability, Change, Entry, Moment, Reader};
use url::Url;

use crate::SyncError;
use crate::bytes::{Expected, Measure};
use crate::engine::Engine;
use crate::fetch::{Brought, Failure, How, Landed};
use crate::moments::instant;
use crate::package::{Member, Package, PackageLimits};
use crate::parts::Parts;
use crate::replica::Temporary;
use crate::same::{Same, same};
use crate::seen::Seen;
use crate::state::{History, Role, SetRow, Validator};
use crate::wanted::Wanted;

/// What one request costs, as bytes: at 20 ms and 16 requests at once over a fast line it is about
/// that.
const REQUEST: u64 = 16 << 10;

/// How many packages are on the disk at once.
const AHEAD: usize = 2;

/// A package that is to be read.
struct Listed {
    url: Url,
    expected: Expected,
    /// Up to when it has the changes, if it has changes.
    until: Option<Moment>,
}

/// One resource on its way out of a package.
type Unpacked = (Wanted, Result<Landed, Failure>);

impl Engine<'_> {
    /// Weighs requests against bytes: whether all that is missing comes cheaper in packages.
    pub(crate) fn prefers_dump(
        &mut self,
        set: &SetRow,
        dump: &tidings_web::Offer,
        lists: &[Url],
    ) -> Result<bool, SyncError> {
        let (all, _) = self.desk.state.counts()?;
        if set.complete || all > 0 {
            // Most of it is here already, and packages cannot be had in part.
            return Ok(false);
        }
        let packages = self.packages(&dump.url, Capability::ResourceDump);
        let Ok(packages) = packages else { return Ok(false) };
        let bytes: Option<u64> = packages.0.iter().map(|listed| listed.expected.length).sum();
        let mut parts = Parts::new(lists.to_vec(), Some(Capability::ResourceList));
        let first = parts.next(&mut self.documents, |_| false)?;
        let Some((_, _, summary)) = first else { return Ok(true) };
        let documents = parts
            .top
            .map_or(1, |top| if top.summary.is_index() { top.summary.entries.max(1) } else { 1 });
        let resources = summary.entries * documents;
        let by_list = summary.length * documents + resources * REQUEST;
        // A package that does not give its length is not larger than what is in it.
        let by_dump =
            bytes.unwrap_or(summary.length * documents) + packages.0.len() as u64 * REQUEST;
        let (cheaper, verb) = if by_dump < by_list { (true, "take") } else { (false, "leave") };
        self.report.note(format!(
            "{verb} the Resource Dump: {} packages and {by_dump} bytes, beside {resources} requests \
             and {by_list} bytes, one request counted as {REQUEST}",
            packages.0.len()
        ));
        Ok(cheaper)
    }

    /// The packages of a dump, and the time that all of them have in common.
    fn packages(
        &mut self,
        dump: &Url,
        capability: Capability,
    ) -> Result<(Vec<Listed>, Option<Moment>), SyncError> {
        let mut parts = Parts::new([dump.clone()], Some(capability));
        let mut packages = Vec::new();
        let mut at = None;
        while let Some((_, mut document, summary)) = parts.next(&mut self.documents, |_| false)? {
            let own = summary.head.metadata.at;
            at = if at.is_none() { own } else { at.min(own) };
            let base = document.url.clone();
            let mut reader = document.reader()?;
            loop {
                let entry = reader.next_entry();
                let entry = entry.map_err(|error| crate::documents::unusable(&base, &error))?;
                let Some(entry) = entry else { break };
                let Ok(url) = base.join(entry.loc.trim()) else { continue };
                let metadata = &entry.metadata;
                let expected = Expected::of(metadata.length, metadata.hash.as_ref());
                let until = metadata.until.or(entry.lastmod);
                packages.push(Listed { url, expected, until });
            }
        }
        if let Some((url, reason)) = parts.missing.pop() {
            return Err(SyncError::Document { url, reason });
        }
        Ok((packages, at))
    }

    /// Takes everything out of the packages of a dump; false if one of them cannot be had, or is not to
    /// be trusted.
    pub(crate) fn baseline_from_dump(
        &mut self,
        set: &SetRow,
        dump: &Url,
    ) -> Result<bool, SyncError> {
        let (packages, at) = self.packages(dump, Capability::ResourceDump)?;
        if self.options.dry_run {
            self.report.note(format!("{} packages would be read", packages.len()));
            return Ok(true);
        }
        let mut seen = Seen::new(self.desk.state.last_id()?);
        if self.unpack_all(set, &packages, &mut seen)? < packages.len() {
            return Ok(false);
        }
        self.mark_unseen(set, &seen)?;
        self.finish_baseline(set, at)?;
        self.desk.state.commit()?;
        Ok(true)
    }

    /// Takes what changed out of the packages of a Change Dump that were not read before. What changed
    /// after the last of them is in the Change List.
    pub(crate) fn increment_from_dump(
        &mut self,
        set: &SetRow,
        dump: &Url,
    ) -> Result<(), SyncError> {
        let (mut packages, _) = self.packages(dump, Capability::ChangeDump)?;
        let known = self.desk.state.documents(set.id)?;
        let reached = set.reached.or(set.at);
        packages.retain(|listed| {
            let before = |until: Moment| reached.is_some_and(|reached| until.is_before(reached));
            !listed.until.is_some_and(before)
                && !known.iter().any(|history| history.url == listed.url.as_str())
        });
        if self.options.dry_run {
            return Ok(());
        }
        let mut seen = Seen::new(0);
        let read = self.unpack_all(set, &packages, &mut seen)?;
        self.desk.state.begin()?;
        // In their order, as far as nothing is missing.
        for listed in &packages[..read] {
            let (url, role) = (listed.url.to_string(), Role::Closed);
            let history = History { url, role, until: listed.until, ..History::default() };
            self.desk.state.remember(set.id, &history)?;
        }
        self.desk.state.commit()
    }

    /// Takes everything out of packages, one after another in their order, and says how many were
    /// read until one could not be.
    fn unpack_all(
        &mut self,
        set: &SetRow,
        packages: &[Listed],
        seen: &mut Seen,
    ) -> Result<usize, SyncError> {
        let mut asked = 0;
        let mut arrived: HashMap<String, Result<PathBuf, String>> = HashMap::new();
        for (read, listed) in packages.iter().enumerate() {
            while asked < packages.len() && asked < read + AHEAD {
                self.fetchers()?.ask(packages[asked].wanted());
                asked += 1;
            }
            let url = listed.url.to_string();
            let result = loop {
                if let Some(result) = arrived.remove(&url) {
                    break result;
                }
                let Some(outcome) = self.fetchers()?.take() else {
                    break Err("it did not come".to_owned());
                };
                self.report.bytes += outcome.bytes;
                let result = match outcome.brought {
                    Ok(Brought::File(landed)) => Ok(landed.file),
                    Ok(_) => Err("it did not come".to_owned()),
                    Err(failure) => Err(failure.reason),
                };
                arrived.insert(outcome.wanted.uri, result);
            };
            let result = match result {
                Ok(file) => self.unpack(set, &url, &file, seen)?,
                Err(reason) => Err(reason),
            };
            if let Err(reason) = result {
                self.report.fail(&url, &reason);
                self.drain()?;
                return Ok(read);
            }
        }
        self.drain()?;
        Ok(packages.len())
    }

    /// Takes everything out of one package, on all cores.
    fn unpack(
        &mut self,
        set: &SetRow,
        url: &str,
        file: &PathBuf,
        seen: &mut Seen,
    ) -> Result<Result<(), String>, SyncError> {
        let result = self.try_unpack(set, url, file, seen);
        Temporary::discard(file);
        result
    }

    fn try_unpack(
        &mut self,
        set: &SetRow,
        url: &str,
        file: &PathBuf,
        seen: &mut Seen,
    ) -> Result<Result<(), String>, SyncError> {
        let opened = std::fs::File::open(file).map_err(SyncError::io("could not read", file))?;
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
            let Some(uri) = self.uri_of(&entry, base) else { continue };
            let row = lookup.find(&self.desk.state, uri.as_str())?.cloned();
            let is_later = |row: &crate::state::Row| {
                let time = entry.change_time().map(instant);
                entry.metadata.change.is_some() && time.is_some() && row.changed > time
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
                }
                continue;
            }
            if let Some(row) = &row {
                seen.insert(row.id);
                if same(&entry, row) == Same::Yes && self.is_there(&uri, row) {
                    self.report.unchanged += 1;
                    self.done += 1;
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
                    self.desk.owe_for_now(&wanted, &failure.reason, self.run)?;
                }
            }
            self.tell("unpacking");
        }
        Ok(())
    }
}

impl Listed {
    fn wanted(&self) -> Wanted {
        Wanted {
            uri: self.url.to_string(),
            set: 0,
            expected: self.expected.clone(),
            hash: None,
            lastmod: None,
            changed: None,
            media_type: None,
            links: Vec::new(),
            known: None,
            validator: Validator::default(),
        }
    }
}

/// Whether the manifest and the package are of each other: every path that is named is there, and
/// once.
fn check_manifest(manifest: &[u8], package: &Package) -> Result<(), String> {
    let mut reader = Reader::new(manifest);
    let head = reader.head().map_err(|error| format!("its manifest: {error}"))?;
    if !head.capability().is_none_or(Capability::is_manifest) {
        return Err(format!("its manifest is {}", head.title()));
    }
    let mut paths = std::collections::HashSet::new();
    while let Some(entry) = reader.next_entry().map_err(|error| format!("its manifest: {error}"))? {
        check_entry(&entry, package)?;
        if let Some(path) = &entry.metadata.path
            && !paths.insert(path.trim_start_matches('/').to_owned())
        {
            return Err(format!("its manifest names {path:?} twice"));
        }
    }
    Ok(())
}

fn check_entry(entry: &Entry<'_>, package: &Package) -> Result<(), String> {
    let loc = &entry.loc;
    match (&entry.metadata.path, entry.metadata.change) {
        (None, Some(Change::Deleted)) => Ok(()),
        (None, _) => Err(format!("its manifest does not say where {loc} is")),
        (Some(_), Some(Change::Deleted)) => {
            Err(format!("{loc} is deleted, and yet in the package"))
        }
        (Some(path), _) => match package.member(path) {
            None => Err(format!("its manifest names {path:?}, which is not in it")),
            Some(member) => match entry.metadata.length {
                Some(length) if length != member.length() => {
                    Err(format!("{path:?} has {} bytes, and should have {length}", member.length()))
                }
                _ => Ok(()),
            },
        },
    }
}

/// One thread: takes resources out of the package.
fn work(
    package: &Package,
    queue: &Mutex<Receiver<Vec<(Wanted, Member)>>>,
    results: &Sender<Vec<Unpacked>>,
    mut temporary: Temporary,
) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let batch = match queue.lock() {
            Ok(queue) => queue.recv(),
            Err(_) => return,
        };
        let Ok(batch) = batch else { return };
        let unpacked = batch.into_iter().map(|(wanted, member)| {
            let landed = take(package, &member, &wanted, &mut temporary, &mut buffer);
            (wanted, landed)
        });
        if results.send(unpacked.collect()).is_err() {
            return;
        }
    }
}

fn take(
    package: &Package,
    member: &Member,
    wanted: &Wanted,
    temporary: &mut Temporary,
    buffer: &mut [u8],
) -> Result<Landed, Failure> {
    use std::io::{Read as _, Write as _};
    let failure = |reason: String| Failure::new(reason);
    let io = |error: std::io::Error| {
        // What is wrong with the package says so itself; the rest is this machine.
        let is_disk = error.kind() == std::io::ErrorKind::StorageFull;
        Failure { is_disk, ..failure(error.to_string()) }
    };
    let mut measure = Measure::for_expected(&wanted.expected);
    let mut reader = package.read(member);
    let (path, mut file) = temporary.create().map_err(io)?;
    let copied = (|| loop {
        let count = reader.read(buffer)?;
        if count == 0 {
            return Ok(());
        }
        measure.update(&buffer[..count]);
        file.write_all(&buffer[..count])?;
    })();
    let result = copied.map_err(io).and_then(|()| {
        let measured = measure.finish();
        match wanted.expected.mismatch(&measured) {
            Some(reason) => Err(failure(reason)),
            None => Ok((measured, Temporary::finish(&file, wanted.lastmod).map_err(io)?)),
        }
    });
    match result {
        Ok((measured, stamp)) => Ok(Landed {
            file: path,
            measured,
            stamp,
            validator: Validator::default(),
            media_type: wanted.media_type.clone(),
            how: How::Package,
        }),
        Err(failure) => {
            Temporary::discard(&path);
            Err(failure)
        }
    }
}
