//! The rows of what is in the copy.

use rusqlite::{OptionalExtension, params};
use tidings_document::Moment;

use super::State;
use crate::SyncError;
use crate::baseline::DESCRIPTIONS;
use crate::moments::instant;

/// What is remembered of a resource that is in the copy.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) id: i64,
    pub(crate) set: i64,
    pub(crate) path: Option<String>,
    pub(crate) length: u64,
    pub(crate) sha256: [u8; 32],
    pub(crate) mtime: i64,
    pub(crate) hash: Option<String>,
    pub(crate) lastmod: Option<i64>,
    /// True if the bytes may have changed since, and have the same `lastmod`.
    pub(crate) lastmod_is_open: bool,
    pub(crate) gone: bool,
}

/// How the answer that brought it can be known again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Validator {
    pub(crate) etag: Option<String>,
    pub(crate) modified: Option<String>,
    /// The media type that is recorded of it.
    pub(crate) media_type: Option<String>,
}

/// What is to be remembered of one.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    pub(crate) uri: &'a str,
    pub(crate) set: i64,
    pub(crate) path: Option<&'a str>,
    pub(crate) length: u64,
    pub(crate) sha256: &'a [u8; 32],
    pub(crate) mtime: i64,
    pub(crate) hash: Option<&'a str>,
    pub(crate) lastmod: Option<Moment>,
    pub(crate) lastmod_is_open: bool,
    pub(crate) changed: Option<Moment>,
    pub(crate) media_type: Option<&'a str>,
    pub(crate) validator: &'a Validator,
    pub(crate) links: Option<&'a str>,
}

/// What the Source says of a resource, beside its bytes.
#[derive(Debug)]
pub(crate) struct Statement<'a> {
    pub(crate) set: i64,
    pub(crate) lastmod: Option<Moment>,
    pub(crate) lastmod_is_open: bool,
    pub(crate) changed: Option<Moment>,
    pub(crate) hash: Option<&'a str>,
    pub(crate) links: Option<&'a str>,
}

/// A resource that the Source has no more, and the file that the copy put there.
#[derive(Debug)]
pub(crate) struct Gone {
    pub(crate) id: i64,
    pub(crate) uri: String,
    pub(crate) path: Option<String>,
    pub(crate) length: u64,
    pub(crate) sha256: [u8; 32],
    pub(crate) mtime: i64,
}

/// What is told of a resource when the copy is published.
#[derive(Debug)]
pub(crate) struct Published {
    pub(crate) id: i64,
    pub(crate) set: i64,
    pub(crate) uri: String,
    pub(crate) path: Option<String>,
    pub(crate) length: u64,
    pub(crate) sha256: [u8; 32],
    pub(crate) hash: Option<String>,
    pub(crate) lastmod: Option<i64>,
    pub(crate) media_type: Option<String>,
    pub(crate) links: Option<String>,
}

pub(super) const COLUMNS: &str =
    "id, set_id, path, length, sha256, mtime, hash, lastmod, lastmod_is_open, gone";

const FIND: &str = "SELECT id, set_id, path, length, sha256, mtime, hash, lastmod, lastmod_is_open,
    gone FROM resource WHERE uri = ?1";

