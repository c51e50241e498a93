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
}

impl Forecast {
    fn connection(&mut self) -> Result<&Connection, SyncError> {
        if self.connection.is_none() {
            // A name without characters is a file that is gone when it is closed.
            let connection = Connection::open("")?;
            connection.execute_batch(
                "CREATE TABLE newcomer (uri TEXT PRIMARY KEY) WITHOUT ROWID;
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

    /// Adds a resource that the copy does not have; false if it was added before.
    pub(crate) fn add_newcomer(&mut self, uri: &str) -> Result<bool, SyncError> {
        let mut statement = self
            .connection()?
            .prepare_cached("INSERT OR IGNORE INTO newcomer (uri) VALUES (?1)")?;
        Ok(statement.execute([uri])? > 0)
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
