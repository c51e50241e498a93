//! The resources and changes in the journal's database.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension as _, params};
use tidings_base::{Joined, MergeJoin, unix_millis, unix_millis_after};
use tidings_document::Change;

use super::{MOST_AROUND, MOST_CHANGES, Millis};
use crate::books::Noted;
use crate::content_digest::ContentDigest;
use crate::listing::Listing;
use crate::object_id::ObjectId;
use crate::page_meta::{Kind, PageMeta, Stamp};

#[derive(Debug)]
pub(super) struct Pages {
    pub(super) connection: Connection,
    /// The last moment that was given away. Every other comes later.
    pub(super) last: Millis,
}

const PUT_RESOURCE: &str = "INSERT OR REPLACE INTO resource (path, id, blob_seconds, blob_nanos, length, \
    sidecar_seconds, sidecar_nanos, title, is_page, mime, stamps, content) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";

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
        stamps_to_bytes(&meta.blob, meta.sidecar.as_ref()),
        meta.content.0.to_le_bytes(),
    ])?;
    Ok(())
}

/// The content of an object as it was reported last, and the files that it was in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportedContent {
    pub(crate) blob: Stamp,
    pub(crate) sidecar: Option<Stamp>,
    pub(crate) content: ContentDigest,
}

impl ReportedContent {
    /// The content, if it is that of files of these stamps.
    pub(crate) fn content_of(
        &self,
        blob: &Stamp,
        sidecar: Option<&Stamp>,
    ) -> Option<ContentDigest> {
        let is_same = self.blob == *blob && self.sidecar.as_ref() == sidecar;
        is_same.then_some(self.content)
    }
}

fn stamps_to_bytes(blob: &Stamp, sidecar: Option<&Stamp>) -> Vec<u8> {
    [Some(blob), sidecar].into_iter().flatten().flat_map(|stamp| stamp.to_bytes()).collect()
}

fn stamps_from_bytes(bytes: &[u8]) -> Option<(Stamp, Option<Stamp>)> {
    let (blob, sidecar) = bytes.split_at_checked(Stamp::BYTES)?;
    Some((Stamp::from_bytes(blob)?, Stamp::from_bytes(sidecar)))
}

/// What is kept of a resource, to know whether it is another now.
struct Kept {
    path: String,
    id: u64,
    /// None of what an earlier version of this program wrote.
    content: Option<[u8; 16]>,
    files: Option<Vec<u8>>,
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
        let is_same = match self.content {
            Some(content) => content == meta.content.0.to_le_bytes(),
            None => self.stamps == stamps,
        };
        self.id == meta.id.0 && is_same
    }

    /// Whether its files have the same stamps, so that they need not be read again.
    fn has_stamps_of(&self, meta: &PageMeta) -> bool {
        let stamps = stamps_to_bytes(&meta.blob, meta.sidecar.as_ref());
        self.files.as_ref() == Some(&stamps)
    }

    fn modified(&self) -> i64 {
        self.stamps.0.max(self.stamps.3.unwrap_or(i64::MIN))
    }
}

/// What was not there when it was looked last, or is not any more.
enum Difference<'m> {
    New(String, Change, &'m PageMeta),
    /// The same bytes in files of other stamps.
    Touched(String, &'m PageMeta),
    Gone(Kept),
}

impl Pages {
    pub(super) fn next(&mut self) -> Millis {
        self.last = unix_millis_after(self.last);
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
    pub(super) fn catch_up(
        &mut self,
        now: &Listing,
        is_held: &dyn Fn(&str) -> bool,
    ) -> rusqlite::Result<usize> {
        let mut changes: Vec<Difference<'_>> = Vec::new();
        {
            let mut statement = self.connection.prepare(
                "SELECT path, id, blob_seconds, blob_nanos, length, sidecar_seconds, sidecar_nanos, title, \
                 is_page, mime, stamps, content FROM resource ORDER BY path",
            )?;
            let kept = statement.query_map([], |row| {
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
                    files: row.get(10)?,
                    content: row.get(11)?,
                })
            })?;
            let there = now.metas().map(|meta| (meta.url_path(), meta));
            let compare = |kept: &rusqlite::Result<Kept>, (path, _): &(String, _)| match kept {
                Ok(kept) => kept.path.cmp(path),
                Err(_) => std::cmp::Ordering::Less,
            };
            for joined in MergeJoin::new(kept, there, compare) {
                match joined {
                    Joined::Both(kept, (path, meta)) => {
                        let kept = kept?;
                        if !kept.is(meta) {
                            changes.push(Difference::New(path, Change::Updated, meta));
                        } else if !kept.has_stamps_of(meta) {
                            changes.push(Difference::Touched(path, meta));
                        }
                    }
                    Joined::Left(kept) => {
                        let kept = kept?;
                        if !is_held(&kept.path) {
                            changes.push(Difference::Gone(kept));
                        }
                    }
                    Joined::Right((path, meta)) => {
                        changes.push(Difference::New(path, Change::Created, meta));
                    }
                }
            }
        }
        let mut count = 0;
        let transaction = self.connection.unchecked_transaction()?;
        let mut at = unix_millis().max(self.last);
        for difference in &changes {
            if let Difference::Touched(path, meta) = difference {
                put_resource(&transaction, path, meta)?;
                continue;
            }
            at += 1;
            count += 1;
            match difference {
                Difference::Touched(..) => {}
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

    pub(super) fn has_missing(&self, now: &Listing) -> rusqlite::Result<bool> {
        let there: std::collections::HashSet<String> =
            now.metas().map(|meta| meta.url_path()).collect();
        let mut statement = self.connection.prepare("SELECT path FROM resource")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if !there.contains(&row.get::<_, String>(0)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn contents(&self) -> rusqlite::Result<HashMap<ObjectId, ReportedContent>> {
        let sql = "SELECT id, stamps, content FROM resource WHERE content IS NOT NULL";
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| {
            let id = ObjectId(row.get::<_, i64>(0)?.cast_unsigned());
            let (stamps, content): (Vec<u8>, [u8; 16]) = (row.get(1)?, row.get(2)?);
            let content = ContentDigest(u128::from_le_bytes(content));
            let stamps = stamps_from_bytes(&stamps);
            Ok(stamps.map(|(blob, sidecar)| (id, ReportedContent { blob, sidecar, content })))
        })?;
        rows.filter_map(Result::transpose).collect()
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
        let mut at = unix_millis().max(self.last);
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
        let mut at = unix_millis().max(self.last);
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
