//! The tables.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use crate::SyncError;

pub(super) const FILE: &str = "state.sqlite";

/// For how long a connection waits for another to finish, as the pragma below says too.
const PATIENCE: Duration = Duration::from_secs(10);

/// The steps from an empty file to the tables of today, in their order. The file's own `user_version`
/// says how many of them it has seen. A step is never changed once it was released: what is needed
/// besides is a step of its own, at the end.
const STEPS: &[&str] = &[
    TABLES,
    COVERAGE,
    RUN_HISTORY,
    LOCAL_FILES,
    OWED_BY_SET,
    UNSETTLED,
    OPEN_LASTMOD,
    PART_IDENTITY,
];

/// Since when a document has changes, or of a list the time that it is of (`from_text`); and the last entry
/// of it that was taken in: a hash (`tail`), and its time if it has one (`tail_text`).
const COVERAGE: &str = "
ALTER TABLE document ADD COLUMN from_text TEXT;
ALTER TABLE document ADD COLUMN tail INTEGER NOT NULL DEFAULT 0;
ALTER TABLE document ADD COLUMN tail_text TEXT;
";

/// Syncs and audits that ended, with their outcomes. Rows from before are of syncs, and have no outcome.
const RUN_HISTORY: &str = "
ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT 'sync';
ALTER TABLE run ADD COLUMN outcome TEXT;
ALTER TABLE run ADD COLUMN error TEXT;
";

/// What an audit found to be missing or corrupt, which the next run brings again (`damage`); and an index
/// for whoever has a file and looks for its resource: few have a path of their own.
const LOCAL_FILES: &str = "
CREATE TABLE damage (uri TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX resource_path ON resource (path) WHERE path IS NOT NULL;
";

/// Two sets may owe two versions of one resource.
const OWED_BY_SET: &str = "
ALTER TABLE owed RENAME TO owed_before;
CREATE TABLE owed (
    uri TEXT NOT NULL,
    set_id INTEGER NOT NULL,
    entry TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- The run that tried it last; below zero if that run has not tried it yet.
    run INTEGER NOT NULL,
    PRIMARY KEY (uri, set_id)
) WITHOUT ROWID;
INSERT INTO owed SELECT uri, set_id, entry, reason, run FROM owed_before;
DROP TABLE owed_before;
";

/// The time up to which changes may be in the copy without all those before them: a time of the Source, or
/// 'now'. Set while changes are applied, and after a gap.
const UNSETTLED: &str = "
ALTER TABLE resource_set ADD COLUMN unsettled_until TEXT;
";

/// 1 if the bytes may have changed since, and have the same `lastmod`: it gave a day that was not over.
const OPEN_LASTMOD: &str = "
ALTER TABLE resource ADD COLUMN lastmod_is_open INTEGER NOT NULL DEFAULT 0;
";

/// A hash of what the index said of a part when it was read; 0 if that is not known.
const PART_IDENTITY: &str = "
ALTER TABLE document ADD COLUMN identity INTEGER NOT NULL DEFAULT 0;
";

const TABLES: &str = "
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- A set of resources of the Source, and how far the copy of it has come.
CREATE TABLE resource_set (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    -- The Capability List; for a set without one, the document that stands for it.
    url TEXT NOT NULL,
    -- The Source's times: of the baseline, and of the last change that was taken in.
    at TEXT,
    reached TEXT,
    complete INTEGER NOT NULL DEFAULT 0
);

-- What is in the copy. Times are the Source's, in microseconds; `mtime` is the file's own, in
-- nanoseconds.
-- It lies in the order of the URIs, as lists mostly have it: what is read ahead lies together.
CREATE TABLE resource (
    uri TEXT PRIMARY KEY,
    -- A small number, for one bit in memory.
    id INTEGER NOT NULL,
    set_id INTEGER NOT NULL,
    -- Where it is, if that is not where the mapping puts it.
    path TEXT,
    length INTEGER NOT NULL,
    sha256 BLOB NOT NULL,
    mtime INTEGER NOT NULL,
    -- What the Source says of it: digests where they are others than the one above.
    hash TEXT,
    lastmod INTEGER,
    changed INTEGER,
    media_type TEXT,
    etag TEXT,
    modified TEXT,
    links TEXT,
    -- 1 if the Source has it no more, and the copy still has.
    gone INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX resource_id ON resource (id, set_id, gone);
CREATE INDEX resource_gone ON resource (gone) WHERE gone = 1;

-- The sets of resources that more than one set has.
CREATE TABLE shared (
    resource_id INTEGER NOT NULL,
    set_id INTEGER NOT NULL,
    PRIMARY KEY (resource_id, set_id)
) WITHOUT ROWID;

-- What should be in the copy and could not be had.
CREATE TABLE owed (
    uri TEXT PRIMARY KEY,
    set_id INTEGER NOT NULL,
    entry TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- The run that tried it last.
    run INTEGER NOT NULL
) WITHOUT ROWID;

-- The documents that were read: how far, and how they are known again.
CREATE TABLE document (
    set_id INTEGER NOT NULL,
    url TEXT NOT NULL,
    role TEXT NOT NULL,
    etag TEXT,
    modified TEXT,
    place INTEGER NOT NULL DEFAULT 0,
    mark INTEGER NOT NULL DEFAULT 0,
    until_text TEXT,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (set_id, url)
) WITHOUT ROWID;

-- On a file system that folds case: which name belongs to whom, by its folded form.
CREATE TABLE name (folded TEXT PRIMARY KEY, uri TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX name_uri ON name (uri);

CREATE TABLE run (id INTEGER PRIMARY KEY, ended TEXT NOT NULL, report TEXT NOT NULL);
";

/// Sets the connection up, and makes the tables if they are not there.
pub(super) fn prepare(connection: &Connection, path: &Path) -> Result<(), SyncError> {
    // A power cut loses what is acknowledged under NORMAL; FULL is one fsync for each commit.
    connection
        .execute_batch(
            "PRAGMA busy_timeout = 10000; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;
             PRAGMA temp_store = MEMORY;",
        )
        .and_then(|()| write_ahead(connection))
        .map_err(SyncError::state(path))?;
    apply(connection, path, STEPS)
}

/// Turns the write-ahead log on.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let is_busy =
        |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    tidings_base::retry_while_busy(PATIENCE, is_busy, || {
        connection.execute_batch("PRAGMA journal_mode = WAL")
    })
}

/// Applies the steps that the file has not seen yet, each as a whole.
fn apply(connection: &Connection, path: &Path, steps: &[&str]) -> Result<(), SyncError> {
    let known = steps.len() as i64;
    let seen = || version(connection).map_err(SyncError::state(path));
    if seen()? == known {
        return Ok(());
    }
    for (number, step) in (1_i64..).zip(steps) {
        connection.execute_batch("BEGIN IMMEDIATE").map_err(SyncError::state(path))?;
        // Another run may have been faster.
        let is_next = seen()? == number - 1;
        let sql = match is_next {
            true => format!("{step} PRAGMA user_version = {number}; COMMIT;"),
            false => "COMMIT;".to_owned(),
        };
        if let Err(error) = connection.execute_batch(&sql) {
            let _ = connection.execute_batch("ROLLBACK");
            return Err(SyncError::state(path)(error));
        }
    }
    match seen()? {
        version if version == known => Ok(()),
        newer => Err(SyncError::NewerState { path: path.to_owned(), version: newer }),
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

#[cfg(test)]
mod tests;
