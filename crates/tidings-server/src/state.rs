//! What all handlers share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tidings_store::Store;
use tidings_syndication::{FeedDesk, Follower, WorkerHandle};

use crate::cache::Cache;
use crate::limits::Limits;
use crate::options::ServerOptions;

/// What all handlers share.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) store: Store,
    pub(crate) follower: Follower,
    pub(crate) desk: FeedDesk,
    pub(crate) cache: Cache,
    pub(crate) limits: Limits,
    pub(crate) options: ServerOptions,
    /// With a slash at its end.
    pub(crate) base: String,
    /// True if only this machine can reach it.
    pub(crate) is_local: bool,
    /// True if others reach it by another name: then a proxy stands before it.
    pub(crate) is_proxied: bool,
    pub(crate) requests: Requests,
    /// The worker in this process.
    pub(crate) worker: WorkerHandle,
}

/// Requests by the first digit of their answers.
#[derive(Debug, Default)]
pub(crate) struct Requests(pub(crate) [AtomicU64; 6]);

pub(crate) type Shared = Arc<State>;
