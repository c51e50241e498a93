//! What changed for the public, and when: kept, so that change lists and feeds go on after a restart, and
//! so that what changed meanwhile is told, too.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, params};
use tidings_document::Change;

use crate::books::Noted;
use crate::listing::Listing;
use crate::page_meta::{Kind, PageMeta};

/// How many changes are kept: as many as one change list may have.
pub const MOST_CHANGES: usize = 50_000;

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

#[derive(Debug)]
struct Pages {
    connection: Connection,
    /// The last moment that was given away. Every other comes later.
    last: Millis,
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

/// What is sent at the URL of an object.
pub(crate) fn sent_type(meta: &PageMeta) -> &str {
    match meta.kind {
        Kind::Markdown if meta.blob.length > crate::load::MOST_MARKDOWN => "text/plain",
        Kind::Markdown => "text/html",
        Kind::Blob => &meta.mime,
    }
}

/// How long it is, where that is known without making it.
pub(crate) fn sent_length(meta: &PageMeta) -> Option<u64> {
    (meta.kind == Kind::Blob).then_some(meta.blob.length)
}

const PUT_RESOURCE: &str = "INSERT OR REPLACE INTO resource (path, id, blob_seconds, blob_nanos, length, \
    sidecar_seconds, sidecar_nanos, title, is_page, mime) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

fn put_resource(connection: &Connection, path: &str, meta: &PageMeta) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(PUT_RESOURCE)?;
    statement.execute(params![
        path,
        meta.id.0.cast_signed(),
        meta.blob.seconds,
        meta.blob.nanos,
        meta.blob.length.cast_signed(),
        meta.sidecar.map(|sidecar| sidecar.seconds),
        meta.sidecar.map(|sidecar| sidecar.nanos),
        &*meta.title,
        meta.kind == Kind::Markdown,
        sent_type(meta),
    ])?;
    Ok(())
}

/// What is kept of a resource, to know whether it is another now.
struct Kept {
    path: String,
    id: u64,
    stamps: (i64, u32, u64, Option<i64>, Option<u32>),
    title: String,
    is_page: bool,
    mime: String,
}

impl Kept {
    fn is(&self, meta: &PageMeta) -> bool {
        let sidecar = meta.sidecar;
        let stamps = (
            meta.blob.seconds,
            meta.blob.nanos,
            meta.blob.length,
            sidecar.map(|sidecar| sidecar.seconds),
            sidecar.map(|sidecar| sidecar.nanos),
        );
        self.id == meta.id.0 && self.stamps == stamps
    }

    fn modified(&self) -> i64 {
        self.stamps.0.max(self.stamps.3.unwrap_or(i64::MIN))
    }
}

/// What was not there when it was looked last, or is not any more.
enum Difference<'m> {
    New(String, Change, &'m PageMeta),
    Gone(Kept),
}

impl Pages {
    fn next(&mut self) -> Millis {
        self.last = jiff::Timestamp::now().as_millisecond().max(self.last + 1);
        self.last
    }

    fn begin(&mut self, now: &Listing, at: Millis) -> rusqlite::Result<usize> {
        let transaction = self.connection.unchecked_transaction()?;
        transaction.execute("INSERT OR REPLACE INTO fact VALUES ('from', ?1)", [at])?;
        transaction.execute("DELETE FROM resource", [])?;
        for meta in now.metas() {
            put_resource(&transaction, &meta.url_path(), meta)?;
        }
        transaction.commit()?;
        Ok(0)
    }

