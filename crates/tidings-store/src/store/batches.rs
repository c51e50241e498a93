//! The batches of collections and of sites.

use std::collections::HashMap;

use super::{Store, changes};
use crate::engine::{Operation, Row, Select, Session, Value, params};
use crate::error::Result;
use crate::{Batch, Change, NewChange, Via};

const COLUMNS: &str = "collection_id, sequence, site_sequence, key, created, updated, deleted, \
    oldest, newest, seen_at";

fn read(row: &mut Row) -> Result<Batch> {
    Ok(Batch {
        collection_id: row.int()?,
        sequence: row.int()?,
        site_sequence: row.int()?,
        key: row.text()?,
        created: row.int()?,
        updated: row.int()?,
        deleted: row.int()?,
        oldest: row.int()?,
        newest: row.int()?,
        seen_at: row.int()?,
        changes: Vec::new(),
    })
}

impl Store {
    /// The batches of a collection with numbers from `first` to `last`, the newest first, each with
    /// the newest `most` of its changes.
    pub async fn batches(
        &self,
        collection_id: i64,
        first: i64,
        last: i64,
        most: u32,
    ) -> Result<Vec<Batch>> {
        let (of, number) = ("collection_id", "sequence");
        self.engine().read(Batches { of, number, id: collection_id, first, last, most }).await
    }

    /// The same of a site, by [`Batch::site_sequence`].
    pub async fn site_batches(
        &self,
        site_id: i64,
        first: i64,
        last: i64,
        most: u32,
    ) -> Result<Vec<Batch>> {
        let (of, number) = ("site_id", "site_sequence");
        self.engine().read(Batches { of, number, id: site_id, first, last, most }).await
    }

    /// The newest batches of all sites, each with the newest `most` of its changes; without those of sites
    /// that `reader` [leaves out](Store::set_left_out), and without batches that only tell which posts a webfeed
    /// removed.
    pub async fn newest_batches(
        &self,
        reader: Option<i64>,
        limit: u32,
        most: u32,
    ) -> Result<Vec<Batch>> {
        self.engine().read(NewestBatches { reader, limit, most }).await
    }

    /// One batch of a collection, without its changes.
    pub async fn batch(&self, collection_id: i64, sequence: i64) -> Result<Option<Batch>> {
        let sql =
            format!("SELECT {COLUMNS} FROM batches WHERE collection_id = $1 AND sequence = $2");
        let params = params![collection_id, sequence].into();
        let found = self.engine().read(Select { sql, params, read }).await?;
        Ok(found.into_iter().next())
    }

    /// The changes of a batch in their order, from that place on.
    pub async fn batch_changes(
        &self,
        collection_id: i64,
        batch: i64,
        from: i64,
        limit: u32,
    ) -> Result<Vec<Change>> {
        let sql = format!(
            "SELECT {} FROM changes c WHERE c.collection_id = $1 AND c.batch = $2
             AND c.position >= $3 ORDER BY c.position LIMIT $4",
            changes::COLUMNS
        );
        let params = params![collection_id, batch, from, limit].into();
        self.engine().read(Select { sql, params, read: changes::read }).await
    }
}

/// True of batches of sites that a user does not leave out.
pub(super) fn not_left_out(reader: &str) -> String {
    format!(
        " AND NOT EXISTS (SELECT 1 FROM left_out_sites l
         WHERE l.reader = {reader} AND l.site_id = b.site_id)"
    )
}

/// True of batches that tell more than which posts a webfeed removed.
fn not_only_removed_posts(webfeed: &str) -> String {
    format!(
        " AND (b.created + b.updated > 0 OR NOT EXISTS (SELECT 1 FROM sites w
         WHERE w.id = b.site_id AND w.via = {webfeed}))"
    )
}

struct NewestBatches {
    reader: Option<i64>,
    limit: u32,
    most: u32,
}

