//! Where verified files wait to be put into their places, together.
//!
//! A file that is renamed before its bytes are on the disk may be empty after a power cut, and one
//! fsync for each file costs more than all the rest. So files are collected, made durable with one
//! call, renamed, and recorded in one transaction ("group commit").

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::SyncError;
use crate::fetch::Landed;
use crate::links;
use crate::mapping::{Mapping, Uri, folded, with_suffix};
use crate::replica::Replica;
use crate::report::Report;
use crate::state::{Record, State};
use crate::wanted::Wanted;

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
}

impl Desk {
    pub(crate) fn new(
        replica: Replica,
        state: State,
        mapping: Arc<Mapping>,
        run: i64,
    ) -> Result<Self, SyncError> {
        let has_owed = state.owed_count()? > 0;
        Ok(Self {
            folds_case: replica.folds_case(),
            replica,
            state,
            mapping,
            landed: Vec::new(),
            bytes: 0,
            since: Instant::now(),
            has_owed,
            run,
        })
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
        let mut placed = Vec::with_capacity(landed.len());
        for (wanted, landed) in landed {
            match self.place(&wanted, &landed) {
                Ok(path) => placed.push((wanted, landed, path)),
                Err(error @ SyncError::LinkInTheWay { .. }) => {
                    landed.file.discard();
                    self.owe(&wanted, &error.to_string(), report)?;
                }
                Err(error) => return Err(error),
            }
        }
        // What is recorded must be in its place, whatever happens next.
        self.replica.sync()?;
        self.state.begin()?;
        for (wanted, landed, path) in &placed {
            self.record(wanted, landed, path.as_deref())?;
            match wanted.known {
                Some(_) => report.updated += 1,
                None => report.created += 1,
            }
            report.came(landed.how);
        }
        self.state.commit()?;
        placed.iter().for_each(|(wanted, ..)| report.arrived(&wanted.uri, wanted.changed));
        Ok(())
    }

    /// Renames a file into its place, and gives that if it is not the one that the mapping says.
    fn place(&mut self, wanted: &Wanted, landed: &Landed) -> Result<Option<String>, SyncError> {
        let recorded = wanted.known.as_ref().and_then(|known| known.path.as_deref());
        let path = self.path(&wanted.uri, recorded);
        let name = match self.folds_case && recorded.is_none() {
            true => self.name_of_twin(&wanted.uri, &path)?,
            false => path.clone(),
        };
        let placed = self.replica.place(&landed.file, &name)?;
        Ok(Some(placed).filter(|placed| recorded.is_some() || *placed != path))
    }

    /// A name that no other resource has, however the file system folds it.
    fn name_of_twin(&mut self, uri: &str, path: &str) -> Result<String, SyncError> {
        self.state.begin()?;
        let mut name = path.to_owned();
        while !self.state.claim(&folded(&name), uri)? {
            name = with_suffix(&name, &Uri::known(uri));
        }
        Ok(name)
    }

    fn record(
        &mut self,
        wanted: &Wanted,
        landed: &Landed,
        path: Option<&str>,
    ) -> Result<(), SyncError> {
        let links = links::to_text(&wanted.links);
        self.state.record(&Record {
            uri: &wanted.uri,
            set: wanted.set,
            path,
            length: landed.measured.length,
            sha256: &landed.measured.sha256,
            mtime: landed.stamp.mtime,
            hash: wanted.other_hash(),
            lastmod: wanted.lastmod,
            changed: wanted.changed,
            media_type: wanted.media_type.as_deref().or(landed.media_type.as_deref()),
            validator: &landed.validator,
            links: links.as_deref(),
            as_of: wanted.as_of,
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
        self.owe_for_now(wanted, reason)
    }

    /// Remembers what could not be had yet, and is tried again in this run.
    pub(crate) fn owe_for_now(&mut self, wanted: &Wanted, reason: &str) -> Result<(), SyncError> {
        self.has_owed = true;
        self.state.begin()?;
        self.state.owe(&wanted.uri, wanted.set, &wanted.to_text(), reason, self.run)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::bytes::{Expected, Measured};
    use crate::fetch::How;
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
