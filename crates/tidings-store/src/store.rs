//! The store itself.

mod activity;
mod acts;
mod base;
mod batches;
mod changes;
mod claim;
mod collections;
mod counts;
mod finish;
mod follow;
mod forget;
mod hosts;
mod keys;
mod left_out;
mod living_workers;
mod pages;
mod polls;
mod posts;
mod record;
mod release;
mod retired;
mod robots;
mod saved_searches;
mod search;
mod secret;
mod sessions;
mod settings;
mod site_move;
mod sites;
mod snapshots;
mod tokens;
mod unfollow;
mod users;

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

pub use counts::Counts;
use living_workers::LivingWorkers;
pub use retired::RetiredFeed;

use crate::engine::{Engine, Now};
use crate::error::Result;
use crate::{Location, Millis};

/// Everything that is remembered, wherever that is. A clone is the same store.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    identity: Identity,
    workers: LivingWorkers,
}

/// What this store's feeds are identified by, decided when it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The authority of its `tag:` URIs (RFC 4151).
    pub authority: String,
    /// Their date: the day on which the store was made, as YYYY-MM-DD.
    pub date: String,
}

impl Store {
    /// Opens the state, and makes it or brings it up to date if need be. The authority is that of
    /// its [`Identity`] if it is made now: one that is there keeps its own.
    pub async fn open(location: &Location, authority: Option<&str>) -> Result<Self> {
        Self::opened(location, true, authority).await
    }

    /// Opens state that is there already, to be read or changed; fails if there is none.
    pub async fn open_existing(location: &Location) -> Result<Self> {
        Self::opened(location, false, None).await
    }

    async fn opened(location: &Location, create: bool, authority: Option<&str>) -> Result<Self> {
        let (engine, identity) = Engine::open(location, create, authority).await?;
        let workers = LivingWorkers::new(location);
        Ok(Self { inner: Arc::new(Inner { engine, identity, workers }) })
    }

    /// See [`Identity`].
    pub fn identity(&self) -> &Identity {
        &self.inner.identity
    }

    /// Now, by the clock that leases are held against: the database's.
    pub async fn now(&self) -> Result<Millis> {
        self.engine().read(Now).await
    }

    fn workers(&self) -> &LivingWorkers {
        &self.inner.workers
    }

    fn engine(&self) -> &Engine {
        &self.inner.engine
    }
}

/// What a text of any length is found by.
fn digest(text: &str) -> [u8; 16] {
    short(Sha256::digest(text.as_bytes()).into())
}

/// As much of a digest as it takes to tell things apart.
fn short(digest: [u8; 32]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&digest[..16]);
    short
}
