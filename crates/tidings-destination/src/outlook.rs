//! What would become of a resource, as far as the file that is there says.
//!
//! A file in the way that the copy did not write is found when the resource was fetched. Where it was
//! found before, and where nothing is fetched, it is looked for first.

use tidings_bytes::{FileStamp, Occupant};

use crate::SyncError;
use crate::bytes::Measured;
use crate::desk::{Desk, find_place};
use crate::engine::Engine;
use crate::fetch::measure;
use crate::wanted::Wanted;

/// What would become of it.
enum Outlook {
    /// It can be fetched and put into its place, or that cannot be told yet.
    Open,
    /// The file that is there, at that path, becomes part of the copy.
    Adopted(Measured, FileStamp, String),
    Occupied(SyncError),
}

impl Engine<'_> {
    /// Deals with a resource that need not be fetched since a file has its place; true if so.
    pub(crate) fn turn_away(&mut self, wanted: &Wanted) -> Result<bool, SyncError> {
        let is_tried_again = self.desk.has_owed && self.desk.state.is_owed(&wanted.uri)?;
        if !self.supply.is_forecast() && !is_tried_again {
            return Ok(false);
        }
        match self.desk.outlook(wanted)? {
            Outlook::Occupied(error) => {
                self.report.occupy(&wanted.uri, &error);
                self.desk.owe(wanted, &error.to_string(), &mut self.report)?;
            }
            Outlook::Adopted(measured, stamp, path) => {
                self.adopt(wanted, &measured, stamp, &path)?;
            }
            Outlook::Open => return Ok(false),
        }
        self.meter.done += 1;
        Ok(true)
    }
}

impl Desk {
    fn outlook(&mut self, wanted: &Wanted) -> Result<Outlook, SyncError> {
        // A name that depends on those of others is not looked for.
        if wanted.known.is_some() || self.folds_case() {
            return Ok(Outlook::Open);
        }
        let path = self.path(&wanted.uri, None);
        let (path, occupant) = match find_place(self.files.as_mut(), &path) {
            Err(error @ SyncError::LinkInTheWay { .. }) => return Ok(Outlook::Occupied(error)),
            found => found?,
        };
        if occupant == Occupant::Nothing || self.owns(wanted, &path)? {
            return Ok(Outlook::Open);
        }
        let full = self.files.location(&path);
        if occupant == Occupant::Other {
            return Ok(Outlook::Occupied(SyncError::LinkInTheWay { path: full }));
        }
        let Some(stamp) = self.files.stamp(&path) else { return Ok(Outlook::Open) };
        let expected = &wanted.expected;
        if expected.length.is_none_or(|length| length == stamp.length) {
            if !expected.is_certain() {
                return Ok(Outlook::Open);
            }
            let file = self.files.open(&path).ok();
            let measured = file.and_then(|file| measure(file, expected));
            let is_expected = |measured: &Measured| expected.mismatch(measured).is_none();
            if let Some(measured) = measured.filter(is_expected) {
                return Ok(Outlook::Adopted(measured, stamp, path));
            }
        }
        Ok(match self.overwrite {
            true => Outlook::Open,
            false => Outlook::Occupied(SyncError::Occupied { path: full }),
        })
    }
}
