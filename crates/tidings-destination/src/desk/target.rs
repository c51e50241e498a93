//! Which place a verified file gets, and what may happen to what is there.
//!
//! A file that the copy did not write is never replaced, unless that was asked for. The copy knows its
//! files by their rows; and, after a run that was killed between a rename and its record, by the paths
//! that the run announced in the state before it began to rename.

use std::collections::HashSet;

use tidings_bytes::{CommitOutcome, FileStamp, Occupant};

use super::{Desk, find_place};
use crate::SyncError;
use crate::bytes::Expected;
use crate::fetch::{Landed, measure};
use crate::mapping::{Uri, folded, with_suffix};
use crate::wanted::Wanted;

/// How often a place is looked for that others take meanwhile.
const TRIES: usize = 16;

/// Where a file is put.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) path: String,
    action: Action,
    /// True if the state has a row of the resource.
    is_recorded: bool,
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Create,
    Replace,
    /// What is there has the right bytes, and stays.
    Adopt(FileStamp),
}

impl Target {
    /// What the system says of the file that is there already, if that is the one.
    pub(super) fn adopted(&self) -> Option<FileStamp> {
        match self.action {
            Action::Adopt(stamp) => Some(stamp),
            _ => None,
        }
    }
}

/// Paths of files that are the copy's and have no rows yet.
#[derive(Debug, Default)]
pub(super) struct Unrecorded {
    /// Of a run that was killed.
    left: HashSet<String>,
    /// Of the files that are being put into their places.
    now: HashSet<String>,
}

impl Unrecorded {
    fn has(&self, path: &str) -> bool {
        self.left.contains(path) || self.now.contains(path)
    }

    /// What a killed run has left, which is nobody's then.
    pub(super) fn take_left(&mut self) -> HashSet<String> {
        std::mem::take(&mut self.left)
    }
}

impl Desk {
    /// Learns what a run that was killed has left without rows.
    pub(super) fn learn_unrecorded(&mut self) -> Result<(), SyncError> {
        let Some(text) = self.state.announced()? else { return Ok(()) };
        for path in text.lines() {
            // What is not there any more may become somebody else's.
            if self.files.stamp(path).is_some() {
                self.unrecorded.left.insert(path.to_owned());
            }
        }
        Ok(())
    }

    /// The place of a file.
    pub(super) fn target(&mut self, wanted: &Wanted, landed: &Landed) -> Result<Target, SyncError> {
        let mut recorded = wanted.known.as_ref().map(|known| known.path.clone());
        if recorded.is_none() && self.had_copy {
            recorded = self.state.find(&wanted.uri)?.map(|row| row.path);
        }
        let mut name = match recorded.clone().flatten() {
            Some(path) => path,
            None => {
                let path = self.path(&wanted.uri, None);
                if self.folds_case { self.name_of_twin(&wanted.uri, &path)? } else { path }
            }
        };
        loop {
            let (path, occupant) = find_place(self.files.as_mut(), &name)?;
            if occupant == Occupant::Nothing {
                let is_recorded = recorded.is_some();
                return Ok(Target { path, action: Action::Create, is_recorded });
            }
            if recorded.is_none() {
                // It may have been recorded since it was asked for: lists name resources twice.
                recorded = self.state.find(&wanted.uri)?.map(|row| row.path);
            }
            let is_recorded = recorded.is_some();
            if is_recorded || self.unrecorded.has(&path) {
                return Ok(Target { path, action: Action::Replace, is_recorded });
            }
            // A copy whose Source moved has files where the mapping puts others.
            if self.state.uri_at(&path)?.is_some_and(|uri| uri != wanted.uri) {
                name = with_suffix(&name, &Uri::known(&wanted.uri));
                continue;
            }
            if let Some(stamp) = self.stamp_if_same(&path, landed) {
                return Ok(Target { path, action: Action::Adopt(stamp), is_recorded });
            }
            if self.overwrite {
                return Ok(Target { path, action: Action::Replace, is_recorded });
            }
            let path = self.files.location(&path);
            return Err(match occupant {
                Occupant::Other => SyncError::LinkInTheWay { path },
                _ => SyncError::Occupied { path },
            });
        }
    }

    /// True if what lies at that path is the copy's, or the place of another resource.
    pub(crate) fn owns(&self, wanted: &Wanted, path: &str) -> Result<bool, SyncError> {
        Ok(self.unrecorded.has(path)
            || self.state.find(&wanted.uri)?.is_some()
            || self.state.uri_at(path)?.is_some())
    }

    /// What the system says of a file, if it has the bytes that came.
    fn stamp_if_same(&mut self, path: &str, landed: &Landed) -> Option<FileStamp> {
        let stamp = self.files.stamp(path)?;
        if stamp.length != landed.measured.length {
            return None;
        }
        let found = measure(self.files.open(path).ok()?, &Expected::default())?;
        (found.sha256 == landed.measured.sha256).then_some(stamp)
    }

    /// Announces files that get no row before they are in their places, with one commit for all of
    /// them.
    pub(super) fn announce<'t>(
        &mut self,
        targets: impl Iterator<Item = &'t Target>,
    ) -> Result<(), SyncError> {
        let before = self.unrecorded.now.len();
        let news = targets.filter(|target| !target.is_recorded && target.adopted().is_none());
        self.unrecorded.now.extend(news.map(|target| target.path.clone()));
        if self.unrecorded.now.len() == before {
            return Ok(());
        }
        let text = lines(self.unrecorded.left.union(&self.unrecorded.now));
        self.state.begin()?;
        self.state.announce(&text)?;
        self.state.commit()
    }

    /// Takes back what was announced, in the transaction that records it.
    pub(super) fn unannounce(&mut self) -> Result<(), SyncError> {
        let now = std::mem::take(&mut self.unrecorded.now);
        if now.is_empty() {
            return Ok(());
        }
        self.unrecorded.left.retain(|path| !now.contains(path));
        self.state.announce(&lines(self.unrecorded.left.iter()))
    }

    /// Puts a file into its place, or into another if that was taken since it was looked for, as by
    /// another file of the same batch.
    pub(super) fn place(
        &mut self,
        wanted: &Wanted,
        landed: &Landed,
        mut target: Target,
    ) -> Result<Target, SyncError> {
        for _ in 0..TRIES {
            if self.try_place(landed, &target)? == CommitOutcome::Done {
                return Ok(target);
            }
            target = self.target(wanted, landed)?;
            self.announce(std::iter::once(&target))?;
        }
        Err(SyncError::Occupied { path: self.files.location(&target.path) })
    }

    fn try_place(&mut self, landed: &Landed, target: &Target) -> Result<CommitOutcome, SyncError> {
        let replaces = match target.action {
            Action::Create => false,
            Action::Replace => true,
            Action::Adopt(_) => {
                landed.file.discard();
                return Ok(CommitOutcome::Done);
            }
        };
        let sha256 = &landed.measured.sha256;
        Ok(self.files.commit(&landed.file, &target.path, sha256, replaces)?)
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
}

/// As one text: no path has a line break.
fn lines<'p>(paths: impl Iterator<Item = &'p String>) -> String {
    paths.map(String::as_str).collect::<Vec<_>>().join("\n")
}
