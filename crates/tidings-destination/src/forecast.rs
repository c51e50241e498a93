//! Remembers what a dry run found that a run would record, so that each resource counts once, in however many
//! sets and documents the dry run meets it.

use rusqlite::{Connection, params};

use crate::SyncError;
use crate::state::State;

/// What a run would record, in tables of their own: there may be more of it than memory.
#[derive(Default)]
pub(crate) struct Forecast {
    /// None until there is something to remember: most runs are no dry runs.
    connection: Option<Connection>,
    /// The names of sets that the copy does not have.
    new_sets: Vec<String>,
    /// How many of the newcomers the copy has never recorded: the others it has lost.
    new_resources: u64,
    /// Sets that were compared as a whole: all that they owe would be settled.
    compared_sets: Vec<i64>,
}

impl Forecast {
    fn connection(&mut self) -> Result<&Connection, SyncError> {
        if self.connection.is_none() {
            // A name without characters is a file that is gone when it is closed.
            let connection = Connection::open("")?;
            connection.execute_batch(
                "CREATE TABLE newcomer (uri TEXT PRIMARY KEY) WITHOUT ROWID;
                 CREATE TABLE looked_at (uri TEXT, set_id INTEGER, PRIMARY KEY (uri, set_id))
                    WITHOUT ROWID;
                 CREATE TABLE membership (id INTEGER, set_id INTEGER, is_member INTEGER,
                    PRIMARY KEY (id, set_id)) WITHOUT ROWID;
                 BEGIN",
            )?;
            self.connection = Some(connection);
        }
        match &self.connection {
            Some(connection) => Ok(connection),
            None => unreachable!("it was just opened"),
        }
    }

    /// The id that stands for a set which the copy does not have: no set that it has is below zero.
    pub(crate) fn id_of_new_set(&mut self, name: &str) -> i64 {
        let known = self.new_sets.iter().position(|known| known == name);
        let place = known.unwrap_or(self.new_sets.len());
        if known.is_none() {
            self.new_sets.push(name.to_owned());
        }
        -1 - place as i64
    }

    /// Adds a resource that would come, and of which there is no file; false if it was added before.
    pub(crate) fn add_newcomer(&mut self, uri: &str, state: &State) -> Result<bool, SyncError> {
        let mut statement = self
            .connection()?
            .prepare_cached("INSERT OR IGNORE INTO newcomer (uri) VALUES (?1)")?;
        let is_new = statement.execute([uri])? > 0;
        drop(statement);
        if is_new && state.find(uri)?.is_none() {
            self.new_resources += 1;
        }
        Ok(is_new)
    }

    /// How many resources the copy would have besides those that it has.
    pub(crate) fn new_resources(&self) -> u64 {
        self.new_resources
    }

    /// Notes that a set says something of a resource: what it owes of it would be settled.
    pub(crate) fn look_at(&mut self, uri: &str, set: i64) -> Result<(), SyncError> {
        let mut statement = self
            .connection()?
            .prepare_cached("INSERT OR IGNORE INTO looked_at (uri, set_id) VALUES (?1, ?2)")?;
        statement.execute(params![uri, set])?;
        Ok(())
    }

    /// Notes that all of a set was compared.
    pub(crate) fn compare_set(&mut self, set: i64) {
        self.compared_sets.push(set);
    }

    /// True if a run would still owe a resource to a set after it has read all documents.
    pub(crate) fn is_still_owed(&mut self, uri: &str, set: i64) -> Result<bool, SyncError> {
        if self.compared_sets.contains(&set) {
            return Ok(false);
        }
        let mut statement = self
            .connection()?
            .prepare_cached("SELECT 1 FROM looked_at WHERE uri = ?1 AND set_id = ?2")?;
        Ok(!statement.exists(params![uri, set])?)
    }

    /// Notes whether a set would have a resource of the copy after the run. The last word counts.
    pub(crate) fn set_membership(
        &mut self,
        id: i64,
        set: i64,
        is_member: bool,
    ) -> Result<(), SyncError> {
        let mut statement = self.connection()?.prepare_cached(
            "INSERT OR REPLACE INTO membership (id, set_id, is_member) VALUES (?1, ?2, ?3)",
        )?;
        statement.execute(params![id, set, is_member])?;
        Ok(())
    }

    /// How many resources no set would have any more that a set has now, less those that would be back.
    pub(crate) fn count_gone(&self, state: &State) -> Result<i64, SyncError> {
        let Some(connection) = &self.connection else { return Ok(0) };
        let mut statement =
            connection.prepare("SELECT id, set_id, is_member FROM membership ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut gone = 0;
        // The resource that is looked at, and its sets before and after.
        let mut current: Option<(i64, bool, Vec<i64>)> = None;
        let balance = |(_, had_set, sets): &(i64, bool, Vec<i64>)| {
            i64::from(*had_set && sets.is_empty()) - i64::from(!had_set && !sets.is_empty())
        };
        while let Some(row) = rows.next()? {
            let (id, set, is_member): (i64, i64, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
            if current.as_ref().is_none_or(|(known, ..)| *known != id) {
                gone += current.as_ref().map_or(0, balance);
                let sets = state.sets_of(id)?;
                current = Some((id, !sets.is_empty(), sets));
            }
            if let Some((_, _, sets)) = &mut current {
                sets.retain(|known| *known != set);
                sets.extend(is_member.then_some(set));
            }
        }
        Ok(gone + current.as_ref().map_or(0, balance))
    }
}
