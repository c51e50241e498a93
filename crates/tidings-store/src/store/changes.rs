//! The changes of collections.

use super::Store;
use crate::engine::{Operation, Row, Select, Session, Value, chunks, padded, params, places, rows};
use crate::error::Result;
use crate::{Change, Kind, NewChange};

/// What [`read`] wants of a row, in that order.
pub(super) const COLUMNS: &str = "c.collection_id, c.batch, c.position, c.key, c.uri, c.kind, \
    c.time, c.time_text, c.title, c.note";

pub(super) fn read(row: &mut Row) -> Result<Change> {
    Ok(Change {
        collection_id: row.int()?,
        batch: row.int()?,
        position: row.int()?,
        change: NewChange {
            key: row.array()?,
            uri: row.text()?,
            kind: row.named(Kind::by_name)?,
            time: row.int()?,
            time_text: row.maybe_text()?,
            title: row.maybe_text()?,
            note: row.maybe_text()?,
        },
    })
}

impl Store {
    /// The changes of a collection, the newest (by batch and place) first.
    pub async fn changes(&self, collection_id: i64, skip: u64, limit: u32) -> Result<Vec<Change>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM changes c WHERE c.collection_id = $1
             ORDER BY c.batch DESC, c.position DESC LIMIT $2 OFFSET $3"
        );
        self.listed(sql, collection_id, skip, limit).await
    }

    /// The changes of all collections of a site, the newest batch first.
    pub async fn site_changes(&self, site_id: i64, skip: u64, limit: u32) -> Result<Vec<Change>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM batches b CROSS JOIN changes c
             WHERE b.site_id = $1 AND c.collection_id = b.collection_id AND c.batch = b.sequence
             ORDER BY b.site_sequence DESC, c.position DESC LIMIT $2 OFFSET $3"
        );
        self.listed(sql, site_id, skip, limit).await
    }

    async fn listed(&self, sql: String, of: i64, skip: u64, limit: u32) -> Result<Vec<Change>> {
        let skip = i64::try_from(skip).unwrap_or(i64::MAX);
        self.engine().read(Select { sql, params: params![of, limit, skip].into(), read }).await
    }

    /// Which of these changes are recorded already.
    pub async fn known(&self, collection_id: i64, keys: &[[u8; 16]]) -> Result<Vec<[u8; 16]>> {
        self.engine().read(Known { collection_id, keys: keys.to_vec() }).await
    }
}

struct Known {
    collection_id: i64,
    keys: Vec<[u8; 16]>,
}

impl Operation for Known {
    type Output = Vec<[u8; 16]>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Self::Output> {
        known(session, self.collection_id, &self.keys).await
    }
}

/// Which of these keys a collection has.
pub(super) async fn known(
    session: &mut Session<'_>,
    collection_id: i64,
    keys: &[[u8; 16]],
) -> Result<Vec<[u8; 16]>> {
    let mut found = Vec::new();
    let keys: Vec<_> = keys.iter().map(|key| Value::from(*key)).collect();
    for mut params in padded(&keys) {
        let places = places(2, params.len());
        let sql = format!(
            "SELECT key FROM changes WHERE collection_id = $1 AND key IN ({places})
             UNION SELECT key FROM told_changes WHERE collection_id = $1 AND key IN ({places})",
        );
        params.insert(0, Value::Int(collection_id));
        for mut row in session.query(&sql, &params).await? {
            found.push(row.array()?);
        }
    }
    Ok(found)
}

/// Records changes that are new to the collection, in their order.
pub(super) async fn insert(
    session: &mut Session<'_>,
    collection_id: i64,
    batch: i64,
    new: &[&NewChange],
) -> Result<()> {
    let numbered: Vec<_> = (0_i64..).zip(new).collect();
    for chunk in chunks(&numbered) {
        // A key that is there already would be a mistake of ours: it fails the whole poll.
        let sql = format!(
            "INSERT INTO changes (collection_id, batch, position, key, uri, kind, time, \
             time_text, title, note) VALUES {}",
            rows(chunk.len(), 10)
        );
        let values = chunk.iter().flat_map(|(position, change)| {
            params![
                collection_id,
                batch,
                *position,
                change.key,
                &change.uri,
                change.kind.name(),
                change.time,
                change.time_text.as_ref(),
                change.title.as_ref(),
                change.note.as_ref(),
            ]
        });
        session.execute(&sql, &values.collect::<Vec<_>>()).await?;
    }
    Ok(())
}

/// Makes changes count as recorded, without a batch.
pub(super) async fn insert_told(
    session: &mut Session<'_>,
    collection_id: i64,
    told: &[[u8; 16]],
) -> Result<()> {
    for chunk in chunks(told) {
        let sql = format!(
            "INSERT INTO told_changes (collection_id, key) VALUES {} ON CONFLICT DO NOTHING",
            rows(chunk.len(), 2)
        );
        let values = chunk.iter().flat_map(|key| params![collection_id, *key]);
        session.execute(&sql, &values.collect::<Vec<_>>()).await?;
    }
    Ok(())
}
