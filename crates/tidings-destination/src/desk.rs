//! Where verified files wait to be put into their places, together.
//!
//! A file that is renamed before its bytes are on the disk may be empty after a power cut, and one
//! fsync for each file costs more than all the rest. So files are collected, made durable with one
//! call, renamed, and recorded in one transaction ("group commit").

mod leftover;
mod place;
mod target;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tidings_bytes::ByteStore;

use crate::SyncError;
use crate::baseline::DESCRIPTIONS;
use crate::fetch::{How, Landed};
use crate::id_set::IdSet;
use crate::links;
use crate::mapping::{Mapping, Uri};
use crate::moments::is_open;
use crate::report::Report;
use crate::resource_tally::ResourceTally;
use crate::state::{Record, Row, State};
use crate::wanted::Wanted;
pub(crate) use place::find_place;
use target::{Target, Unrecorded};

/// How much is collected.
const MOST_FILES: usize = 4_096;
const MOST_BYTES: u64 = 256 << 20;
const LONGEST: Duration = Duration::from_secs(3);

/// The copy and its state, and what is on the way into them.
pub(crate) struct Desk {
    pub(crate) files: Box<dyn ByteStore>,
    pub(crate) state: State,
    pub(crate) mapping: Arc<Mapping>,
    landed: Vec<(Wanted, Landed)>,
    /// The URIs of these.
    waiting: HashSet<String>,
    bytes: u64,
    since: Instant,
    /// True if the state says that something is owed.
    pub(crate) has_owed: bool,
    /// True if names that differ only in case, or in how letters are composed, are one name here.
    folds_case: bool,
    /// A number that no earlier run had.
    run: i64,
    /// True if files that the copy did not write are replaced.
    pub(crate) overwrite: bool,
    /// True if there were rows when the run began.
    had_copy: bool,
    unrecorded: Unrecorded,
    pub(crate) tally: ResourceTally,
    /// While a list is compared, the resources that have the bytes of which an entry of it gives the digest.
    pub(crate) listed: Option<IdSet>,
}

impl Desk {
    pub(crate) fn new(
        files: Box<dyn ByteStore>,
        state: State,
        mapping: Arc<Mapping>,
        run: i64,
    ) -> Result<Self, SyncError> {
        let has_owed = state.owed_count()? > 0;
        let had_copy = state.has_resources()?;
        let tally = ResourceTally::new(state.last_id()?);
        let mut desk = Self {
            folds_case: files.ignores_case(),
            files,
            state,
            mapping,
            landed: Vec::new(),
            waiting: HashSet::new(),
            bytes: 0,
            since: Instant::now(),
            has_owed,
            run,
            overwrite: false,
            had_copy,
            unrecorded: Unrecorded::default(),
            tally,
            listed: None,
        };
        desk.learn_unrecorded()?;
        Ok(desk)
    }

    pub(crate) fn folds_case(&self) -> bool {
        self.folds_case
    }

    /// True if something was copied already.
    pub(crate) fn has_copy(&self) -> bool {
        self.state.has_resources().unwrap_or_default()
    }

    /// The place of a resource.
    pub(crate) fn path(&self, uri: &str, recorded: Option<&str>) -> String {
        match recorded {
            Some(path) => path.to_owned(),
            None => self.mapping.path(&Uri::known(uri)),
        }
    }

    /// Takes a verified file.
    pub(crate) fn put(
        &mut self,
        wanted: Wanted,
        landed: Landed,
        report: &mut Report,
    ) -> Result<(), SyncError> {
        if self.landed.is_empty() {
            self.since = Instant::now();
        }
        self.bytes += landed.measured.length;
        self.waiting.insert(wanted.uri.clone());
        self.landed.push((wanted, landed));
        let full = self.landed.len() >= MOST_FILES
            || self.bytes >= MOST_BYTES
            || self.since.elapsed() >= LONGEST;
        if full { self.flush(report) } else { Ok(()) }
    }

    /// True if a file of the resource is about to be put into place.
    pub(crate) fn is_waiting(&self, uri: &str) -> bool {
        self.waiting.contains(uri)
    }

