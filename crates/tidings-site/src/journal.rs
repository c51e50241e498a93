//! What changed for the public, and when: kept, so that change lists and feeds go on after a restart, and
//! so that what changed meanwhile is told, too.

mod pages;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, params};
use tidings_document::Change;

use crate::books::Noted;
use crate::listing::Listing;
use pages::Pages;

/// How many changes are kept: as many as one change list may have.
pub const MOST_CHANGES: usize = 50_000;

/// Up to how many pages are noted when what is around all of them changes.
pub const MOST_AROUND: usize = 10_000;

const SCHEMA: i64 = 1;

/// Milliseconds since 1970.
pub type Millis = i64;

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The database says no.
    #[error("the journal {} could not be used: {source}; if it is damaged, remove it: only what changed \
        before is forgotten", path.display())]
    Database {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// Its folder could not be made.
    #[error("the folder {} could not be made: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It was made by a later version of this program.
    #[error("the journal {} is of a later version of this program", path.display())]
    Newer {
        /// Its file.
        path: PathBuf,
    },
}

/// A change that was noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// The path of the URL.
    pub path: String,
    /// What happened.
    pub change: Change,
    /// When it was noticed.
    pub at: Millis,
    /// When the content was changed, in seconds since 1970; when it was last, for what is gone.
    pub modified: i64,
    /// What it is or was called.
    pub title: String,
    /// Whether it is or was a page.
    pub is_page: bool,
    /// The media type of what is sent there.
    pub mime: String,
    /// How long it is, where it is sent as it is.
    pub length: Option<u64>,
}

/// The journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    pages: Mutex<Pages>,
}

impl Journal {
    /// Opens it, or begins it.
    pub fn open(folder: &Path) -> Result<Self, JournalError> {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| JournalError::Folder { path: folder.to_owned(), source })?;
        let path = folder.join("journal.db");
        let wrong = |source| JournalError::Database { path: path.clone(), source };
        let connection = Connection::open(&path).map_err(wrong)?;
        let version: i64 =
            connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(wrong)?;
        if version > SCHEMA {
            return Err(JournalError::Newer { path });
        }
        connection
            .execute_batch(&format!(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;
                 BEGIN IMMEDIATE;
                 CREATE TABLE IF NOT EXISTS resource (
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
                 CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
                 PRAGMA user_version = {SCHEMA};
                 COMMIT;"
            ))
            .map_err(wrong)?;
        let last: Option<Millis> = connection
            .query_row("SELECT max(at) FROM change", [], |row| row.get(0))
            .map_err(wrong)?;
        Ok(Self { path, pages: Mutex::new(Pages { connection, last: last.unwrap_or(0) }) })
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        // What is in the database is whole whatever happened.
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wrong(&self) -> impl Fn(rusqlite::Error) -> JournalError + '_ {
        |source| JournalError::Database { path: self.path.clone(), source }
    }

    /// A moment that is later than any change that was noted, and earlier than any that will be.
    #[must_use]
    pub fn moment(&self) -> Millis {
        self.pages().next()
    }

