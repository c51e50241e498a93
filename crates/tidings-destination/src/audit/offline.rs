//! An audit that does not ask the Source: the files are held against what was recorded of them.

use std::path::Path;

use tidings_bytes::STATE_FOLDER;
use url::Url;

use super::inspect::Suspect;
use super::{Auditor, Kind};
use crate::folder::check_folder;
use crate::options::Sets;
use crate::report::SetGap;
use crate::runs::{Run, RunCounts, SyncCounts};
use crate::state::{Row, SetRow, State};
use crate::{RunOutcome, SyncError};

/// How many rows are read at once.
const BATCH: usize = 10_000;

/// The sets that are looked at.
struct ChosenSets {
    ids: Vec<i64>,
    /// True if these are all that the copy knows: descriptions, which belong to none, are looked at, too.
    are_all: bool,
}

impl Auditor<'_> {
    /// Looks at all files of the sets, and at what the copy knows that it lacks.
    pub(super) fn offline(&mut self, sets: &Sets) -> Result<(), SyncError> {
        let known = self.state.sets()?;
        let chosen = choose_known(&known, sets)?;
        self.report.sets = chosen.iter().map(|set| set.name.clone()).collect();
        let ids = chosen.iter().map(|set| set.id).collect();
        let are_all = chosen.len() == known.len();
        self.tell_unfinished(&chosen, are_all)?;
        let chosen = ChosenSets { ids, are_all };
        self.rows(&chosen)?;
        self.owed(&chosen)
    }

    /// Looks at the files of all resources.
    fn rows(&mut self, chosen: &ChosenSets) -> Result<(), SyncError> {
        let mut last = String::new();
        loop {
            let rows = self.state.rows_after(&last, BATCH)?;
            let Some((end, _)) = rows.last() else { return Ok(()) };
            last.clone_from(end);
            for (uri, row) in rows {
                if row.gone || !self.is_chosen(chosen, &row)? {
                    continue;
                }
                self.report.resources += 1;
                self.show_progress();
                if !self.report.resources.is_multiple_of(self.step) {
                    continue;
                }
                self.report.checked += 1;
                let (length, mtime, sha256) = (row.length, row.mtime, row.sha256);
                let suspect = Suspect { uri, path: row.path, length, mtime, sha256, asked: None };
                self.inspector.look_at(suspect, &mut self.report);
            }
        }
    }

    /// True if one of the sets has the resource: the one that it is recorded under, or another.
    fn is_chosen(&self, chosen: &ChosenSets, row: &Row) -> Result<bool, SyncError> {
        match chosen.are_all || chosen.ids.contains(&row.set) {
            true => Ok(true),
            false => self.state.is_in_any_set(row.id, &chosen.ids),
        }
    }

    /// Tells of resources that the last sync could not fetch: the copy does not have them, or has an older
    /// version.
    fn owed(&mut self, chosen: &ChosenSets) -> Result<(), SyncError> {
        let mut last = (String::new(), i64::MIN);
        let mut told = String::new();
        loop {
            let owed = self.state.all_owed_after((&last.0, last.1), BATCH)?;
            let Some((uri, set, _)) = owed.last() else { return Ok(()) };
            last = (uri.clone(), *set);
            for (uri, set, reason) in owed {
                let is_chosen = chosen.are_all || chosen.ids.contains(&set);
                if !is_chosen || uri == told {
                    continue;
                }
                match self.state.find(&uri)? {
                    Some(_) => {
                        let reason = format!("a newer version could not be fetched: {reason}");
                        self.report.add(Kind::Changed, &uri, &reason);
                    }
                    None => {
                        self.report.resources += 1;
                        let reason = format!("it could not be fetched: {reason}");
                        self.report.add(Kind::Missing, &uri, &reason);
                    }
                }
                told = uri;
            }
        }
    }

    /// Tells of what the last sync left open: nobody knows what the copy should have.
    fn tell_unfinished(&mut self, chosen: &[&SetRow], are_all: bool) -> Result<(), SyncError> {
        let mut open = Vec::new();
        for set in chosen {
            if !set.complete {
                open.push((set.name.clone(), "no sync has read all documents of the set yet"));
            } else if set.unsettled_until.is_some() {
                open.push((
                    set.name.clone(),
                    "the last sync did not lead to a state of the Source",
                ));
            }
        }
        if open.is_empty() && are_all {
            let is_open = match self.last_sync()? {
                Some(counts) => counts.gaps > 0 || counts.failed > self.state.owed_count()?,
                None => false,
            };
            let source = self.report.source.clone();
            if chosen.is_empty() {
                open.push((source, "no sync has found the Source yet"));
            } else if is_open {
                open.push((source, "the last sync could not read all documents, or met a gap"));
            }
        }
        self.report.gaps.extend(open.into_iter().map(|(set, reason)| SetGap {
            set,
            after: None,
            before: None,
            reason: format!("{reason}; run sync again"),
        }));
        Ok(())
    }

    /// What the last sync counted that did not fail.
    fn last_sync(&self) -> Result<Option<SyncCounts>, SyncError> {
        let runs = self.state.runs()?.into_iter().rev().map(Run::from_row);
        let mut syncs = runs.filter(|run| run.outcome != RunOutcome::Failed);
        Ok(syncs.find_map(|run| match run.counts {
            RunCounts::Sync(counts) => Some(counts),
            RunCounts::Audit(_) => None,
        }))
    }
}

/// The sets that are chosen, of those that the copy knows.
fn choose_known<'s>(known: &'s [SetRow], sets: &Sets) -> Result<Vec<&'s SetRow>, SyncError> {
    let named = |name: &String| known.iter().find(|set| set.name == *name || set.url == *name);
    match sets {
        Sets::Named(names) => {
            let all = || known.iter().map(|set| set.name.clone()).collect();
            let none = |name: &String| SyncError::NoSuchSet { name: name.clone(), sets: all() };
            names.iter().map(|name| named(name).ok_or_else(|| none(name))).collect()
        }
        Sets::Only | Sets::All => Ok(known.iter().collect()),
    }
}

/// The Source that the copy in a folder was made of, as the copy has recorded it.
pub fn recorded_source(folder: &Path) -> Result<Url, SyncError> {
    check_folder(folder)?;
    let no_copy = || SyncError::NoCopy { path: folder.to_owned() };
    let state = State::open_existing(&folder.join(STATE_FOLDER))?.ok_or_else(no_copy)?;
    let source = state.setting("source")?.and_then(|source| Url::parse(&source).ok());
    source.ok_or_else(|| SyncError::UnknownSource { path: folder.to_owned() })
}
