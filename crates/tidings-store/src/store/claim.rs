//! Leasing hosts.

use std::collections::HashMap;

use super::{Store, hosts, sites};
use crate::engine::{Execute, Operation, Session, Value, padded, params, places};
use crate::error::Result;
use crate::{Lease, Millis, Site};

impl Store {
    /// Leases hosts that have due sites, the longest due first, `hosts` at the most.
    pub async fn claim(&self, worker: &str, hosts: u32, lease: Millis) -> Result<Vec<Lease>> {
        if self.workers().register(worker) {
            self.free_dead().await?;
        }
        self.engine().write(Claim { worker: worker.to_owned(), hosts, lease }).await
    }

    /// Leases the host of one site, due or not; none if somebody has it, be it the same worker. In a
    /// folder, a worker that died has nothing.
    pub async fn claim_site(
        &self,
        worker: &str,
        key: &str,
        lease: Millis,
    ) -> Result<Option<Lease>> {
        self.workers().register(worker);
        let claim = || ClaimSite { worker: worker.to_owned(), key: key.to_owned(), lease };
        let claimed = self.engine().write(claim()).await?;
        if claimed.is_some() || !self.free_dead().await? {
            return Ok(claimed);
        }
        self.engine().write(claim()).await
    }

    /// Gives back what workers had leased that died; true if there were any.
    async fn free_dead(&self) -> Result<bool> {
        const FREE: &str = "UPDATE hosts SET lease_until = 0, lease_by = '' WHERE lease_by = $1 AND lease_until > 0";
        let dead = self.workers().dead();
        for worker in &dead {
            let params = params![worker.name()].into();
            self.engine().write(Execute { sql: FREE, params }).await?;
            worker.forget();
        }
        Ok(!dead.is_empty())
    }
}

struct Claim {
    worker: String,
    hosts: u32,
    lease: Millis,
}

impl Operation for Claim {
    type Output = Vec<Lease>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Vec<Lease>> {
        let now = session.now().await?;
        let wanted = self.hosts as usize;
        let mut leases = Vec::new();
        while leases.len() < wanted {
            let names = free(session, now, wanted - leases.len()).await?;
            if names.is_empty() {
                break;
            }
            // Those that had nothing due are not due any more: there may be others behind them.
            leases.extend(self.take(session, names, now).await?);
        }
        Ok(leases)
    }
}

/// The hosts that are due and that nobody has, the longest due first, locked. Those that somebody is
/// just about to take are passed over.
async fn free(session: &mut Session<'_>, now: Millis, most: usize) -> Result<Vec<String>> {
    const FREE: &str = "SELECT name FROM hosts WHERE next_due <= $1 AND lease_until <= $1
        ORDER BY next_due LIMIT $2 FOR UPDATE SKIP LOCKED";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut rows = session.query(FREE, &params![now, most]).await?;
    rows.iter_mut().map(|row| row.text()).collect()
}

impl Claim {
    /// Leases those of the hosts that have due sites, and puts the others off.
    async fn take(
        &self,
        session: &mut Session<'_>,
        names: Vec<String>,
        now: Millis,
    ) -> Result<Vec<Lease>> {
        let mut due = due_sites(session, &names, now).await?;
        let (busy, idle): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|name| due.contains_key(name));
        for host in idle {
            put_off(session, &host).await?;
        }
        let until = hosts::after(now, self.lease);
        let mut generations = lease(session, &busy, &self.worker, until).await?;
        let leases = busy.into_iter().map(|host| Lease {
            worker: self.worker.clone(),
            generation: generations.remove(&host).unwrap_or_default(),
            sites: due.remove(&host).unwrap_or_default(),
            host,
        });
        Ok(leases.collect())
    }
}

/// The due sites of hosts, the longest due first.
async fn due_sites(
    session: &mut Session<'_>,
    names: &[String],
    now: Millis,
) -> Result<HashMap<String, Vec<Site>>> {
    let mut found: HashMap<String, Vec<Site>> = HashMap::new();
    let names: Vec<_> = names.iter().map(Value::from).collect();
    for mut params in padded(&names) {
        let sql = format!(
            "SELECT {} FROM sites WHERE host IN ({}) AND state <> 'paused' AND next_due <= $1
             ORDER BY next_due, id",
            sites::COLUMNS,
            places(2, params.len())
        );
        params.insert(0, Value::Int(now));
        for mut row in session.query(&sql, &params).await? {
            let site = sites::read(&mut row)?;
            found.entry(site.host.clone()).or_default().push(site);
        }
    }
    Ok(found)
}

/// Makes a host that has nothing due wait until it has.
async fn put_off(session: &mut Session<'_>, host: &str) -> Result<()> {
    const PUT_OFF: &str = "UPDATE hosts SET next_due = $2 WHERE name = $1";
    let due = hosts::first_due(session, host).await?;
    session.execute(PUT_OFF, &params![host, due]).await.map(drop)
}

/// Leases hosts that are locked; says the number of each lease.
async fn lease(
    session: &mut Session<'_>,
    names: &[String],
    worker: &str,
    until: Millis,
) -> Result<HashMap<String, i64>> {
    let mut generations = HashMap::new();
    let names: Vec<_> = names.iter().map(Value::from).collect();
    for chunk in padded(&names) {
        let sql = format!(
            "UPDATE hosts SET lease_until = $1, lease_by = $2, \
             lease_generation = lease_generation + 1 WHERE name IN ({})
             RETURNING name, lease_generation",
            places(3, chunk.len())
        );
        let params: Vec<_> = params![until, worker].into_iter().chain(chunk).collect();
        for mut row in session.query(&sql, &params).await? {
            generations.insert(row.text()?, row.int()?);
        }
    }
    Ok(generations)
}

struct ClaimSite {
    worker: String,
    key: String,
    lease: Millis,
}

impl Operation for ClaimSite {
    type Output = Option<Lease>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Option<Lease>> {
        const FREE: &str =
            "SELECT name FROM hosts WHERE name = $1 AND lease_until <= $2 FOR UPDATE";
        let Some((id, host)) = sites::by_key(session, &self.key).await? else {
            return Ok(None);
        };
        let now = session.now().await?;
        if session.query_opt(FREE, &params![&host, now]).await?.is_none() {
            return Ok(None);
        }
        let Some(site) = sites::find(session, "id", Value::from(id)).await? else {
            return Ok(None);
        };
        let until = hosts::after(now, self.lease);
        let names = [host];
        let mut generations = lease(session, &names, &self.worker, until).await?;
        let [host] = names;
        let generation = generations.remove(&host).unwrap_or_default();
        Ok(Some(Lease { host, worker: self.worker.clone(), generation, sites: vec![site] }))
    }
}
