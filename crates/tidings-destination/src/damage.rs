//! Bringing back what an audit found to be missing or corrupt.
//!
//! A file that is damaged is no change of the Source, and no document tells of it. An audit remembers
//! it, and the next run fetches it again: what comes has to be what was verified when it was copied.

use tidings_document::{Algorithm, Digest};

use crate::SyncError;
use crate::bytes::Expected;
use crate::engine::Engine;
use crate::fetch::measure;
use crate::links;
use crate::moments::moment;
use crate::report::Way;
use crate::state::{Row, Validator};
use crate::verified::to_attribute;
use crate::wanted::Wanted;

/// How many are fetched before they are recorded.
const BATCH: usize = 1_000;

/// The time of a file that is to be replaced, whatever the system says of it.
const NO_TIME: i64 = -1;

impl Engine<'_> {
    /// Fetches what is damaged. What does not come is owed, and stays in the table.
    pub(crate) fn repair_damage(&mut self) -> Result<(), SyncError> {
        let (mut last, mut fetched) = (String::new(), 0_u64);
        loop {
            let damaged = self.desk.state.damaged_after(&last, BATCH)?;
            let Some(end) = damaged.last() else { break };
            last.clone_from(end);
            for uri in &damaged {
                fetched += u64::from(self.repair(uri)?);
            }
            self.drain()?;
            self.desk.state.begin()?;
            for uri in &damaged {
                let row = self.desk.state.find(uri)?;
                if row.is_none_or(|row| row.gone || row.mtime != NO_TIME) {
                    self.desk.state.forget_damage(uri)?;
                }
            }
            self.desk.state.commit()?;
        }
        if fetched > 0 {
            // The Source had nothing new, but the run had something to do.
            self.report.ways.retain(|way| !matches!(way, Way::NothingNew { .. }));
            self.report.ways.push(Way::Repair { resources: fetched });
        }
        Ok(())
    }

    /// Wants a resource again, unless its file is right by now; true if so.
    fn repair(&mut self, uri: &str) -> Result<bool, SyncError> {
        let Some(mut row) = self.desk.state.find(uri)?.filter(|row| !row.gone) else {
            return Ok(false);
        };
        if row.mtime != NO_TIME && self.has_right_bytes(uri, &row) {
            return Ok(false);
        }
        // It was tried in this run already.
        if self.desk.state.is_owed(uri)? {
            return Ok(false);
        }
        self.desk.state.begin()?;
        self.desk.state.distrust(uri)?;
        row.mtime = NO_TIME;
        let wanted = self.wanted_again(uri, row)?;
        self.want(wanted)?;
        Ok(true)
    }

    fn has_right_bytes(&mut self, uri: &str, row: &Row) -> bool {
        let path = self.desk.path(uri, row.path.as_deref());
        let is_long = self.desk.files.stamp(&path).is_some_and(|stamp| stamp.length == row.length);
        let file = self.desk.files.open(&path).ok().filter(|_| is_long);
        let measured = file.and_then(|file| measure(file, &Expected::default()));
        measured.is_some_and(|measured| measured.sha256 == row.sha256)
    }

    /// What was recorded of a resource, as what is to be had: the same bytes.
    fn wanted_again(&mut self, uri: &str, row: Row) -> Result<Wanted, SyncError> {
        let (media_type, links) = self.desk.state.particulars(row.id)?;
        let said = to_attribute(row.hash.as_deref(), &row.sha256);
        let mut expected = Expected::of(Some(row.length), Some(&said));
        if expected.sha256().is_none() {
            expected.digests.extend(Digest::new(Algorithm::Sha256, &row.sha256));
        }
        // They were verified when they came.
        expected.has_unusable = false;
        Ok(Wanted {
            uri: uri.to_owned(),
            set: row.set,
            expected,
            hash: Some(said.as_str().to_owned()),
            lastmod: row.lastmod.and_then(moment),
            // It did not change: it was damaged.
            changed: None,
            media_type,
            links: links.as_deref().map(links::of_text).unwrap_or_default(),
            earlier: Vec::new(),
            known: Some(row),
            validator: Validator::default(),
        })
    }
}
