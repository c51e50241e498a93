//! Recording what came of a poll.

use super::record::{self, Poll};
use super::release::Held;
use super::{Store, hosts, polls, posts, site_move, snapshots};
use crate::engine::{Operation, Session, params};
use crate::error::Result;
use crate::{Finished, Lease, Millis, Outcome, State, StoreError};

impl Store {
    /// Records what came of a poll, if the lease still holds, as a whole or not at all. Of a site
    /// that was unfollowed in the meantime nothing is recorded. Recording the same once more adds
    /// nothing but a poll.
    pub async fn finish(&self, lease: &Lease, outcome: Outcome) -> Result<Finished> {
        self.engine().write(Finish { held: Held::from(lease), outcome }).await
    }
}

struct Finish {
    held: Held,
    outcome: Outcome,
}

impl Operation for Finish {
    type Output = Finished;

    async fn run(&self, session: &mut Session<'_>) -> Result<Finished> {
        let holds = self.held.lock(session).await?;
        let Some(site) = self.site(session).await? else {
            return Ok(Finished::default());
        };
        if !holds {
            return Err(StoreError::Fenced { host: self.held.host.clone() });
        }
        let outcome = &self.outcome;
        let now = session.now().await?;
        let mut poll = Poll {
            site_id: outcome.site_id,
            now,
            batches: site.batches,
            finished: Finished::default(),
        };
        if let Some(moved) = &outcome.moved {
            site_move::apply(session, outcome.site_id, moved, now).await?;
        }
        for collection in &outcome.collections {
            record::collection(session, &mut poll, collection).await?;
        }
        self.update_site(session, &poll).await?;
        let number = site.polls + 1;
        polls::insert(session, outcome, number, now, poll.finished.changes).await?;
        if let Some(snapshot) = &outcome.snapshot {
            snapshots::replace(session, outcome.site_id, snapshot).await?;
        }
        if let Some(found) = &outcome.posts {
            posts::record(session, outcome.site_id, now, found).await?;
        }
        Ok(poll.finished)
    }
}

/// How far a site was counted.
struct Counted {
    batches: i64,
    polls: i64,
}

impl Finish {
    /// None if it is not followed any more. It is read after the host was locked: whoever else
    /// counts has the same lock.
    async fn site(&self, session: &mut Session<'_>) -> Result<Option<Counted>> {
        const SITE: &str = "SELECT batches, polls FROM sites WHERE id = $1 AND host = $2";
        let params = params![self.outcome.site_id, &self.held.host];
        let row = session.query_opt(SITE, &params).await?;
        row.map(|mut row| Ok(Counted { batches: row.int()?, polls: row.int()? })).transpose()
    }

    async fn update_site(&self, session: &mut Session<'_>, poll: &Poll) -> Result<()> {
        // Whoever paused it during the poll gets what they wanted.
        const UPDATE: &str = "UPDATE sites SET \
            state = CASE WHEN state = 'paused' THEN state ELSE $2 END, \
            reason = $3, failures = $4, poll_interval = $5, next_due = $6, polled_at = $7, \
            succeeded_at = COALESCE($8, succeeded_at), changed_at = COALESCE($9, changed_at), \
            title = COALESCE($10, title), details = COALESCE($11, details), batches = $12, \
            polls = polls + 1
            WHERE id = $1";
        let outcome = &self.outcome;
        let now = poll.now;
        let at = |so: bool| -> Option<Millis> { so.then_some(now) };
        let params = params![
            outcome.site_id,
            outcome.state.name(),
            outcome.reason.as_ref(),
            outcome.failures,
            outcome.interval,
            hosts::after(now, outcome.wait),
            now,
            at(outcome.state != State::Failing),
            at(poll.finished.batches > 0),
            outcome.title.as_ref(),
            outcome.details.as_ref(),
            poll.batches,
        ];
        session.execute(UPDATE, &params).await.map(drop)
    }
}
