//! How much there is.

use super::Store;
use crate::engine::{Operation, Session, params};
use crate::error::Result;
use crate::{Millis, State};

/// How much there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sites.
    pub sites: u64,
    /// Sites by state: new, well, failing, paused, partly failing.
    pub by_state: [u64; 5],
    /// Collections.
    pub collections: u64,
    /// Sites that are due.
    pub due: u64,
    /// For how long the one that waits longest has been due, in milliseconds.
    pub lag: Millis,
}

impl Store {
    /// How much there is. Sites that are paused are not due.
    pub async fn counts(&self) -> Result<Counts> {
        self.engine().read(Count).await
    }
}

struct Count;

impl Operation for Count {
    type Output = Counts;

    async fn run(&self, session: &mut Session<'_>) -> Result<Counts> {
        const STATES: &str = "SELECT state, count(*) FROM sites GROUP BY state";
        const COLLECTIONS: &str = "SELECT count(*) FROM collections";
        const DUE: &str = "SELECT count(*), min(next_due) FROM sites
            WHERE state <> 'paused' AND next_due <= $1";
        let mut counts = Counts::default();
        for mut row in session.query(STATES, &[]).await? {
            let place = match row.named(State::by_name)? {
                State::New => 0,
                State::Well => 1,
                State::Failing => 2,
                State::Paused => 3,
                State::PartlyFailing => 4,
            };
            counts.by_state[place] = row.count()?;
        }
        counts.sites = counts.by_state.iter().sum();
        if let Some(mut row) = session.query_opt(COLLECTIONS, &[]).await? {
            counts.collections = row.count()?;
        }
        let now = session.now().await?;
        if let Some(mut row) = session.query_opt(DUE, &params![now]).await? {
            counts.due = row.count()?;
            counts.lag = row.maybe_int()?.map_or(0, |first| now - first);
        }
        Ok(counts)
    }
}
