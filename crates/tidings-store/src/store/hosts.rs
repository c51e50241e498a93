//! The rows of hosts, which are locked before anything about their sites is changed.

use crate::Millis;
use crate::engine::{Session, params};
use crate::error::Result;

/// The end of the year 9999: when a host is due that has nothing to be polled.
pub(super) const NEVER: Millis = 253_402_300_799_000;

/// When that is, from now; never rather than beyond all numbers.
pub(super) fn after(now: Millis, wait: Millis) -> Millis {
    now.saturating_add(wait).clamp(0, NEVER)
}

/// Locks the host until the end of the transaction; false if there is none of that name.
pub(super) async fn lock(session: &mut Session<'_>, host: &str) -> Result<bool> {
    const LOCK: &str = "SELECT lease_generation FROM hosts WHERE name = $1 FOR UPDATE";
    Ok(session.query_opt(LOCK, &params![host]).await?.is_some())
}

/// Locks the host, which may be new, and makes it due not later than that. The numbers of its leases
/// begin with the time, so that one that comes back does not repeat those of the one that it was.
pub(super) async fn due_by(
    session: &mut Session<'_>,
    host: &str,
    due: Millis,
    now: Millis,
) -> Result<()> {
    const DUE: &str = "INSERT INTO hosts (name, next_due, lease_generation) VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET next_due =
        CASE WHEN excluded.next_due < hosts.next_due THEN excluded.next_due
        ELSE hosts.next_due END";
    session.execute(DUE, &params![host, due, now]).await.map(drop)
}

/// When the first of its sites is due.
pub(super) async fn first_due(session: &mut Session<'_>, host: &str) -> Result<Millis> {
    const FIRST: &str = "SELECT min(next_due) FROM sites WHERE host = $1 AND state <> 'paused'";
    let row = session.query_opt(FIRST, &params![host]).await?;
    Ok(row.map_or(Ok(None), |mut row| row.maybe_int())?.unwrap_or(NEVER))
}
