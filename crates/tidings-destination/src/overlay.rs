//! The changes since a Resource List was made: the last of each resource.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

use rusqlite::{Connection, OptionalExtension, params};
use tidings_document::{Change, Entry, Hash, Moment};
use tidings_web::Url;

use crate::SyncError;
use crate::links;
use crate::mapping::Uri;
use crate::moments::{instant, moment};

/// The last change of each resource, in a table of its own: it may be larger than memory.
pub(crate) struct Overlay {
    connection: Connection,
    /// Hashes of their URIs, to ask the table only about what is likely in it: 8 bytes each, where there
    /// are not too many.
    likely: HashSet<u64>,
    count: u64,
}

/// How many hashes are kept.
const MOST_LIKELY: usize = 2_000_000;

impl Overlay {
    pub(crate) fn new() -> Result<Self, SyncError> {
        // A name without characters is a file that is gone when it is closed.
        let connection = Connection::open("")?;
        connection.execute_batch(
            "CREATE TABLE change (uri TEXT PRIMARY KEY, deleted INTEGER, time INTEGER,
                lastmod INTEGER, hash TEXT, length INTEGER, base TEXT, media_type TEXT, links TEXT,
                listed INTEGER NOT NULL DEFAULT 0)
                WITHOUT ROWID;
             BEGIN",
        )?;
        Ok(Self { connection, likely: HashSet::new(), count: 0 })
    }

    /// Adds a change, unless a later one of the same resource is there. Where both give their time
    /// (`datetime`) that decides, else their order.
    pub(crate) fn put(
        &mut self,
        uri: &Uri<'_>,
        entry: &Entry<'_>,
        base: &Url,
    ) -> Result<(), SyncError> {
        let time = entry.metadata.datetime;
        // Those to other representations of the resource; an overlay is asked about nothing else.
        let links = entry.links.iter().filter(|link| link.is("alternate") || link.is("canonical"));
        let links: Vec<_> = links.filter_map(|link| links::resolved(link, base)).collect();
        self.count += 1;
        if self.likely.len() < MOST_LIKELY {
            self.likely.insert(hash(uri));
        }
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO change (uri, deleted, time, hash, length, base, lastmod, media_type, links)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (uri) DO UPDATE SET deleted = ?2, time = ?3, hash = ?4, length = ?5,
                lastmod = ?7, media_type = ?8, links = ?9
             WHERE time IS NULL OR ?3 IS NULL OR ?3 >= time",
        )?;
        statement.execute(params![
            uri.as_str(),
            entry.metadata.change == Some(Change::Deleted),
            time.map(instant),
            entry.metadata.hash.as_ref().map(Hash::as_str),
            entry.metadata.length.map(u64::cast_signed),
            base.as_str(),
            entry.lastmod.map(instant),
            entry.metadata.media_type.as_deref(),
            links::to_text(&links),
        ])?;
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<(), SyncError> {
        Ok(self.connection.execute_batch("COMMIT")?)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// True if what a list of that time says of a resource is not so any more. A change before that
    /// time is not: the list is the later statement.
    pub(crate) fn replaces(&self, uri: &Uri<'_>, at: Option<Moment>) -> Result<bool, SyncError> {
        if self.likely.len() < MOST_LIKELY && !self.likely.contains(&hash(uri)) {
            return Ok(false);
        }
        let mut statement =
            self.connection.prepare_cached("SELECT time FROM change WHERE uri = ?1")?;
        let found: Option<Option<i64>> =
            statement.query_row([uri.as_str()], |row| row.get(0)).optional()?;
        let Some(time) = found else { return Ok(false) };
        if !is_before(time, at) {
            return Ok(true);
        }
        self.connection
            .prepare_cached("UPDATE change SET listed = 1 WHERE uri = ?1")?
            .execute([uri.as_str()])?;
        Ok(false)
    }

    /// Shows what is there after all changes since that time, and not what is not.
    pub(crate) fn each(
        &self,
        at: Option<Moment>,
        mut show: impl FnMut(&Entry<'_>, &Url) -> Result<(), SyncError>,
    ) -> Result<(), SyncError> {
        self.each_change(at, |entry, base| match entry.metadata.change {
            Some(Change::Deleted) => Ok(()),
            _ => show(entry, base),
        })
    }

    /// Shows all changes since that time, deletions among them.
    fn each_change(
        &self,
        at: Option<Moment>,
        mut show: impl FnMut(&Entry<'_>, &Url) -> Result<(), SyncError>,
    ) -> Result<(), SyncError> {
        let mut statement = self.connection.prepare(
            "SELECT uri, time, hash, length, base, lastmod, deleted, media_type, links
             FROM change WHERE listed = 0",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if is_before(row.get(1)?, at) {
                continue;
            }
            let uri: String = row.get(0)?;
            let mut entry = Entry::new(uri);
            entry.metadata.change = match row.get(6)? {
                true => Some(Change::Deleted),
                false => Some(Change::Updated),
            };
            entry.metadata.datetime = row.get::<_, Option<i64>>(1)?.and_then(moment);
            entry.lastmod = row.get::<_, Option<i64>>(5)?.and_then(moment);
            let hash: Option<String> = row.get(2)?;
            entry.metadata.hash = hash.map(|hash| Hash::from_attribute(hash.into()));
            entry.metadata.length = row.get::<_, Option<i64>>(3)?.map(i64::cast_unsigned);
            entry.metadata.media_type = row.get::<_, Option<String>>(7)?.map(Into::into);
            let links: Option<String> = row.get(8)?;
            entry.links = links.as_deref().map(links::of_text).unwrap_or_default();
            let base: String = row.get(4)?;
            if let Ok(base) = Url::parse(&base) {
                show(&entry, &base)?;
            }
        }
        Ok(())
    }
}

/// True if a change is known to be before a baseline.
fn is_before(time: Option<i64>, at: Option<Moment>) -> bool {
    matches!((time.and_then(moment), at), (Some(time), Some(at)) if time.is_before(at))
}

fn hash(uri: &Uri<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(uri.as_str().as_bytes());
    hasher.finish()
}
