//! The tables.

use std::path::Path;

use rusqlite::Connection;

use crate::SyncError;

pub(super) const FILE: &str = "state.sqlite";

/// The version of the tables, in the file's own `user_version`.
const VERSION: i64 = 1;

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

/// Tables and indexes that came later, beside those of each version: copies get them when they are
/// opened.
const ADDED: &str = "
-- What an audit found to be missing or corrupt: the next run brings it again.
CREATE TABLE IF NOT EXISTS damage (uri TEXT PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;

-- For whoever has a file and looks for its resource. Few have a path of their own.
CREATE INDEX IF NOT EXISTS resource_path ON resource (path) WHERE path IS NOT NULL;
";

/// Sets the connection up, and makes the tables if they are not there.
pub(super) fn prepare(connection: &Connection, path: &Path) -> Result<(), SyncError> {
    // A power cut loses what is acknowledged under NORMAL; FULL is one fsync for each commit.
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000;
         PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY;",
        )
        .map_err(SyncError::state(path))?;
    let version = connection.query_row("PRAGMA user_version", [], |row| row.get(0));
    let version: i64 = version.map_err(SyncError::state(path))?;
    match version {
        VERSION => {}
        0 => {
            let all = format!("BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;");
            connection.execute_batch(&all).map_err(SyncError::state(path))?;
        }
        newer => return Err(SyncError::NewerState { path: path.to_owned(), version: newer }),
    }
    connection.execute_batch(ADDED).map_err(SyncError::state(path))
}