impl NewestBatches {
    /// The parameters of a statement, and the conditions on its batches.
    fn statement(&self, mut params: Vec<Value>) -> (Vec<Value>, String) {
        let mut place = |value: Value| {
            params.push(value);
            format!("${}", params.len())
        };
        let mut wanted = not_only_removed_posts(&place(Via::Webfeed.name().into()));
        if let Some(reader) = self.reader {
            wanted += &not_left_out(&place(reader.into()));
        }
        (params, wanted)
    }
}

impl Operation for NewestBatches {
    type Output = Vec<Batch>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Vec<Batch>> {
        const ORDER: &str = "b.seen_at DESC, b.collection_id DESC, b.sequence DESC";
        let (params, wanted) = self.statement(params![self.limit].into());
        let sql = format!(
            "SELECT {COLUMNS} FROM batches b WHERE 1 = 1{wanted} ORDER BY {ORDER} LIMIT $1"
        );
        let mut rows = session.query(&sql, &params).await?;
        let mut batches: Vec<_> = rows.iter_mut().map(read).collect::<Result<_>>()?;
        let Some(last) = batches.last() else { return Ok(batches) };
        let from = params![last.seen_at, last.collection_id, last.sequence, self.most];
        let (params, wanted) = self.statement(from.into());
        let sql = format!(
            "SELECT {} FROM batches b CROSS JOIN changes c
             WHERE (b.seen_at, b.collection_id, b.sequence) >= ($1, $2, $3){wanted}
             AND c.collection_id = b.collection_id AND c.batch = b.sequence
             AND c.position >= b.recorded - $4 ORDER BY {ORDER}, c.position",
            changes::COLUMNS
        );
        let mut found = by_batch(session.query(&sql, &params).await?)?;
        for batch in &mut batches {
            let changes = found.remove(&(batch.collection_id, batch.sequence));
            batch.changes = changes.unwrap_or_default();
        }
        Ok(batches)
    }
}

/// Changes by their collection and batch.
fn by_batch(rows: Vec<Row>) -> Result<HashMap<(i64, i64), Vec<NewChange>>> {
    let mut found: HashMap<_, Vec<_>> = HashMap::new();
    for mut row in rows {
        let change = changes::read(&mut row)?;
        found.entry((change.collection_id, change.batch)).or_default().push(change.change);
    }
    Ok(found)
}

struct Batches {
    /// The column that says whose they are.
    of: &'static str,
    /// The one that numbers them.
    number: &'static str,
    id: i64,
    first: i64,
    last: i64,
    most: u32,
}

impl Operation for Batches {
    type Output = Vec<Batch>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Vec<Batch>> {
        let (of, number) = (self.of, self.number);
        let sql = format!(
            "SELECT {COLUMNS} FROM batches WHERE {of} = $1 AND {number} >= $2 AND {number} <= $3
             ORDER BY {number} DESC"
        );
        let mut rows = session.query(&sql, &params![self.id, self.first, self.last]).await?;
        let mut batches: Vec<_> = rows.iter_mut().map(read).collect::<Result<_>>()?;
        if self.most > 0 && !batches.is_empty() {
            let mut changes = self.changes(session).await?;
            for batch in &mut batches {
                let found = changes.remove(&(batch.collection_id, batch.sequence));
                batch.changes = found.unwrap_or_default();
            }
        }
        Ok(batches)
    }
}

impl Batches {
    /// The changes of all of them, by collection and batch. `CROSS JOIN` makes SQLite go from the
    /// batches to their last changes, and not over all changes there are.
    async fn changes(
        &self,
        session: &mut Session<'_>,
    ) -> Result<HashMap<(i64, i64), Vec<NewChange>>> {
        let (of, number) = (self.of, self.number);
        let sql = format!(
            "SELECT {} FROM batches b CROSS JOIN changes c
             WHERE b.{of} = $1 AND b.{number} >= $2 AND b.{number} <= $3
             AND c.collection_id = b.collection_id AND c.batch = b.sequence
             AND c.position >= b.recorded - $4
             ORDER BY b.{number} DESC, c.position",
            changes::COLUMNS
        );
        let params = params![self.id, self.first, self.last, self.most];
        by_batch(session.query(&sql, &params).await?)
    }
}
