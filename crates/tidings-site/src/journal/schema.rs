//! The file of the journal and its tables.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::JournalError;
use crate::database;

/// The steps that make the tables. A step that was released is never changed; another one follows.
const STEPS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS resource (
         path TEXT PRIMARY KEY, id INTEGER NOT NULL, blob_seconds INTEGER NOT NULL,
         blob_nanos INTEGER NOT NULL, length INTEGER NOT NULL, sidecar_seconds INTEGER,
         sidecar_nanos INTEGER, title TEXT NOT NULL, is_page INTEGER NOT NULL,
         mime TEXT NOT NULL
     ) WITHOUT ROWID;
     CREATE TABLE IF NOT EXISTS change (
         at INTEGER PRIMARY KEY, path TEXT NOT NULL, change TEXT NOT NULL,
         modified INTEGER NOT NULL, title TEXT NOT NULL, is_page INTEGER NOT NULL,
         mime TEXT NOT NULL, length INTEGER
     );
     CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL);",
    // `stamps` are those of the blob and the sidecar. A guard is the last restriction of an object.
    "ALTER TABLE resource ADD COLUMN stamps BLOB;
     ALTER TABLE resource ADD COLUMN content BLOB;
     CREATE TABLE rule (name TEXT PRIMARY KEY, text BLOB NOT NULL) WITHOUT ROWID;
     CREATE TABLE guard (
         place TEXT PRIMARY KEY, number INTEGER NOT NULL, restriction TEXT NOT NULL
     ) WITHOUT ROWID;",
];

/// Sets the connection up, and makes the tables that are not there.
pub(super) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), JournalError> {
    let wrong = |source| JournalError::Database { path: path.to_owned(), source };
    database::set_up(connection).map_err(wrong)?;
    let version = |connection: &Connection| {
        connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))
    };
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = transaction.map_err(wrong)?;
    let found = version(&transaction).map_err(wrong)?;
    let found = usize::try_from(found).unwrap_or(usize::MAX);
    if found > STEPS.len() {
        return Err(JournalError::Newer { path: path.to_owned() });
    }
    for step in &STEPS[found..] {
        transaction.execute_batch(step).map_err(wrong)?;
    }
    // The name that feeds know the site by is made here, once, and of what nobody can guess.
    transaction
        .execute_batch(&format!(
            "INSERT OR IGNORE INTO fact VALUES ('identity 1', random()), ('identity 2', random());
             PRAGMA user_version = {};",
            STEPS.len()
        ))
        .map_err(wrong)?;
    transaction.commit().map_err(wrong)
}
