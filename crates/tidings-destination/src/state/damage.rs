//! Damage that an audit found: files that are missing, or not what was put there.

use rusqlite::{OptionalExtension, params};

use super::State;
use crate::SyncError;

impl State {
    /// Remembers that the file of a resource is damaged, if the copy has the resource; true if so.
    pub(crate) fn record_damage(&mut self, uri: &str, reason: &str) -> Result<bool, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO damage (uri, reason)
             SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM resource WHERE uri = ?1)
             ON CONFLICT (uri) DO UPDATE SET reason = ?2",
        )?;
        Ok(statement.execute([uri, reason])? > 0)
    }

    /// It is damaged no more, or not in the copy any more.
    pub(crate) fn forget_damage(&mut self, uri: &str) -> Result<(), SyncError> {
        let mut statement = self.connection.prepare_cached("DELETE FROM damage WHERE uri = ?1")?;
        statement.execute([uri])?;
        Ok(())
    }

    /// Some of what is damaged, after that URI.
    pub(crate) fn damaged_after(&self, uri: &str, most: usize) -> Result<Vec<String>, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT uri FROM damage WHERE uri > ?1 ORDER BY uri LIMIT ?2")?;
        let rows = statement.query_map(params![uri, most as i64], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is remembered of a resource besides its row: its media type and its links.
    pub(crate) fn particulars(
        &self,
        id: i64,
    ) -> Result<(Option<String>, Option<String>), SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT media_type, links FROM resource WHERE id = ?1")?;
        let found = statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)));
        Ok(found.optional()?.unwrap_or_default())
    }
}
