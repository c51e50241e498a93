//! What sites' Sitemaps said: snapshots, in runs of pieces.

use super::Store;
use super::release::Held;
use crate::engine::{Operation, Row, Select, Session, Value, chunks, params, rows};
use crate::error::Result;
use crate::{Lease, Run, Snapshot};

const ORPHANS: &str = "DELETE FROM pieces WHERE site_id = $1
    AND run NOT IN (SELECT id FROM runs WHERE site_id = $1)";

fn read(row: &mut Row) -> Result<Run> {
    Ok(Run {
        id: row.text()?,
        document: row.text()?,
        etag: row.maybe_text()?,
        last_modified: row.maybe_text()?,
        entries: row.int()?,
        pieces: row.int()?,
    })
}

impl Store {
    /// The runs of the last snapshot of a site, in the order in which they were given.
    pub async fn runs(&self, site_id: i64) -> Result<Vec<Run>> {
        let sql = "SELECT id, document, etag, last_modified, entries, pieces FROM runs
            WHERE site_id = $1 ORDER BY position"
            .to_owned();
        self.engine().read(Select { sql, params: params![site_id].into(), read }).await
    }

    /// One piece of a run.
    pub async fn piece(&self, site_id: i64, run: &str, number: i64) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT bytes FROM pieces WHERE site_id = $1 AND run = $2 AND number = $3";
        let params = params![site_id, run, number].into();
        let read = |row: &mut Row| row.maybe_bytes();
        let found = self.engine().read(Select { sql: sql.to_owned(), params, read }).await?;
        Ok(found.into_iter().next().flatten())
    }

    /// Forgets pieces that were staged for a snapshot that was never finished, if the lease still holds:
    /// else they may be those of whoever has it now.
    pub async fn unstage(&self, lease: &Lease, site_id: i64) -> Result<()> {
        const STAGED: &str = "SELECT run FROM pieces WHERE site_id = $1
            AND run NOT IN (SELECT id FROM runs WHERE site_id = $1) LIMIT 1";
        let params = params![site_id].into();
        let read = |row: &mut Row| row.text();
        let staged = self.engine().read(Select { sql: STAGED.to_owned(), params, read }).await?;
        // To look costs less than to write.
        if staged.is_empty() {
            return Ok(());
        }
        self.engine().write(Unstage { held: Held::from(lease), site_id }).await
    }

    /// Puts a piece of a run down for the snapshot that is being made: it stays if the next
    /// [`finish`](Self::finish) that has a snapshot of the site has the run. Of a site that was
    /// unfollowed in the meantime it is not kept.
    pub async fn stage(&self, site_id: i64, run: &str, number: i64, bytes: Vec<u8>) -> Result<()> {
        const STAGE: &str = "INSERT INTO pieces (site_id, run, number, bytes)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (site_id, run, number) DO UPDATE SET bytes = excluded.bytes";
        let params = vec![site_id.into(), run.into(), number.into(), Value::Bytes(bytes)];
        self.engine().write(OfSite { sql: STAGE, site_id, params }).await
    }
}

struct Unstage {
    held: Held,
    site_id: i64,
}

impl Operation for Unstage {
    type Output = ();

    async fn run(&self, session: &mut Session<'_>) -> Result<()> {
        if self.held.lock(session).await? {
            session.execute(ORPHANS, &params![self.site_id]).await?;
        }
        Ok(())
    }
}

/// Writes something that belongs to a site, unless that was unfollowed.
pub(super) struct OfSite {
    pub(super) sql: &'static str,
    pub(super) site_id: i64,
    pub(super) params: Vec<Value>,
}

impl Operation for OfSite {
    type Output = ();

    async fn run(&self, session: &mut Session<'_>) -> Result<()> {
        const SITE: &str = "SELECT id FROM sites WHERE id = $1 FOR KEY SHARE";
        if session.query_opt(SITE, &params![self.site_id]).await?.is_some() {
            session.execute(self.sql, &self.params).await?;
        }
        Ok(())
    }
}

/// Makes this the last snapshot of a site, and forgets all that is not part of it.
pub(super) async fn replace(
    session: &mut Session<'_>,
    site_id: i64,
    snapshot: &Snapshot,
) -> Result<()> {
    const FORGET: &str = "DELETE FROM runs WHERE site_id = $1";
    session.execute(FORGET, &params![site_id]).await?;
    let numbered: Vec<_> = (0_i64..).zip(&snapshot.runs).collect();
    for chunk in chunks(&numbered) {
        let sql = format!(
            "INSERT INTO runs (site_id, id, position, document, etag, last_modified, entries, \
             pieces) VALUES {} ON CONFLICT DO NOTHING",
            rows(chunk.len(), 8)
        );
        let values = chunk.iter().flat_map(|(position, run)| {
            params![
                site_id,
                &run.id,
                *position,
                &run.document,
                run.etag.as_ref(),
                run.last_modified.as_ref(),
                run.entries,
                run.pieces,
            ]
        });
        session.execute(&sql, &values.collect::<Vec<_>>()).await?;
    }
    session.execute(ORPHANS, &params![site_id]).await.map(drop)
}
