//! Where verified files wait to be put into their places, together.
//!
//! A file that is renamed before its bytes are on the disk may be empty after a power cut, and one
//! fsync for each file costs more than all the rest. So files are collected, made durable with one
//! call, renamed, and recorded in one transaction ("group commit").

mod leftover;
mod target;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::SyncError;
use crate::fetch::Landed;
use crate::links;
use crate::mapping::{Mapping, Uri};
use crate::replica::Replica;
use crate::report::Report;
use crate::state::{Record, State};
use crate::wanted::Wanted;
use target::{Target, Unrecorded};

/// How much is collected.
const MOST_FILES: usize = 4_096;
const MOST_BYTES: u64 = 256 << 20;
const LONGEST: Duration = Duration::from_secs(3);

/// The copy and its state, and what is on the way into them.
pub(crate) struct Desk {
    pub(crate) replica: Replica,
    pub(crate) state: State,
    pub(crate) mapping: Arc<Mapping>,
    landed: Vec<(Wanted, Landed)>,
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
    /// The files of a copy that a dry run does not make.
    pub(crate) looked_at: Option<Replica>,
}

impl Desk {
    pub(crate) fn new(
        replica: Replica,
        state: State,
        mapping: Arc<Mapping>,
        run: i64,
    ) -> Result<Self, SyncError> {
        let has_owed = state.owed_count()? > 0;
        let had_copy = state.has_resources()?;
        let mut desk = Self {
            folds_case: replica.folds_case(),
            replica,
            state,
            mapping,
            landed: Vec::new(),
            bytes: 0,
            since: Instant::now(),
            has_owed,
            run,
            overwrite: false,
            had_copy,
            unrecorded: Unrecorded::default(),
            looked_at: None,
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
        self.landed.push((wanted, landed));
        let full = self.landed.len() >= MOST_FILES
            || self.bytes >= MOST_BYTES
            || self.since.elapsed() >= LONGEST;
        if full { self.flush(report) } else { Ok(()) }
    }

    /// Puts all that waits into place, and records it.
    pub(crate) fn flush(&mut self, report: &mut Report) -> Result<(), SyncError> {
        if self.landed.is_empty() {
            return Ok(());
        }
        self.replica.sync()?;
        let landed = std::mem::take(&mut self.landed);
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
        self.replica.sync()?;
        self.state.begin()?;
        for (wanted, landed, target) in &placed {
            self.record(wanted, landed, target)?;
            if target.adopted().is_some() {
                report.adopted += 1;
                continue;
            }
            match wanted.known {
                Some(_) => report.updated += 1,
                None => report.created += 1,
            }
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
                report.occupied += u64::from(matches!(error, SyncError::Occupied { .. }));
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
    ) -> Result<(), SyncError> {
        let mapped = self.path(&wanted.uri, None);
        let links = links::to_text(&wanted.links);
        self.state.record(&Record {
            uri: &wanted.uri,
            set: wanted.set,
            path: Some(target.path.as_str()).filter(|path| *path != mapped),
            length: landed.measured.length,
            sha256: &landed.measured.sha256,
            mtime: target.adopted().unwrap_or(landed.stamp).mtime,
            hash: wanted.other_hash(),
            lastmod: wanted.lastmod,
            changed: wanted.changed,
            media_type: wanted.media_type.as_deref().or(landed.media_type.as_deref()),
            validator: &landed.validator,
            links: links.as_deref(),
        })?;
        self.share(wanted)?;
        if self.has_owed {
            self.state.settle(&wanted.uri)?;
        }
        Ok(())
    }

    /// Remembers that the set of what was brought has the resource, beside the one that had it before.
    fn share(&mut self, wanted: &Wanted) -> Result<(), SyncError> {
        match &wanted.known {
            Some(known) if known.set != wanted.set && !known.gone => {
                self.state.share(known.id, [known.set, wanted.set])
            }
            _ => Ok(()),
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

    use super::*;
    use crate::bytes::{Expected, Measured};
    use crate::fetch::How;
    use crate::mapping::folded;
    use crate::replica::Temporary;
    use crate::state::Validator;

    fn put(desk: &mut Desk, uri: &str) {
        let mut temporary = desk.replica.temporary().unwrap();
        let (draft, mut file) = temporary.create().unwrap();
        file.write_all(uri.as_bytes()).unwrap();
        let landed = Landed {
            stamp: Temporary::finish(&file, None).unwrap(),
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
        let replica = Replica::open(folder.path()).unwrap();
        let state = State::open(&replica.private()).unwrap();
        let mut desk = Desk::new(replica, state, Arc::new(Mapping::new()), 1).unwrap();
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