    /// Puts all that waits into place, and records it.
    pub(crate) fn flush(&mut self, report: &mut Report) -> Result<(), SyncError> {
        if self.landed.is_empty() {
            return Ok(());
        }
        self.files.sync()?;
        let landed = std::mem::take(&mut self.landed);
        self.waiting.clear();
        self.bytes = 0;
        let mut targets = Vec::with_capacity(landed.len());
        for (wanted, landed) in landed {
            let target = self.target(&wanted, &landed);
            if let Some(target) = self.or_owe(target, &wanted, &landed, report)? {
                targets.push((wanted, landed, target));
            }
        }
        self.announce(targets.iter().map(|(_, _, target)| target))?;
        let mut placed = Vec::with_capacity(targets.len());
        for (wanted, landed, target) in targets {
            let target = self.place(&wanted, &landed, target);
            if let Some(target) = self.or_owe(target, &wanted, &landed, report)? {
                placed.push((wanted, landed, target));
            }
        }
        // What is recorded must be in its place, whatever happens next.
        self.files.sync()?;
        self.state.begin()?;
        for (wanted, landed, target) in &placed {
            self.note_contradicted(wanted, report)?;
            let id = self.record(wanted, landed, target)?;
            self.note_listed(id, wanted);
            if target.adopted().is_some() {
                self.tally.count_adoption(id, report);
                continue;
            }
            self.tally.count_arrival(id, wanted.known.is_some(), report);
            report.came(landed.how);
        }
        self.unannounce()?;
        self.state.commit()?;
        placed.iter().for_each(|(wanted, ..)| report.arrived(&wanted.uri, wanted.changed));
        Ok(())
    }

