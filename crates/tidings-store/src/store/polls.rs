//! The last polls of sites.

use super::Store;
use crate::engine::{Row, Select, Session, params};
use crate::error::Result;
use crate::{Millis, Outcome, PollRecord, State};

/// How many are kept of each site.
const KEPT: i64 = 20;

fn read(row: &mut Row) -> Result<PollRecord> {
    Ok(PollRecord {
        at: row.int()?,
        state: row.named(State::by_name)?,
        reason: row.maybe_text()?,
        changes: row.int()?,
        requests: row.int()?,
        took: row.int()?,
    })
}

impl Store {
    /// Its last polls, the newest first; 20 are kept.
    pub async fn polls(&self, site_id: i64) -> Result<Vec<PollRecord>> {
        let sql = "SELECT at, state, reason, changes, requests, took FROM polls
            WHERE site_id = $1 ORDER BY sequence DESC"
            .to_owned();
        self.engine().read(Select { sql, params: params![site_id].into(), read }).await
    }
}

/// Remembers a poll in the place of the oldest one.
pub(super) async fn insert(
    session: &mut Session<'_>,
    outcome: &Outcome,
    number: i64,
    now: Millis,
    changes: u64,
) -> Result<()> {
    const INSERT: &str = "INSERT INTO polls \
        (site_id, slot, sequence, at, state, reason, changes, requests, took)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (site_id, slot) DO UPDATE SET sequence = excluded.sequence, \
        at = excluded.at, state = excluded.state, reason = excluded.reason, \
        changes = excluded.changes, requests = excluded.requests, took = excluded.took";
    let params = params![
        outcome.site_id,
        number % KEPT,
        number,
        now,
        outcome.state.name(),
        outcome.reason.as_ref(),
        i64::try_from(changes).unwrap_or(i64::MAX),
        outcome.requests,
        outcome.took,
    ];
    session.execute(INSERT, &params).await.map(drop)
}
