//! What changed since the Resource List was made.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

use rusqlite::{Connection, OptionalExtension, params};
use tidings_document::{Change, Entry, Hash};
use tidings_web::Url;

use crate::SyncError;
use crate::mapping::Uri;
use crate::moments::{instant, moment};

/// The last change of each resource, in a table of its own: it may be larger than memory.
pub(super) struct Overlay {
    connection: Connection,
    /// Hashes of their URIs, to ask the table only about what is likely in it: 8 bytes each, where there
    /// are not too many.
    likely: HashSet<u64>,
    count: u64,
}

/// How many hashes are kept.
const MOST_LIKELY: usize = 2_000_000;

impl Overlay {
    pub(super) fn new() -> Result<Self, SyncError> {
        // A name without characters is a file that is gone when it is closed.
        let connection = Connection::open("")?;
        connection.execute_batch(
            "CREATE TABLE change (uri TEXT PRIMARY KEY, deleted INTEGER, time INTEGER,
                lastmod INTEGER, hash TEXT, length INTEGER, base TEXT, misdated INTEGER)
                WITHOUT ROWID;
             BEGIN",
        )?;
        Ok(Self { connection, likely: HashSet::new(), count: 0 })
    }

    /// Adds a change, unless a later one of the same resource is there.
    pub(super) fn put(
        &mut self,
        uri: &Uri<'_>,
        entry: &Entry<'_>,
        base: &Url,
        misdated: bool,
    ) -> Result<(), SyncError> {
        self.count += 1;
        if self.likely.len() < MOST_LIKELY {
            self.likely.insert(hash(uri));
        }
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO change (uri, deleted, time, hash, length, base, lastmod, misdated)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (uri) DO UPDATE SET deleted = ?2, time = ?3, hash = ?4, length = ?5,
                lastmod = ?7, misdated = ?8
             WHERE time IS NULL OR ?3 IS NULL OR ?3 >= time",
        )?;
        statement.execute(params![
            uri.as_str(),
            entry.metadata.change == Some(Change::Deleted),
            entry.change_time().map(instant),
            entry.metadata.hash.as_ref().map(Hash::as_str),
            entry.metadata.length.map(u64::cast_signed),
            base.as_str(),
            entry.lastmod.map(instant),
            misdated,
        ])?;
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Result<(), SyncError> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// True if what an entry of the list says is not so any more. What was deleted with the time that it
    /// had (`misdated`) is gone only if the list has the version of that time.
    pub(super) fn replaces(&self, entry: &Entry<'_>, uri: &Uri<'_>) -> Result<bool, SyncError> {
        if self.likely.len() < MOST_LIKELY && !self.likely.contains(&hash(uri)) {
            return Ok(false);
        }
        let mut statement =
            self.connection.prepare_cached("SELECT misdated, time FROM change WHERE uri = ?1")?;
        let found: Option<(bool, Option<i64>)> =
            statement.query_row([uri.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        Ok(found.is_some_and(|(misdated, time)| !misdated || entry.lastmod.map(instant) == time))
    }

    /// Shows what is there after all changes, and not what is not.
    pub(super) fn each(
        &self,
        mut show: impl FnMut(&Entry<'_>, &Url) -> Result<(), SyncError>,
    ) -> Result<(), SyncError> {
        let mut statement = self.connection.prepare(
            "SELECT uri, time, hash, length, base, lastmod FROM change WHERE deleted = 0",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let uri: String = row.get(0)?;
            let mut entry = Entry::new(uri);
            entry.metadata.datetime = row.get::<_, Option<i64>>(1)?.and_then(moment);
            entry.lastmod = row.get::<_, Option<i64>>(5)?.and_then(moment);
            let hash: Option<String> = row.get(2)?;
            entry.metadata.hash = hash.map(|hash| Hash::from_attribute(hash.into()));
            entry.metadata.length = row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned);
            let base: String = row.get(4)?;
            if let Ok(base) = Url::parse(&base) {
                show(&entry, &base)?;
            }
        }
        Ok(())
    }
}

fn hash(uri: &Uri<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(uri.as_str().as_bytes());
    hasher.finish()
}
