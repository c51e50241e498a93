//! Works: leases hosts that are due, polls their sites, gives them back.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use tidings_store::{Lease, Millis, StoreError};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use crate::follower::{Done, LEASE};
use crate::{Changed, Follower, now};

/// After this time a poll waits for its site, and no longer keeps others from being polled. Short enough
/// that sites that hang take next to nothing from the others, however many are due at once.
const PATIENCE: Duration = Duration::from_millis(50);
/// How many more polls there has to be room for before work is claimed: to claim costs a commit.
const BATCH: usize = 16;
/// How often it is looked for work that others put down.
const LOOK: Duration = Duration::from_secs(1);
/// How often it is looked for changes that are too old to be kept.
const FORGET_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// How a worker works.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Who it is; unlike all others.
    pub name: String,
    /// How many polls are being worked on at once.
    pub active: usize,
    /// How many polls may be under way at once, most of which wait for slow sites.
    pub under_way: usize,
    /// How long a lease lasts that is not renewed: so long is waited until the work of a worker that
    /// died is done by another.
    pub lease: Millis,
    /// How long it is waited for polls under way when the worker is to stop.
    pub grace: Duration,
}

impl WorkerOptions {
    /// With a name that no other process has.
    #[must_use]
    pub fn new() -> Self {
        use std::hash::{BuildHasher as _, RandomState};
        let random = RandomState::new().hash_one(0);
        Self {
            name: format!("{}-{random:016x}", std::process::id()),
            active: 64,
            under_way: 4_096,
            lease: LEASE,
            grace: Duration::from_secs(10),
        }
    }
}

impl Default for WorkerOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// What a worker has done since it began.
#[derive(Debug, Default)]
pub struct Work {
    /// Polls that went well.
    pub well: AtomicU64,
    /// Polls that failed.
    pub failed: AtomicU64,
    /// Changes that were recorded.
    pub changes: AtomicU64,
    /// Batches that were recorded.
    pub batches: AtomicU64,
    /// Polls under way now.
    pub under_way: AtomicU64,
    /// Polls whose lease was lost before they were done.
    pub fenced: AtomicU64,
}

/// A worker, as seen from outside.
#[derive(Debug, Clone)]
pub struct WorkerHandle {
    /// What it has done.
    pub work: Arc<Work>,
    /// Is told when there is something to do right now.
    pub wake: Arc<Notify>,
    /// Which feeds are different by now.
    pub changed: Arc<Changed>,
}

/// Polls what is due, until it is told to stop.
#[derive(Debug)]
pub struct Worker {
    follower: Follower,
    options: WorkerOptions,
    work: Arc<Work>,
    wake: Arc<Notify>,
    active: Arc<Semaphore>,
    /// The hosts that are being polled: no other lease is renewed, whoever it says has it.
    held: Mutex<HashSet<String>>,
    changed: Arc<Changed>,
}

impl Worker {
    /// A worker that has not begun.
    #[must_use]
    pub fn new(follower: Follower, options: WorkerOptions) -> Self {
        let active = Arc::new(Semaphore::new(options.active.max(1)));
        let changed = Arc::default();
        Self {
            follower,
            options,
            work: Arc::default(),
            wake: Arc::default(),
            active,
            held: Mutex::default(),
            changed,
        }
    }

    /// By this others see what it does, and tell it that there is something to do.
    #[must_use]
    pub fn handle(&self) -> WorkerHandle {
        WorkerHandle {
            work: Arc::clone(&self.work),
            wake: Arc::clone(&self.wake),
            changed: Arc::clone(&self.changed),
        }
    }