    /// Reads what was there in the order of paths, beside what is there in the same order.
    fn catch_up(&mut self, now: &Listing) -> rusqlite::Result<usize> {
        let mut changes: Vec<Difference<'_>> = Vec::new();
        {
            let mut statement = self.connection.prepare(
                "SELECT path, id, blob_seconds, blob_nanos, length, sidecar_seconds, sidecar_nanos, title, \
                 is_page, mime FROM resource ORDER BY path",
            )?;
            let mut kept = statement.query_map([], |row| {
                Ok(Kept {
                    path: row.get(0)?,
                    id: row.get::<_, i64>(1)?.cast_unsigned(),
                    stamps: (
                        row.get(2)?,
                        row.get(3)?,
                        row.get::<_, i64>(4)?.cast_unsigned(),
                        row.get(5)?,
                        row.get(6)?,
                    ),
                    title: row.get(7)?,
                    is_page: row.get(8)?,
                    mime: row.get(9)?,
                })
            })?;
            let mut old = kept.next().transpose()?;
            let mut metas = now.metas();
            let mut new = metas.next().map(|meta| (meta.url_path(), meta));
            loop {
                let order = match (&old, &new) {
                    (None, None) => break,
                    (Some(_), None) => std::cmp::Ordering::Less,
                    (None, Some(_)) => std::cmp::Ordering::Greater,
                    (Some(old), Some((path, _))) => old.path.cmp(path),
                };
                let gone = if order.is_le() { old.take() } else { None };
                let come = if order.is_ge() { new.take() } else { None };
                match (gone, come) {
                    (Some(kept), Some((path, meta))) if !kept.is(meta) => {
                        changes.push(Difference::New(path, Change::Updated, meta));
                    }
                    (Some(kept), None) => {
                        changes.push(Difference::Gone(kept));
                    }
                    (None, Some((path, meta))) => {
                        changes.push(Difference::New(path, Change::Created, meta));
                    }
                    _ => {}
                }
                if order.is_le() {
                    old = kept.next().transpose()?;
                }
                if order.is_ge() {
                    new = metas.next().map(|meta| (meta.url_path(), meta));
                }
            }
        }
        let count = changes.len();
        let transaction = self.connection.unchecked_transaction()?;
        let mut at = jiff::Timestamp::now().as_millisecond().max(self.last);
        for difference in &changes {
            at += 1;
            match difference {
                Difference::New(path, change, meta) => {
                    put_change(&transaction, at, path, *change, meta)?;
                }
                Difference::Gone(kept) => put_deleted(&transaction, at, kept)?,
            }
        }
        trim(&transaction)?;
        transaction.commit()?;
        self.last = at;
        Ok(count)
    }

    fn note(&mut self, noted: &[Noted]) -> rusqlite::Result<()> {
        let mut at = jiff::Timestamp::now().as_millisecond().max(self.last);
        let transaction = self.connection.unchecked_transaction()?;
        for one in noted {
            at += 1;
            put_change(&transaction, at, &one.path, one.change, &one.meta)?;
        }
        trim(&transaction)?;
        transaction.commit()?;
        self.last = at;
        Ok(())
    }
}

const PUT_CHANGE: &str = "INSERT INTO change (at, path, change, modified, title, is_page, mime, length) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

fn put_change(
    connection: &Connection,
    at: Millis,
    path: &str,
    change: Change,
    meta: &PageMeta,
) -> rusqlite::Result<()> {
    let is_page = meta.kind == Kind::Markdown;
    let length = sent_length(meta).map(u64::cast_signed);
    let mut statement = connection.prepare_cached(PUT_CHANGE)?;
    let modified = meta.last_modified();
    statement.execute(params![
        at,
        path,
        change.name(),
        modified,
        &*meta.title,
        is_page,
        sent_type(meta),
        length
    ])?;
    if change == Change::Deleted {
        let mut statement = connection.prepare_cached("DELETE FROM resource WHERE path = ?1")?;
        statement.execute([path])?;
        return Ok(());
    }
    put_resource(connection, path, meta)
}

fn put_deleted(connection: &Connection, at: Millis, kept: &Kept) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(PUT_CHANGE)?;
    let none: Option<i64> = None;
    let change = Change::Deleted.name();
    statement.execute(params![
        at,
        kept.path,
        change,
        kept.modified(),
        kept.title,
        kept.is_page,
        kept.mime,
        none
    ])?;
    let mut statement = connection.prepare_cached("DELETE FROM resource WHERE path = ?1")?;
    statement.execute([&kept.path])?;
    Ok(())
}

/// Forgets the oldest changes, and says since when all are known.
fn trim(connection: &Connection) -> rusqlite::Result<()> {
    let most = i64::try_from(MOST_CHANGES).unwrap_or(i64::MAX);
    let oldest: Option<Millis> = connection
        .prepare_cached("SELECT at FROM change ORDER BY at DESC LIMIT 1 OFFSET ?1")?
        .query_row([most], |row| row.get(0))
        .optional()?;
    if let Some(oldest) = oldest {
        connection.execute("DELETE FROM change WHERE at <= ?1", [oldest])?;
        connection.execute("UPDATE fact SET value = ?1 WHERE name = 'from'", [oldest])?;
    }
    Ok(())
}
