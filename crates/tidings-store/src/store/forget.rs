//! Forgets old changes, a few at a time.

use super::{Store, hosts};
use crate::engine::{Operation, Session, params};
use crate::error::Result;
use crate::{ForgetStep, Millis, Retention};

/// How many changes one step removes: so few that nobody who waits for the writer notices.
const MAX_CHANGES_PER_STEP: i64 = 1_000;

impl Store {
    /// Forgets some old changes of the first collection with a number above `after` that has any; none if
    /// there is no such collection. Each step is durable by itself: whoever is stopped between two goes on
    /// with the next.
    pub async fn forget_step(
        &self,
        retention: &Retention,
        after: i64,
    ) -> Result<Option<ForgetStep>> {
        self.engine().write(Forget { retention: retention.clone(), after }).await
    }
}

struct Forget {
    retention: Retention,
    after: i64,
}

/// A collection that may have something to forget.
struct Candidate {
    id: i64,
    site_id: i64,
    host: String,
    via: String,
}

/// How far a collection goes, and how far it is forgotten.
struct Extent {
    batches: i64,
    forgotten: i64,
}

impl Operation for Forget {
    type Output = Option<ForgetStep>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Self::Output> {
        let Some(candidate) = self.candidate(session).await? else { return Ok(None) };
        // A poll of the same host numbers batches and archives, too.
        hosts::lock(session, &candidate.host).await?;
        let id = candidate.id;
        let step = |changes, is_done| Some(ForgetStep { collection_id: id, changes, is_done });
        let Some(extent) = extent(session, id).await? else { return Ok(step(0, true)) };
        let mut until = extent.forgotten;
        if !has_rest(session, id, until).await? {
            let Some(next) = self.next_end(session, id, &extent).await? else {
                return Ok(step(0, true));
            };
            mark(session, &candidate, next).await?;
            until = next;
        }
        let changes = remove(session, &candidate, until).await?;
        Ok(step(changes, false))
    }
}

impl Forget {
    /// The next collection that has more than two archives, or the rest of one that is being forgotten.
    async fn candidate(&self, session: &mut Session<'_>) -> Result<Option<Candidate>> {
        const FIND: &str = "SELECT c.id, c.site_id, s.host, s.via
            FROM collections c JOIN sites s ON s.id = c.site_id
            WHERE c.id > $1 AND (c.batches - c.forgotten >= $2 OR EXISTS (SELECT 1 FROM batches b
            WHERE b.collection_id = c.id AND b.sequence <= c.forgotten))
            ORDER BY c.id LIMIT 1";
        let least = 2 * Retention::BATCHES_PER_ARCHIVE;
        let row = session.query_opt(FIND, &params![self.after, least]).await?;
        row.map(|mut row| {
            Ok(Candidate {
                id: row.int()?,
                site_id: row.int()?,
                host: row.text()?,
                via: row.text()?,
            })
        })
        .transpose()
    }

    /// The number of the last batch of the next archive to be forgotten, if it is to be.
    async fn next_end(
        &self,
        session: &mut Session<'_>,
        id: i64,
        extent: &Extent,
    ) -> Result<Option<i64>> {
        const SEEN_AT: &str =
            "SELECT seen_at FROM batches WHERE collection_id = $1 AND sequence = $2";
        const NEWER: &str = "SELECT CAST(sum(recorded) AS BIGINT) FROM batches
            WHERE collection_id = $1 AND sequence > $2";
        let end = extent.forgotten + Retention::BATCHES_PER_ARCHIVE;
        if extent.batches - end < Retention::BATCHES_PER_ARCHIVE {
            return Ok(None);
        }
        if let Some(max_age) = self.retention.max_age {
            let oldest_kept = session.now().await?.saturating_sub(max_age);
            let row = session.query_opt(SEEN_AT, &params![id, end]).await?;
            let seen_at = row.map(|mut row| row.int()).transpose()?;
            if seen_at.is_none_or(|seen_at| seen_at < oldest_kept) {
                return Ok(Some(end));
            }
        }
        if let Some(max_changes) = self.retention.max_changes {
            let row = session.query_opt(NEWER, &params![id, end]).await?;
            let newer = row.map_or(Ok(None), |mut row| row.maybe_int())?.unwrap_or(0);
            return Ok((newer >= max_changes).then_some(end));
        }
        Ok(None)
    }
}

async fn extent(session: &mut Session<'_>, id: i64) -> Result<Option<Extent>> {
    const EXTENT: &str = "SELECT batches, forgotten FROM collections WHERE id = $1 FOR UPDATE";
    let row = session.query_opt(EXTENT, &params![id]).await?;
    row.map(|mut row| Ok(Extent { batches: row.int()?, forgotten: row.int()? })).transpose()
}

async fn has_rest(session: &mut Session<'_>, id: i64, until: i64) -> Result<bool> {
    const REST: &str =
        "SELECT sequence FROM batches WHERE collection_id = $1 AND sequence <= $2 LIMIT 1";
    Ok(session.query_opt(REST, &params![id, until]).await?.is_some())
}

/// Writes down that the batches up to that number are forgotten, before the first of them is removed: from
/// now on no archive has them.
async fn mark(session: &mut Session<'_>, of: &Candidate, until: i64) -> Result<()> {
    const LAST: &str = "SELECT max(CASE WHEN newest > seen_at THEN seen_at ELSE newest END), \
        max(site_sequence) FROM batches WHERE collection_id = $1 AND sequence <= $2";
    const COLLECTION: &str = "UPDATE collections SET forgotten = $2, forgotten_until = CASE \
        WHEN forgotten_until > $3 THEN forgotten_until ELSE COALESCE($3, forgotten_until) END
        WHERE id = $1";
    const SITE: &str = "UPDATE sites SET forgotten = $2 WHERE id = $1 AND forgotten < $2";
    let row = session.query_opt(LAST, &params![of.id, until]).await?;
    let (newest, in_site): (Option<Millis>, Option<i64>) = match row {
        Some(mut row) => (row.maybe_int()?, row.maybe_int()?),
        None => (None, None),
    };
    session.execute(COLLECTION, &params![of.id, until, newest]).await?;
    if let Some(in_site) = in_site {
        session.execute(SITE, &params![of.site_id, in_site]).await?;
    }
    Ok(())
}

/// Removes some changes of the batches up to that number, and the batches when none is left.
async fn remove(session: &mut Session<'_>, of: &Candidate, until: i64) -> Result<u64> {
    const SOME: &str = "SELECT key FROM changes WHERE collection_id = $1 AND batch <= $2
        ORDER BY batch, position LIMIT $3";
    const BATCHES: &str = "DELETE FROM batches WHERE collection_id = $1 AND sequence <= $2";
    let params = params![of.id, until, MAX_CHANGES_PER_STEP];
    if of.via == crate::Via::Feed.name() {
        let keep = format!(
            "INSERT INTO told_changes (collection_id, key) SELECT collection_id, key FROM changes
             WHERE collection_id = $1 AND time_text IS NULL AND key IN ({SOME})
             ON CONFLICT DO NOTHING"
        );
        session.execute(&keep, &params).await?;
    }
    let remove = format!("DELETE FROM changes WHERE collection_id = $1 AND key IN ({SOME})");
    let removed = session.execute(&remove, &params).await?;
    if removed < MAX_CHANGES_PER_STEP.unsigned_abs() {
        session.execute(BATCHES, &params![of.id, until]).await?;
    }
    Ok(removed)
}
