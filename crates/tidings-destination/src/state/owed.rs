//! What the copy owes: resources that could not be had, to be tried again.

use rusqlite::params;

use super::State;
use crate::SyncError;

/// A resource that should be in the copy.
#[derive(Debug)]
pub(crate) struct Owed {
    pub(crate) uri: String,
    pub(crate) set: i64,
    /// What the Source said of it, as [`Wanted`](crate::wanted::Wanted) writes it.
    pub(crate) entry: String,
}

impl State {
    /// Remembers a resource that could not be had.
    pub(crate) fn owe(
        &mut self,
        uri: &str,
        set: i64,
        entry: &str,
        reason: &str,
        run: i64,
    ) -> Result<(), SyncError> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO owed (uri, set_id, entry, reason, run) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (uri, set_id) DO UPDATE SET entry = ?3, reason = ?4, run = ?5",
        )?;
        statement.execute(params![uri, set, entry, reason, run])?;
        Ok(())
    }

    /// A set owes it no more: it was had. What another set owes may be another version, and is to be tried
    /// again: the server may have what was had here, and then it is right for both.
    pub(crate) fn settle(&mut self, uri: &str, set: i64) -> Result<(), SyncError> {
        self.settle_in(uri, set)?;
        let mut statement = self
            .connection
            .prepare_cached("UPDATE owed SET run = -run WHERE uri = ?1 AND run > 0")?;
        statement.execute([uri])?;
        Ok(())
    }

    /// A set owes it no more, because the set does not have it any more.
    pub(crate) fn settle_in(&mut self, uri: &str, set: i64) -> Result<(), SyncError> {
        let mut statement =
            self.connection.prepare_cached("DELETE FROM owed WHERE uri = ?1 AND set_id = ?2")?;
        statement.execute(params![uri, set])?;
        Ok(())
    }

    /// True if it is owed.
    pub(crate) fn is_owed(&self, uri: &str) -> Result<bool, SyncError> {
        let mut statement = self.connection.prepare_cached("SELECT 1 FROM owed WHERE uri = ?1")?;
        Ok(statement.exists([uri])?)
    }

    /// True if a set owes it since that run.
    pub(crate) fn is_owed_since(&self, uri: &str, set: i64, run: i64) -> Result<bool, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM owed WHERE uri = ?1 AND set_id = ?2 AND run = ?3")?;
        Ok(statement.exists(params![uri, set, run])?)
    }

    /// Settles what a set owed before that run: all that it has was looked at since.
    pub(crate) fn settle_before(&mut self, set: i64, run: i64) -> Result<(), SyncError> {
        self.connection
            .execute("DELETE FROM owed WHERE set_id = ?1 AND abs(run) < ?2", params![set, run])?;
        Ok(())
    }

    /// How many are owed.
    pub(crate) fn owed_count(&self) -> Result<u64, SyncError> {
        let count: i64 =
            self.connection
                .query_row("SELECT count(DISTINCT uri) FROM owed", [], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }

    /// Some of what sets owe, and why, after that URI of that set.
    pub(crate) fn all_owed_after(
        &self,
        (uri, set): (&str, i64),
        most: usize,
    ) -> Result<Vec<(String, i64, String)>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT uri, set_id, reason FROM owed WHERE (uri, set_id) > (?1, ?2)
             ORDER BY uri, set_id LIMIT ?3",
        )?;
        let rows = statement.query_map(params![uri, set, most as i64], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Some of what is owed of a set and was not tried in that run, after that URI.
    pub(crate) fn owed_after(
        &self,
        set: i64,
        run: i64,
        uri: &str,
        most: usize,
    ) -> Result<Vec<Owed>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT uri, set_id, entry FROM owed WHERE uri > ?1 AND set_id = ?2 AND run <> ?4
             ORDER BY uri LIMIT ?3",
        )?;
        let rows = statement.query_map(params![uri, set, most as i64, run], |row| {
            Ok(Owed { uri: row.get(0)?, set: row.get(1)?, entry: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
