//! What is written into the journal's database.

use rusqlite::{Connection, OptionalExtension as _, params};
use tidings_document::Change;

use super::{MOST_AROUND, MOST_CHANGES, Millis};
use crate::books::Noted;
use crate::listing::Listing;
use crate::page_meta::{Kind, PageMeta};

#[derive(Debug)]
pub(super) struct Pages {
    pub(super) connection: Connection,
    /// The last moment that was given away. Every other comes later.
    pub(super) last: Millis,
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
        meta.sent_type(),
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
    pub(super) fn next(&mut self) -> Millis {
        self.last = jiff::Timestamp::now().as_millisecond().max(self.last + 1);
        self.last
    }

    pub(super) fn begin(&mut self, now: &Listing, at: Millis) -> rusqlite::Result<usize> {
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
    pub(super) fn catch_up(&mut self, now: &Listing) -> rusqlite::Result<usize> {
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

    pub(super) fn fact(&self, name: &str) -> rusqlite::Result<Option<i64>> {
        let mut statement =
            self.connection.prepare_cached("SELECT value FROM fact WHERE name = ?1")?;
        statement.query_row([name], |row| row.get(0)).optional()
    }

    pub(super) fn set_shell(&mut self, digest: u64, now: &Listing) -> rusqlite::Result<()> {
        let before = self.fact("shell")?;
        if before == Some(digest.cast_signed()) {
            return Ok(());
        }
        let mut at = jiff::Timestamp::now().as_millisecond().max(self.last);
        let transaction = self.connection.unchecked_transaction()?;
        {
            let mut put =
                transaction.prepare_cached("INSERT OR REPLACE INTO fact VALUES (?1, ?2)")?;
            put.execute(params!["shell", digest.cast_signed()])?;
            // The first time, nobody has anything else.
            if before.is_some() {
                put.execute(params!["shell since", at.div_euclid(1_000)])?;
            }
        }
        let pages = || now.metas().filter(|meta| meta.kind == Kind::Markdown);
        if before.is_some() && pages().count() <= MOST_AROUND {
            let mut put = transaction.prepare_cached(PUT_CHANGE)?;
            let (change, none) = (Change::Updated.name(), None::<i64>);
            for meta in pages() {
                at += 1;
                let (path, modified) = (meta.url_path(), at.div_euclid(1_000));
                // Not as a page: it is no news.
                put.execute(params![
                    at,
                    path,
                    change,
                    modified,
                    &*meta.title,
                    false,
                    meta.sent_type(),
                    none
                ])?;
            }
        }
        trim(&transaction)?;
        transaction.commit()?;
        self.last = at;
        Ok(())
    }

    pub(super) fn note(&mut self, noted: &[Noted]) -> rusqlite::Result<()> {
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
    let length = meta.sent_length().map(u64::cast_signed);
    let mut statement = connection.prepare_cached(PUT_CHANGE)?;
    let modified = meta.last_modified();
    statement.execute(params![
        at,
        path,
        change.name(),
        modified,
        &*meta.title,
        is_page,
        meta.sent_type(),
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
