//! Looking up one URI after another.

use rusqlite::params;

use super::State;
use super::resource::{COLUMNS, Row, row};
use crate::SyncError;

/// The most rows that are read ahead.
const MOST: usize = 1_024;

/// Looks up URIs that mostly come in order, as they do in the lists of Sources that sort them: rows
/// are then read ahead, some at a time, and most questions are answered from memory. The more often
/// that went well, the further it reads ahead; where the order is any other, it asks for one row.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// Rows that follow each other in the table.
    rows: Vec<(String, Row)>,
    /// Where the next URI should be, if it follows the last one.
    place: usize,
    /// True if no row follows the last one.
    at_end: bool,
    ahead: usize,
    /// The URI from which the rows were read.
    from: String,
}

impl Lookup {
    /// What is remembered of that URI.
    pub(crate) fn find(&mut self, state: &State, uri: &str) -> Result<Option<&Row>, SyncError> {
        if !self.covers(uri) {
            self.read(state, uri)?;
        }
        if self.rows.get(self.place).is_none_or(|(known, _)| known != uri) {
            self.place = self.rows.partition_point(|(known, _)| known.as_str() < uri);
        }
        let place = self.place;
        self.place += 1;
        let found = self.rows.get(place).filter(|(known, _)| known == uri);
        Ok(found.map(|(_, row)| row))
    }

    /// True if the rows in memory tell whether there is one for that URI.
    fn covers(&self, uri: &str) -> bool {
        let within = self.at_end || self.rows.last().is_some_and(|(last, _)| uri <= last.as_str());
        !self.from.is_empty() && uri >= self.from.as_str() && within
    }

    fn read(&mut self, state: &State, uri: &str) -> Result<(), SyncError> {
        // Rows that were passed show that reading ahead was worth it.
        let in_order = self.place + 1 >= self.rows.len() && uri > self.from.as_str();
        self.ahead = if in_order { (self.ahead * 4).clamp(1, MOST) } else { 1 };
        self.rows.clear();
        self.place = 0;
        uri.clone_into(&mut self.from);
        let mut statement = state.connection.prepare_cached(&format!(
            "SELECT uri, {COLUMNS} FROM resource WHERE uri >= ?1 ORDER BY uri LIMIT ?2"
        ))?;
        let mut rows = statement.query(params![uri, self.ahead as i64])?;
        while let Some(found) = rows.next()? {
            self.rows.push((found.get(0)?, row(found, 1)?));
        }
        self.at_end = self.rows.len() < self.ahead;
        Ok(())
    }
}