    /// What the site is known by, for ever: made once, of what nobody can guess.
    pub fn identity(&self) -> Result<String, JournalError> {
        let pages = self.pages();
        let read = || {
            let sql =
                "SELECT value FROM fact WHERE name IN ('identity 1', 'identity 2') ORDER BY name";
            let mut statement = pages.connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| row.get::<_, i64>(0))?;
            rows.collect::<rusqlite::Result<Vec<i64>>>()
        };
        let mut halves = read().map_err(self.wrong())?;
        if halves.len() != 2 {
            let sql = "INSERT OR REPLACE INTO fact VALUES ('identity 1', random()), ('identity 2', random())";
            pages.connection.execute(sql, []).map_err(self.wrong())?;
            halves = read().map_err(self.wrong())?;
        }
        Ok(halves.iter().map(|half| format!("{:016x}", half.cast_unsigned())).collect())
    }

    /// Since when all pages have had around them what they have now, in seconds since 1970.
    pub fn shell_since(&self) -> Result<i64, JournalError> {
        let since = self.pages().fact("shell since").map_err(self.wrong())?;
        Ok(since.unwrap_or(i64::MIN))
    }

    /// Says what all pages have around them now, by a number that is another for another. If it was
    /// another, they are noted as updated, though not as news: copies have to have them again. On a site
    /// with more than [`MOST_AROUND`] pages they are not; a copy finds out by the times in the list.
    pub(crate) fn set_shell(&self, digest: u64, now: &Listing) -> Result<(), JournalError> {
        self.pages().set_shell(digest, now).map_err(self.wrong())
    }

    /// Since when changes are known.
    pub fn from(&self) -> Result<Millis, JournalError> {
        let pages = self.pages();
        let from = pages
            .connection
            .query_row("SELECT value FROM fact WHERE name = 'from'", [], |row| row.get(0))
            .optional()
            .map_err(self.wrong())?;
        Ok(from.unwrap_or(pages.last))
    }

    /// Compares what is there with what was there when it was looked last. The first time, nothing is a
    /// change: it is where the story begins.
    pub(crate) fn catch_up(&self, now: &Listing) -> Result<usize, JournalError> {
        let mut pages = self.pages();
        let is_first = pages
            .connection
            .query_row("SELECT 1 FROM fact WHERE name = 'from'", [], |_| Ok(()))
            .optional()
            .map_err(self.wrong())?
            .is_none();
        let at = pages.next();
        let outcome = if is_first { pages.begin(now, at) } else { pages.catch_up(now) };
        outcome.map_err(self.wrong())
    }

    /// Notes changes, in their order.
    pub(crate) fn note(&self, noted: &[Noted]) -> Result<(), JournalError> {
        if noted.is_empty() {
            return Ok(());
        }
        self.pages().note(noted).map_err(self.wrong())
    }

    /// All changes that are kept, in their order, some at a time: those after a moment.
    pub fn changes(&self, after: Millis, most: usize) -> Result<Vec<JournalEntry>, JournalError> {
        self.select(
            "SELECT at, path, change, modified, title, is_page, mime, length FROM change \
            WHERE at > ?1 ORDER BY at LIMIT ?2",
            after,
            most,
        )
    }

    /// The last changes of pages and files, the latest first.
    pub fn recent(&self, most: usize) -> Result<Vec<JournalEntry>, JournalError> {
        self.select(
            "SELECT at, path, change, modified, title, is_page, mime, length FROM change \
            WHERE at > ?1 ORDER BY at DESC LIMIT ?2",
            0,
            most,
        )
    }

    /// The last changes of pages, the latest first.
    pub fn latest(&self, most: usize) -> Result<Vec<JournalEntry>, JournalError> {
        self.select(
            "SELECT at, path, change, modified, title, is_page, mime, length FROM change \
            WHERE is_page AND at > ?1 ORDER BY at DESC LIMIT ?2",
            0,
            most,
        )
    }

    fn select(
        &self,
        sql: &str,
        after: Millis,
        most: usize,
    ) -> Result<Vec<JournalEntry>, JournalError> {
        let pages = self.pages();
        let read = || {
            let mut statement = pages.connection.prepare_cached(sql)?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![after, most], |row| {
                let change: String = row.get(2)?;
                Ok(JournalEntry {
                    at: row.get(0)?,
                    path: row.get(1)?,
                    change: Change::by_name(&change).unwrap_or(Change::Updated),
                    modified: row.get(3)?,
                    title: row.get(4)?,
                    is_page: row.get(5)?,
                    mime: row.get(6)?,
                    length: row.get::<_, Option<i64>>(7)?.map(i64::cast_unsigned),
                })
            })?;
            rows.collect::<rusqlite::Result<Vec<JournalEntry>>>()
        };
        read().map_err(self.wrong())
    }
}
