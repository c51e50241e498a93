//! Keeping leases, and giving them back.

use super::{Store, hosts};
use crate::engine::{Operation, Session, Value, padded, params};
use crate::error::Result;
use crate::{Lease, Millis};

impl Store {
    /// Makes all leases of a worker last that long from now.
    pub async fn renew(&self, worker: &str, lease: Millis) -> Result<()> {
        self.engine().write(Renew { worker: worker.to_owned(), lease }).await
    }

    /// The same for some of its leases: those that it really works on.
    pub async fn renew_hosts(&self, worker: &str, hosts: &[String], lease: Millis) -> Result<()> {
        let (worker, hosts) = (worker.to_owned(), hosts.to_vec());
        self.engine().write(RenewHosts { worker, hosts, lease }).await
    }

    /// Gives a lease back. The host is due again when the first of its sites is. One that went to
    /// somebody else stays theirs.
    pub async fn release(&self, lease: &Lease) -> Result<()> {
        self.engine().write(Release { held: Held::from(lease) }).await
    }

    /// When the first host is due, or the lease of one ends that is due; none if nothing is
    /// followed, or all of it is paused.
    pub async fn next_due(&self) -> Result<Option<Millis>> {
        self.engine().read(NextDue).await
    }
}

/// A lease, without what it is for.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) host: String,
    worker: String,
    generation: i64,
}

impl From<&Lease> for Held {
    fn from(lease: &Lease) -> Self {
        let (host, worker) = (lease.host.clone(), lease.worker.clone());
        Self { host, worker, generation: lease.generation }
    }
}

impl Held {
    /// Locks the host if the lease still holds: a lease that ran out does so until somebody takes
    /// it.
    pub(super) async fn lock(&self, session: &mut Session<'_>) -> Result<bool> {
        const FENCE: &str = "SELECT lease_until FROM hosts
            WHERE name = $1 AND lease_by = $2 AND lease_generation = $3 FOR UPDATE";
        let params = params![&self.host, &self.worker, self.generation];
        Ok(session.query_opt(FENCE, &params).await?.is_some())
    }
}

struct Renew {
    worker: String,
    lease: Millis,
}

struct RenewHosts {
    worker: String,
    hosts: Vec<String>,
    lease: Millis,
}

impl Operation for RenewHosts {
    type Output = ();

    async fn run(&self, session: &mut Session<'_>) -> Result<()> {
        let now = session.now().await?;
        let until = hosts::after(now, self.lease);
        let hosts: Vec<Value> = self.hosts.iter().map(|host| Value::from(host.as_str())).collect();
        for chunk in padded(&hosts) {
            let places: Vec<String> =
                (0..chunk.len()).map(|place| format!("${}", place + 3)).collect();
            let sql = format!(
                "UPDATE hosts SET lease_until = $2 WHERE lease_by = $1 AND lease_until > 0 \
                 AND name IN ({})",
                places.join(", ")
            );
            let mut values = vec![Value::from(self.worker.as_str()), Value::from(until)];
            values.extend(chunk);
            session.execute(&sql, &values).await?;
        }
        Ok(())
    }
}

impl Operation for Renew {
    type Output = ();

    async fn run(&self, session: &mut Session<'_>) -> Result<()> {
        const RENEW: &str =
            "UPDATE hosts SET lease_until = $2 WHERE lease_by = $1 AND lease_until > 0";
        let now = session.now().await?;
        let until = hosts::after(now, self.lease);
        session.execute(RENEW, &params![&self.worker, until]).await.map(drop)
    }
}

struct Release {
    held: Held,
}

impl Operation for Release {
    type Output = ();

    async fn run(&self, session: &mut Session<'_>) -> Result<()> {
        const RELEASE: &str =
            "UPDATE hosts SET lease_until = 0, lease_by = '', next_due = $2 WHERE name = $1";
        if !self.held.lock(session).await? {
            return Ok(());
        }
        let due = hosts::first_due(session, &self.held.host).await?;
        session.execute(RELEASE, &params![&self.held.host, due]).await.map(drop)
    }
}

struct NextDue;

impl Operation for NextDue {
    type Output = Option<Millis>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Option<Millis>> {
        const FREE: &str =
            "SELECT next_due FROM hosts WHERE lease_until <= $1 ORDER BY next_due LIMIT 1";
        const LEASED: &str = "SELECT min(CASE WHEN lease_until > next_due THEN lease_until \
            ELSE next_due END) FROM hosts WHERE lease_until > 0 AND lease_until > $1";
        let now = session.now().await?;
        let mut dues = Vec::new();
        for sql in [FREE, LEASED] {
            if let Some(mut row) = session.query_opt(sql, &params![now]).await? {
                dues.extend(row.maybe_int()?);
            }
        }
        Ok(dues.into_iter().min().filter(|due| *due < hosts::NEVER))
    }
}