    /// Remembers a resource as owed if something is in its place that is not the copy's.
    fn or_owe(
        &mut self,
        target: Result<Target, SyncError>,
        wanted: &Wanted,
        landed: &Landed,
        report: &mut Report,
    ) -> Result<Option<Target>, SyncError> {
        match target {
            Ok(target) => Ok(Some(target)),
            Err(error @ (SyncError::LinkInTheWay { .. } | SyncError::Occupied { .. })) => {
                landed.file.discard();
                report.occupy(&wanted.uri, &error);
                self.owe(wanted, &error.to_string(), report)?;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn record(
        &mut self,
        wanted: &Wanted,
        landed: &Landed,
        target: &Target,
    ) -> Result<i64, SyncError> {
        let mapped = self.path(&wanted.uri, None);
        let links = links::to_text(&wanted.links);
        let before = self.membership(wanted)?;
        let id = self.state.record(&Record {
            uri: &wanted.uri,
            set: wanted.set,
            path: Some(target.path.as_str()).filter(|path| *path != mapped),
            length: landed.measured.length,
            sha256: &landed.measured.sha256,
            mtime: target.adopted().unwrap_or(landed.stamp).mtime,
            hash: wanted.other_hash(),
            lastmod: wanted.lastmod,
            lastmod_is_open: is_open(wanted.lastmod, landed.how == How::Package),
            changed: wanted.changed,
            media_type: wanted.media_type.as_deref().or(landed.media_type.as_deref()),
            validator: &landed.validator,
            links: links.as_deref(),
        })?;
        self.share(before, wanted.set)?;
        if self.has_owed {
            self.state.settle(&wanted.uri, wanted.set)?;
        }
        Ok(id)
    }

    /// Notes that a resource has the bytes of which an entry of the list that is compared gives the digest.
    pub(crate) fn note_listed(&mut self, id: i64, wanted: &Wanted) {
        if let Some(listed) = &mut self.listed
            && wanted.expected.is_certain()
            && wanted.set != DESCRIPTIONS
        {
            listed.insert(id);
        }
    }

    /// Notes that bytes that came settle what another entry of the same list said, and could not be had.
    pub(crate) fn note_contradicted(
        &self,
        wanted: &Wanted,
        report: &mut Report,
    ) -> Result<(), SyncError> {
        let is_contradicted = self.listed.is_some()
            && wanted.set != DESCRIPTIONS
            && self.has_owed
            && self.state.is_owed_since(&wanted.uri, wanted.set, self.run)?;
        if is_contradicted {
            report.note_listed_twice(&wanted.uri);
        }
        Ok(())
    }

    /// True if the copy has what another entry of the list that is compared says of the same resource.
    pub(crate) fn is_listed_otherwise(&self, wanted: &Wanted) -> Result<bool, SyncError> {
        let listed = self.listed.as_ref().filter(|_| wanted.set != DESCRIPTIONS);
        let Some(listed) = listed else { return Ok(false) };
        let row = self.state.find(&wanted.uri)?;
        Ok(row.is_some_and(|row| !row.gone && listed.contains(row.id)))
    }

    /// The id and the set of a resource that the copy has, whether its file is there or not.
    fn membership(&self, wanted: &Wanted) -> Result<Option<(i64, i64)>, SyncError> {
        let of_row = |row: &Row| (!row.gone).then_some((row.id, row.set));
        match &wanted.known {
            Some(known) => Ok(of_row(known)),
            // A file that was lost is fetched as that of a newcomer.
            None if self.had_copy => Ok(self.state.find(&wanted.uri)?.as_ref().and_then(of_row)),
            None => Ok(None),
        }
    }

    /// Remembers that the set of what was brought has the resource, beside the one that had it before.
    pub(crate) fn share(&mut self, before: Option<(i64, i64)>, set: i64) -> Result<(), SyncError> {
        match before.filter(|(_, other)| *other != set) {
            Some((id, other)) => self.state.share(id, [other, set]),
            None => Ok(()),
        }
    }

    /// Remembers what could not be had.
    pub(crate) fn owe(
        &mut self,
        wanted: &Wanted,
        reason: &str,
        report: &mut Report,
    ) -> Result<(), SyncError> {
        report.owe(&wanted.uri, reason);
        self.remember_owed(wanted, reason, self.run)
    }

    /// Remembers what could not be had yet, and is tried again in this run.
    pub(crate) fn owe_for_now(&mut self, wanted: &Wanted, reason: &str) -> Result<(), SyncError> {
        self.remember_owed(wanted, reason, -self.run)
    }

    fn remember_owed(&mut self, wanted: &Wanted, reason: &str, run: i64) -> Result<(), SyncError> {
        self.has_owed = true;
        self.state.begin()?;
        self.state.owe(&wanted.uri, wanted.set, &wanted.to_text(), reason, run)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use tidings_bytes::{FolderStore, StagingArea};

    use super::*;
    use crate::bytes::{Expected, Measured};
    use crate::mapping::folded;
    use crate::state::Validator;

    fn put(desk: &mut Desk, uri: &str) {
        let mut temporary = desk.files.staging_area().unwrap();
        let (draft, mut file) = temporary.create().unwrap();
        file.write_all(uri.as_bytes()).unwrap();
        let landed = Landed {
            stamp: StagingArea::finish(&file, None).unwrap(),
            file: draft,
            measured: Measured::of(uri.as_bytes(), &Expected::default()),
            validator: Validator::default(),
            media_type: None,
            how: How::Whole,
        };
        let wanted = Wanted::of_text(uri.to_owned(), 1, "{}").unwrap();
        desk.put(wanted, landed, &mut Report::default()).unwrap();
    }

    #[test]
    fn u3_twins_on_a_file_system_that_folds_case_are_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let files = FolderStore::open(folder.path()).unwrap();
        let state = State::open(&files.state_folder()).unwrap();
        let mut desk = Desk::new(Box::new(files), state, Arc::new(Mapping::new()), 1).unwrap();
        desk.folds_case = true;
        let twins = [
            "https://a.example/README",
            "https://a.example/readme",
            "https://a.example/Readme",
            "https://a.example/stra%C3%9Fe",
            "https://a.example/STRASSE",
            "https://a.example/caf%C3%A9",
            "https://a.example/cafe%CC%81",
        ];
        twins.iter().for_each(|uri| put(&mut desk, uri));
        let mut report = Report::default();
        desk.flush(&mut report).unwrap();
        assert_eq!(report.created, twins.len() as u64);
        let mut names = std::collections::HashSet::new();
        for uri in twins {
            let row = desk.state.find(uri).unwrap().unwrap();
            let path = desk.path(uri, row.path.as_deref());
            assert_eq!(std::fs::read_to_string(folder.path().join(&path)).unwrap(), uri);
            assert!(names.insert(folded(&path)), "{path}");
        }
    }
}
