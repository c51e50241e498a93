//! What would become of a resource, as far as the file that is there says.
//!
//! A file in the way that the copy did not write is found when the resource was fetched. Where it was
//! found before, and where nothing is fetched, it is looked for first.

use std::path::Path;

use tidings_bytes::{ByteStore, FolderStore, Occupant};

use crate::SyncError;
use crate::desk::{Desk, find_place};
use crate::engine::Engine;
use crate::fetch::measure;
use crate::wanted::Wanted;

/// What would become of it.
enum Outlook {
    /// It can be fetched and put into its place, or that cannot be told yet.
    Open,
    /// The file that is there becomes part of the copy.
    Adopted,
    Occupied(SyncError),
}

impl Engine<'_> {
    /// Deals with a resource that need not be fetched since a file has its place; true if so.
    pub(crate) fn turn_away(&mut self, wanted: &Wanted) -> Result<bool, SyncError> {
        let is_dry = self.options.dry_run;
        let is_tried_again = self.desk.has_owed && self.desk.state.is_owed(&wanted.uri)?;
        if !is_dry && !is_tried_again {
            return Ok(false);
        }
        match self.desk.outlook(wanted)? {
            Outlook::Occupied(error) if is_dry => {
                if self.report.occupy(&wanted.uri, &error) {
                    self.report.fail(&wanted.uri, &error.to_string());
                }
            }
            Outlook::Occupied(error) => {
                self.report.occupy(&wanted.uri, &error);
                self.desk.owe(wanted, &error.to_string(), &mut self.report)?;
            }
            Outlook::Adopted if is_dry => {
                let is_new = self.forecast.add_newcomer(&wanted.uri, &self.desk.state)?;
                self.report.adopted += u64::from(is_new);
            }
            Outlook::Adopted | Outlook::Open => return Ok(false),
        }
        self.done += 1;
        Ok(true)
    }
}

impl Desk {
    /// Looks at the files of another folder: those of a copy that a dry run does not make.
    pub(crate) fn look_at(&mut self, folder: &Path) {
        // Where there is no folder, there are no files.
        self.looked_at = FolderStore::open_read_only(folder).ok();
    }

    fn outlook(&mut self, wanted: &Wanted) -> Result<Outlook, SyncError> {
        // A name that depends on those of others is not looked for.
        if wanted.known.is_some() || self.folds_case() {
            return Ok(Outlook::Open);
        }
        let path = self.path(&wanted.uri, None);
        let (path, occupant) = match find_place(self.visible_files(), &path) {
            Err(error @ SyncError::LinkInTheWay { .. }) => return Ok(Outlook::Occupied(error)),
            found => found?,
        };
        if occupant == Occupant::Nothing || self.owns(wanted, &path)? {
            return Ok(Outlook::Open);
        }
        let full = self.visible_files().location(&path);
        if occupant == Occupant::Other {
            return Ok(Outlook::Occupied(SyncError::LinkInTheWay { path: full }));
        }
        let Some(stamp) = self.visible_files().stamp(&path) else { return Ok(Outlook::Open) };
        let expected = &wanted.expected;
        if expected.length.is_none_or(|length| length == stamp.length) {
            if !expected.is_certain() {
                return Ok(Outlook::Open);
            }
            let file = self.visible_files().open(&path).ok();
            let measured = file.and_then(|file| measure(file, expected));
            if measured.is_some_and(|measured| expected.mismatch(&measured).is_none()) {
                return Ok(Outlook::Adopted);
            }
        }
        Ok(match self.overwrite {
            true => Outlook::Open,
            false => Outlook::Occupied(SyncError::Occupied { path: full }),
        })
    }

    fn visible_files(&mut self) -> &mut dyn ByteStore {
        match &mut self.looked_at {
            Some(files) => files,
            None => self.files.as_mut(),
        }
    }
}