    /// Works until `stop` is true; then what is under way is finished, or given back after a while.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        let this = Arc::new(self);
        let mut polls = JoinSet::new();
        let renewing = tokio::spawn(Arc::clone(&this).renew());
        let forgetting = tokio::spawn(Arc::clone(&this).forget());
        while !*stop.borrow() {
            while polls.try_join_next().is_some() {}
            let room = this.options.under_way.saturating_sub(polls.len());
            // One permit is held for the claim: what is leased is begun at once.
            let Ok(permit) = Arc::clone(&this.active).acquire_owned().await else { break };
            if room == 0 {
                drop(permit);
                pause(&this.wake, &mut stop, LOOK / 10).await;
                continue;
            }
            if this.active.available_permits() + 1 < BATCH.min(this.options.active) {
                // Others end soon, or are put aside.
                tokio::time::sleep(PATIENCE / 10).await;
            }
            let free = this.active.available_permits() + 1;
            let claimed = this.claim(free.min(room)).await;
            let leases = match claimed {
                Ok(leases) => leases,
                Err(error) => {
                    tracing::error!(%error, "no work could be claimed");
                    drop(permit);
                    pause(&this.wake, &mut stop, LOOK * 5).await;
                    continue;
                }
            };
            if leases.is_empty() {
                drop(permit);
                let wait = this.until_due().await;
                pause(&this.wake, &mut stop, wait).await;
                continue;
            }
            let mut first = Some(permit);
            for lease in leases {
                let permit = match first.take() {
                    Some(permit) => permit,
                    None => match Arc::clone(&this.active).acquire_owned().await {
                        Ok(permit) => permit,
                        Err(_) => break,
                    },
                };
                polls.spawn(Arc::clone(&this).work_on(lease, permit));
            }
        }
        let done = async { while polls.join_next().await.is_some() {} };
        if tokio::time::timeout(this.options.grace, done).await.is_err() {
            tracing::warn!(polls = polls.len(), "polls under way were given up, and given back");
            polls.abort_all();
        }
        renewing.abort();
        forgetting.abort();
        // Whoever is still waiting for them gets them now.
        if let Err(error) = this.follower.store().renew(&this.options.name, 0).await {
            tracing::error!(%error, "leases could not be given back");
        }
    }

    /// Leases what is due, if anything is: to look costs less than to lease.
    async fn claim(&self, most: usize) -> Result<Vec<Lease>, StoreError> {
        let store = self.follower.store();
        match store.next_due().await? {
            Some(due) if due <= store.now().await? => {}
            _ => return Ok(Vec::new()),
        }
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        store.claim(&self.options.name, most, self.options.lease).await
    }

    /// How long until something is due, but not so long that what others put down would wait.
    async fn until_due(&self) -> Duration {
        let store = self.follower.store();
        match (store.next_due().await, store.now().await) {
            (Ok(Some(due)), Ok(now)) => {
                let wait = u64::try_from(due - now).unwrap_or(0);
                Duration::from_millis(wait).clamp(LOOK / 100, LOOK)
            }
            _ => LOOK,
        }
    }

    async fn forget(self: Arc<Self>) {
        loop {
            match self.follower.forget_old().await {
                Ok(0) => {}
                Ok(changes) => tracing::info!(changes, "old changes were forgotten"),
                Err(error) => tracing::error!(%error, "old changes could not be forgotten"),
            }
            tokio::time::sleep(FORGET_INTERVAL).await;
        }
    }

    async fn renew(self: Arc<Self>) {
        let third = Duration::from_millis(self.options.lease.unsigned_abs() / 3);
        loop {
            tokio::time::sleep(third).await;
            let held: Vec<String> = self.held().iter().cloned().collect();
            if held.is_empty() {
                continue;
            }
            let (name, lease) = (&self.options.name, self.options.lease);
            if let Err(error) = self.follower.store().renew_hosts(name, &held, lease).await {
                tracing::warn!(%error, "leases could not be renewed");
            }
        }
    }

    /// Polls the sites of one host, one after the other.
    async fn work_on(self: Arc<Self>, lease: Lease, permit: OwnedSemaphorePermit) {
        self.work.under_way.fetch_add(1, Ordering::Relaxed);
        self.held().insert(lease.host.clone());
        {
            // Whatever a site makes of us, its host is given back.
            let polling = AssertUnwindSafe(self.poll_all(&lease)).catch_unwind();
            let mut polling = std::pin::pin!(polling);
            // A poll that takes long waits for its site, and does not use what others could.
            let done = match tokio::time::timeout(PATIENCE, &mut polling).await {
                Ok(done) => done,
                Err(_) => {
                    drop(permit);
                    polling.await
                }
            };
            if done.is_err() {
                self.work.failed.fetch_add(1, Ordering::Relaxed);
                tracing::error!(host = lease.host, "a poll broke off: this is a fault of tidings");
                tokio::time::sleep(LOOK * 5).await;
            }
        }
        // As long as it is not given back it is renewed with the others, and nobody could poll the host.
        while let Err(error) = self.follower.store().release(&lease).await {
            tracing::error!(host = lease.host, %error, "a lease could not be given back yet");
            tokio::time::sleep(LOOK * 5).await;
        }
        self.held().remove(&lease.host);
        self.work.under_way.fetch_sub(1, Ordering::Relaxed);
    }

    fn held(&self) -> MutexGuard<'_, HashSet<String>> {
        // Nothing panics while it is locked, and a set is whole in any case.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn poll_all(&self, lease: &Lease) {
        for site in &lease.sites {
            let begun = now();
            let done = self.follower.poll_leased(lease, site, false).await;
            let took = now() - begun;
            match done {
                Ok(Done { finished, is_well }) => {
                    self.work.changes.fetch_add(finished.changes, Ordering::Relaxed);
                    self.work.batches.fetch_add(finished.batches, Ordering::Relaxed);
                    let counter = if is_well { &self.work.well } else { &self.work.failed };
                    counter.fetch_add(1, Ordering::Relaxed);
                    tracing::info!(
                        site = site.key,
                        well = is_well,
                        changes = finished.changes,
                        took,
                        "polled"
                    );
                    if finished.batches > 0 {
                        self.changed.note(finished.changed.into_iter().chain([site.key.clone()]));
                    }
                }
                Err(StoreError::Fenced { .. }) => {
                    self.work.fenced.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(site = site.key, took, "the lease was lost: another polls it");
                    return;
                }
                Err(error) => {
                    self.work.failed.fetch_add(1, Ordering::Relaxed);
                    tracing::error!(site = site.key, %error, "a poll could not be recorded");
                    // It is still due, and would be polled again at once.
                    tokio::time::sleep(LOOK * 5).await;
                }
            }
        }
    }
}

/// Waits for a while, or until there is something to do.
async fn pause(wake: &Notify, stop: &mut watch::Receiver<bool>, most: Duration) {
    tokio::select! {
        () = tokio::time::sleep(most) => {}
        () = wake.notified() => {}
        _ = stop.changed() => {}
    }
}