pub(super) fn row(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Row> {
    Ok(Row {
        id: row.get(first)?,
        set: row.get(first + 1)?,
        path: row.get(first + 2)?,
        length: row.get::<_, i64>(first + 3)?.cast_unsigned(),
        sha256: row.get(first + 4)?,
        mtime: row.get(first + 5)?,
        hash: row.get(first + 6)?,
        lastmod: row.get(first + 7)?,
        lastmod_is_open: row.get(first + 8)?,
        gone: row.get(first + 9)?,
    })
}

impl State {
    /// What is remembered of a resource.
    pub(crate) fn find(&self, uri: &str) -> Result<Option<Row>, SyncError> {
        let mut statement = self.connection.prepare_cached(FIND)?;
        Ok(statement.query_row([uri], |found| row(found, 0)).optional()?)
    }

    /// How the answer that brought a resource can be known again: asked for apart, as few need it.
    pub(crate) fn validator(&self, id: i64) -> Result<Validator, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT etag, modified, media_type FROM resource WHERE id = ?1")?;
        let found = statement.query_row([id], |row| {
            Ok(Validator { etag: row.get(0)?, modified: row.get(1)?, media_type: row.get(2)? })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Remembers a resource in place of what was remembered of it, and gives its id.
    pub(crate) fn record(&mut self, record: &Record<'_>) -> Result<i64, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "INSERT INTO resource (uri, id, set_id, path, length, sha256, mtime, hash, lastmod,
                changed, media_type, etag, modified, links, lastmod_is_open, gone)
             VALUES (?1, (SELECT coalesce(max(id), 0) + 1 FROM resource), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 0)
             ON CONFLICT (uri) DO UPDATE SET set_id = ?2, path = ?3, length = ?4, sha256 = ?5,
                mtime = ?6, hash = ?7, lastmod = ?8, changed = ?9, media_type = ?10, etag = ?11,
                modified = ?12, links = ?13, lastmod_is_open = ?14, gone = 0
             RETURNING id",
        )?;
        let values = params![
            record.uri,
            record.set,
            record.path,
            record.length.cast_signed(),
            record.sha256,
            record.mtime,
            record.hash,
            record.lastmod.map(instant),
            record.changed.map(instant),
            record.media_type,
            record.validator.etag,
            record.validator.modified,
            record.links,
            record.lastmod_is_open,
        ];
        Ok(statement.query_row(values, |row| row.get(0))?)
    }

    /// Remembers what the Source says of a resource whose bytes are as they were.
    pub(crate) fn confirm(&mut self, id: i64, said: &Statement<'_>) -> Result<(), SyncError> {
        let mut statement = self.connection.prepare_cached(
            "UPDATE resource SET set_id = ?2, lastmod = coalesce(?3, lastmod),
                changed = coalesce(?4, changed), hash = coalesce(?5, hash), links = ?6,
                lastmod_is_open = ?7, gone = 0
             WHERE id = ?1",
        )?;
        statement.execute(params![
            id,
            said.set,
            said.lastmod.map(instant),
            said.changed.map(instant),
            said.hash,
            said.links,
            said.lastmod_is_open
        ])?;
        Ok(())
    }

    /// The Source has it no more, since that time if it says so.
    pub(crate) fn mark_gone(&mut self, id: i64, since: Option<Moment>) -> Result<(), SyncError> {
        let mut statement = self.connection.prepare_cached(
            "UPDATE resource SET gone = 1, changed = coalesce(?2, changed) WHERE id = ?1",
        )?;
        statement.execute(params![id, since.map(instant)])?;
        Ok(())
    }

    /// Records by which digests the bytes of a resource were verified.
    pub(crate) fn set_hash(&mut self, id: i64, hash: Option<&str>) -> Result<(), SyncError> {
        let mut statement =
            self.connection.prepare_cached("UPDATE resource SET hash = ?2 WHERE id = ?1")?;
        statement.execute(params![id, hash])?;
        Ok(())
    }

    /// Two sets have the resource.
    pub(crate) fn share(&mut self, id: i64, sets: [i64; 2]) -> Result<(), SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("INSERT OR IGNORE INTO shared (resource_id, set_id) VALUES (?1, ?2)")?;
        for set in sets {
            statement.execute([id, set])?;
        }
        Ok(())
    }

    /// The set does not have the resource any more, since that time if it says so: it is gone, unless
    /// another set has it.
    pub(crate) fn leave(
        &mut self,
        id: i64,
        set: i64,
        since: Option<Moment>,
    ) -> Result<(), SyncError> {
        self.connection
            .prepare_cached("DELETE FROM shared WHERE resource_id = ?1 AND set_id = ?2")?
            .execute([id, set])?;
        let own: Option<i64> = self
            .connection
            .prepare_cached("SELECT set_id FROM resource WHERE id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        // A set may speak of what only another one has.
        if own != Some(set) {
            return Ok(());
        }
        let other: Option<i64> = self
            .connection
            .prepare_cached("SELECT set_id FROM shared WHERE resource_id = ?1 LIMIT 1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        let Some(other) = other else { return self.mark_gone(id, since) };
        self.connection
            .prepare_cached("UPDATE resource SET set_id = ?2 WHERE id = ?1")?
            .execute([id, other])?;
        Ok(())
    }

    /// True if a set other than that one has the resource.
    pub(crate) fn is_in_other_set(&self, row: &Row, set: i64) -> Result<bool, SyncError> {
        if row.set != set {
            return Ok(row.set != DESCRIPTIONS);
        }
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM shared WHERE resource_id = ?1 AND set_id <> ?2")?;
        Ok(statement.exists([row.id, set])?)
    }

    /// True if one of these sets has the resource.
    pub(crate) fn is_in_any_set(&self, id: i64, sets: &[i64]) -> Result<bool, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT set_id FROM resource WHERE id = ?1
             UNION SELECT set_id FROM shared WHERE resource_id = ?1",
        )?;
        let own = statement.query_map([id], |row| row.get::<_, i64>(0))?;
        let own = own.collect::<Result<Vec<_>, _>>()?;
        Ok(own.iter().any(|set| sets.contains(set)))
    }

    /// How many resources of a set the copy has.
    pub(crate) fn count_in_set(&self, set: i64) -> Result<u64, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT count(*) FROM resource WHERE set_id = ?1 AND gone = 0")?;
        let count: i64 = statement.query_row([set], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }

    /// The ids of resources that a set shares with others, in order, after that id.
    pub(crate) fn shared_ids_after(
        &self,
        set: i64,
        id: i64,
        most: usize,
    ) -> Result<Vec<i64>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT resource_id FROM shared WHERE resource_id > ?1 AND set_id = ?2
             ORDER BY resource_id LIMIT ?3",
        )?;
        let rows = statement.query_map(params![id, set, most as i64], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(crate) fn forget(&mut self, id: i64) -> Result<(), SyncError> {
        self.connection
            .prepare_cached(
                "DELETE FROM name WHERE uri = (SELECT uri FROM resource WHERE id = ?1)",
            )?
            .execute([id])?;
        // Its number may be another's one day.
        self.connection
            .prepare_cached("DELETE FROM shared WHERE resource_id = ?1")?
            .execute([id])?;
        let mut statement = self.connection.prepare_cached("DELETE FROM resource WHERE id = ?1")?;
        statement.execute([id])?;
        Ok(())
    }

    /// How many resources the copy has. That takes as long as to look at all of them.
    pub(crate) fn count(&self) -> Result<u64, SyncError> {
        self.number("SELECT count(*) FROM resource")
    }

    /// How many of these the Source has no more.
    pub(crate) fn count_gone(&self) -> Result<u64, SyncError> {
        self.number("SELECT count(*) FROM resource WHERE gone = 1")
    }

    /// True if the copy has anything.
    pub(crate) fn has_resources(&self) -> Result<bool, SyncError> {
        Ok(self.number("SELECT EXISTS (SELECT 1 FROM resource)")? > 0)
    }

    fn number(&self, sql: &str) -> Result<u64, SyncError> {
        let number: i64 = self.connection.query_row(sql, [], |row| row.get(0))?;
        Ok(number.cast_unsigned())
    }

    /// Some of what the Source has no more, after that id.
    pub(crate) fn gone_after(&self, id: i64, most: usize) -> Result<Vec<Gone>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, uri, path, length, sha256, mtime FROM resource
             WHERE gone = 1 AND id > ?1 ORDER BY id LIMIT ?2",
        )?;
        let rows = statement.query_map(params![id, most as i64], |row| {
            Ok(Gone {
                id: row.get(0)?,
                uri: row.get(1)?,
                path: row.get(2)?,
                length: row.get::<_, i64>(3)?.cast_unsigned(),
                sha256: row.get(4)?,
                mtime: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The largest id there is.
    pub(crate) fn last_id(&self) -> Result<i64, SyncError> {
        let last = self.connection.query_row("SELECT max(id) FROM resource", [], |row| row.get(0));
        Ok(last.map(Option::unwrap_or_default)?)
    }

    /// Some ids after that one, in their order, of what the lists of a Source name: of all but
    /// descriptions.
    pub(crate) fn all_ids_after(&self, id: i64, most: usize) -> Result<Vec<i64>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM resource WHERE id > ?1 AND set_id <> ?2 ORDER BY id LIMIT ?3",
        )?;
        let rows = statement.query_map(params![id, DESCRIPTIONS, most as i64], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(crate) fn uri_of(&self, id: i64) -> Result<Option<String>, SyncError> {
        let mut statement =
            self.connection.prepare_cached("SELECT uri FROM resource WHERE id = ?1")?;
        Ok(statement.query_row([id], |row| row.get(0)).optional()?)
    }

    /// Some rows after that URI, in the order of the URIs.
    pub(crate) fn rows_after(
        &self,
        uri: &str,
        most: usize,
    ) -> Result<Vec<(String, Row)>, SyncError> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT uri, {COLUMNS} FROM resource WHERE uri > ?1 ORDER BY uri LIMIT ?2"
        ))?;
        let rows = statement
            .query_map(params![uri, most as i64], |found| Ok((found.get(0)?, row(found, 1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// True if there is a resource whose URI begins so; the text ends in a slash.
    pub(crate) fn has_uri_below(&self, prefix: &str) -> Result<bool, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM resource WHERE uri >= ?1 AND uri < ?2 LIMIT 1")?;
        Ok(statement.exists([prefix, &after(prefix)])?)
    }

    /// True if there is a resource whose own path begins so; the text ends in a slash.
    pub(crate) fn has_path_below(&self, prefix: &str) -> Result<bool, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT 1 FROM resource WHERE path >= ?1 AND path < ?2 LIMIT 1")?;
        Ok(statement.exists([prefix, &after(prefix)])?)
    }

    /// The resource whose file lies at that path, and not where the mapping puts it.
    pub(crate) fn uri_at(&self, path: &str) -> Result<Option<String>, SyncError> {
        let mut statement =
            self.connection.prepare_cached("SELECT uri FROM resource WHERE path = ?1")?;
        Ok(statement.query_row([path], |row| row.get(0)).optional()?)
    }

    /// Some of what the copy has and the Source, too, after that URI.
    pub(crate) fn published_after(
        &self,
        uri: &str,
        most: usize,
    ) -> Result<Vec<Published>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT uri, path, length, sha256, hash, lastmod, media_type, links, id, set_id FROM resource
             WHERE gone = 0 AND uri > ?1 ORDER BY uri LIMIT ?2",
        )?;
        let rows = statement.query_map(params![uri, most as i64], |row| {
            Ok(Published {
                uri: row.get(0)?,
                path: row.get(1)?,
                length: row.get::<_, i64>(2)?.cast_unsigned(),
                sha256: row.get(3)?,
                hash: row.get(4)?,
                lastmod: row.get(5)?,
                media_type: row.get(6)?,
                links: row.get(7)?,
                id: row.get(8)?,
                set: row.get(9)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// True if a resource is in more than one set.
    pub(crate) fn has_shared(&self) -> Result<bool, SyncError> {
        Ok(self.number("SELECT EXISTS (SELECT 1 FROM shared)")? > 0)
    }

    /// The sets of a resource that is in more than one.
    pub(crate) fn sets_sharing(&self, id: i64) -> Result<Vec<i64>, SyncError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT set_id FROM shared WHERE resource_id = ?1 ORDER BY set_id")?;
        let rows = statement.query_map([id], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Has a file looked at again by the next comparison, whatever its time says.
    pub(crate) fn distrust(&mut self, uri: &str) -> Result<(), SyncError> {
        let mut statement =
            self.connection.prepare_cached("UPDATE resource SET mtime = -1 WHERE uri = ?1")?;
        statement.execute([uri])?;
        Ok(())
    }

    /// The ids of a set's resources that the Source was known to have, in order, after that id.
    pub(crate) fn ids_after(&self, set: i64, id: i64, most: usize) -> Result<Vec<i64>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM resource WHERE id > ?1 AND set_id = ?2 AND gone = 0 ORDER BY id LIMIT ?3",
        )?;
        let rows = statement.query_map(params![id, set, most as i64], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// What comes after all texts that begin with this one, which ends in a slash.
pub(super) fn after(prefix: &str) -> String {
    // The character after the slash.
    format!("{}0", prefix.strip_suffix('/').unwrap_or(prefix))
}
