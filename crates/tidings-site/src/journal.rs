//! What changed for the public, and when: kept, so that change lists and feeds go on after a restart, and
//! so that what changed meanwhile is told, too.

mod pages;
mod restrictions;
mod schema;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, params};
use tidings_document::Change;

use crate::books::Noted;
use crate::listing::Listing;
use crate::object_id::ObjectId;
use pages::Pages;
pub(crate) use pages::ReportedContent;

/// How many changes are kept: as many as one change list may have.
pub const MOST_CHANGES: usize = 50_000;

/// Up to how many pages are noted when what is around all of them changes.
pub const MOST_AROUND: usize = 10_000;

/// Milliseconds since 1970.
pub type Millis = i64;

/// Why the journal cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The database says no.
    #[error("the journal {} could not be used: {source}; if it is damaged, remove it: only what changed \
        before is forgotten, and which pages were restricted by rules that are missing now", path.display())]
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
        let mut connection = Connection::open(&path).map_err(wrong)?;
        schema::prepare(&mut connection, &path)?;
        sync_folders(folder);
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

    /// The name that the site is known by, for ever: made when the journal was begun.
    pub fn identity(&self) -> Result<String, JournalError> {
        let pages = self.pages();
        let read = || {
            let sql =
                "SELECT value FROM fact WHERE name IN ('identity 1', 'identity 2') ORDER BY name";
            let mut statement = pages.connection.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| row.get::<_, i64>(0))?;
            rows.collect::<rusqlite::Result<Vec<i64>>>()
        };
        let halves = read().map_err(self.wrong())?;
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

    /// Compares the objects that are there with those that were there when this was called last. The first
    /// time, nothing is a change. Paths for which `is_held` is true are not taken for deleted.
    pub(crate) fn catch_up(
        &self,
        now: &Listing,
        is_held: &dyn Fn(&str) -> bool,
    ) -> Result<usize, JournalError> {
        let mut pages = self.pages();
        let is_first = pages.fact("from").map_err(self.wrong())?.is_none();
        let at = pages.next();
        let outcome = if is_first { pages.begin(now, at) } else { pages.catch_up(now, is_held) };
        outcome.map_err(self.wrong())
    }

    /// Whether an object that was there is not in a listing.
    pub(crate) fn has_missing(&self, now: &Listing) -> Result<bool, JournalError> {
        self.pages().has_missing(now).map_err(self.wrong())
    }

    /// The content of all objects as it was reported last.
    pub(crate) fn contents(&self) -> Result<HashMap<ObjectId, ReportedContent>, JournalError> {
        self.pages().contents().map_err(self.wrong())
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

/// Makes the folder and the one that it is in last over a power cut, as far as the file system can.
fn sync_folders(folder: &Path) {
    for folder in [Some(folder), folder.parent()].into_iter().flatten() {
        // Each commit is made sure of by SQLite itself.
        let _ = tidings_base::sync_folder(folder);
    }
}
