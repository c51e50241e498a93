//! What the copy knows of itself: `.tidings/state.sqlite`.
//!
//! Write order is everything: a resource is recorded after its file is in its place and on the disk,
//! and a place in the history after all that comes before it is recorded or owed. What is recorded
//! is therefore always true; what is true may not be recorded yet, and is found out again.

mod damage;
mod history;
mod lookup;
mod moved;
mod owed;
mod resource;
mod run;
mod schema;

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use crate::SyncError;
use crate::mapping::Mapping;
pub(crate) use history::{History, Role, SetRow, Unsettled};
pub(crate) use lookup::Lookup;
pub(crate) use resource::{Gone, Published, Record, Row, Statement, Validator};
pub(crate) use run::RunRow;

/// The setting that has the announced paths.
const ANNOUNCED: &str = "placing";

/// The state of one copy. Only who holds the lock of the copy has one that is written to.
pub(crate) struct State {
    connection: Connection,
    /// True within a transaction.
    open: bool,
    /// True if nothing is kept.
    is_trial: bool,
}

impl State {
    /// Opens the state in that folder, or begins it.
    pub(crate) fn open(folder: &Path) -> Result<Self, SyncError> {
        let path = folder.join(schema::FILE);
        let connection = Connection::open(&path).map_err(SyncError::state(&path))?;
        schema::prepare(&connection, &path)?;
        Ok(Self { connection, open: false, is_trial: false })
    }

    /// Opens it for reading beside whoever writes; none if there is no copy yet.
    pub(crate) fn open_existing(folder: &Path) -> Result<Option<Self>, SyncError> {
        let path = folder.join(schema::FILE);
        if !path.exists() {
            return Ok(None);
        }
        Self::open(folder).map(Some)
    }

    /// The same state, for a dry run: all that is done to it is taken back when it is dropped. Until then nobody else
    /// can write to it.
    pub(crate) fn on_trial(self) -> Result<Self, SyncError> {
        self.connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self { is_trial: true, ..self })
    }

    /// Begins a transaction, unless one is open.
    pub(crate) fn begin(&mut self) -> Result<(), SyncError> {
        if !self.open {
            self.connection.execute_batch(match self.is_trial {
                true => "SAVEPOINT step",
                false => "BEGIN IMMEDIATE",
            })?;
            self.open = true;
        }
        Ok(())
    }

    /// Makes all since [`begin`](Self::begin) durable, at once.
    pub(crate) fn commit(&mut self) -> Result<(), SyncError> {
        if self.open {
            self.connection.execute_batch(match self.is_trial {
                true => "RELEASE step",
                false => "COMMIT",
            })?;
            self.open = false;
        }
        Ok(())
    }

    /// Takes back all since [`begin`](Self::begin).
    pub(crate) fn roll_back(&mut self) -> Result<(), SyncError> {
        if self.open {
            self.open = false;
            self.connection.execute_batch(match self.is_trial {
                true => "ROLLBACK TO step; RELEASE step",
                false => "ROLLBACK",
            })?;
        }
        Ok(())
    }

    /// Reads one state of the copy, whatever others write, until [`end_read`](Self::end_read): many small reads
    /// take no lock for each of them.
    pub(crate) fn begin_read(&self) -> Result<(), SyncError> {
        Ok(self.connection.execute_batch("BEGIN")?)
    }

    /// Reads what others have written again.
    pub(crate) fn end_read(&self) -> Result<(), SyncError> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    /// The paths that a run has announced and not recorded yet, one in each line.
    pub(crate) fn announced(&self) -> Result<Option<String>, SyncError> {
        self.setting(ANNOUNCED)
    }

    /// Announces paths; none takes back what was announced.
    pub(crate) fn announce(&mut self, paths: &str) -> Result<(), SyncError> {
        match paths.is_empty() {
            true => self.forget_setting(ANNOUNCED),
            false => self.set_setting(ANNOUNCED, paths),
        }
    }

    /// A setting of the copy.
    pub(crate) fn setting(&self, name: &str) -> Result<Option<String>, SyncError> {
        let mut statement =
            self.connection.prepare_cached("SELECT value FROM setting WHERE name = ?1")?;
        Ok(statement.query_row([name], |row| row.get(0)).optional()?)
    }

    pub(crate) fn set_setting(&mut self, name: &str, value: &str) -> Result<(), SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)")?;
        statement.execute([name, value])?;
        Ok(())
    }

    /// Where the files of the copy go: as it was made, which `given` has to agree with. A copy that is
    /// new is made as given.
    pub(crate) fn mapping(
        &mut self,
        given: &Mapping,
        folder: &Path,
        is_new: bool,
    ) -> Result<Arc<Mapping>, SyncError> {
        let rules: Vec<String> = given.rules().collect();
        let Some(known) = self.setting("map")? else {
            if is_new {
                self.set_setting("map", &rules.join("\n"))?;
            }
            return Ok(Arc::new(given.clone()));
        };
        let of: Vec<String> = known.lines().map(str::to_owned).collect();
        // Before anything is in it, a copy is as it is wanted now.
        if rules != of && !self.has_resources()? {
            if is_new {
                self.set_setting("map", &rules.join("\n"))?;
            }
            return Ok(Arc::new(given.clone()));
        }
        if !rules.is_empty() && rules != of {
            return Err(SyncError::OtherMapping { path: folder.to_owned(), of });
        }
        let mut mapping = Mapping::new();
        for rule in &of {
            mapping = mapping
                .with_rule(rule)
                .map_err(|_| SyncError::OtherMapping { path: folder.to_owned(), of: of.clone() })?;
        }
        Ok(Arc::new(mapping))
    }

    /// Claims a name, by its folded form, for a resource; false if it belongs to another.
    pub(crate) fn claim(&mut self, folded: &str, uri: &str) -> Result<bool, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO name (folded, uri) VALUES (?1, ?2)")?;
        statement.execute([folded, uri])?;
        let mut statement =
            self.connection.prepare_cached("SELECT 1 FROM name WHERE folded = ?1 AND uri = ?2")?;
        Ok(statement.exists([folded, uri])?)
    }

    pub(crate) fn forget_setting(&mut self, name: &str) -> Result<(), SyncError> {
        self.connection.execute("DELETE FROM setting WHERE name = ?1", [name])?;
        Ok(())
    }
}
