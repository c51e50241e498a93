//! What all handlers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tidings_http::authenticator::Authenticator;
use tidings_http::cookies::Jar;
use tidings_http::limits::Limits;
use tidings_store::{NewAct, State as SiteState, Store};
use tidings_syndication::{FeedDesk, Follower, Polled, WorkerHandle};
use tokio::sync::watch;

use crate::api::Problem;
use crate::cache::Cache;
use crate::jobs::Jobs;
use crate::live::Listeners;
use crate::options::ServerOptions;
use crate::pages::{Imported, Looked};
use crate::tools::Tools;
use crate::user_accounts::UserAccounts;
use crate::visitor::Visitor;
use crate::webfeeds::Pictures;

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
    /// The path of the base, with slashes at both ends.
    pub(crate) root: String,
    pub(crate) jar: Jar,
    /// True once there are accounts; see [`State::has_accounts`].
    pub(crate) accounts: AtomicBool,
    /// Sites that somebody is about to follow.
    pub(crate) looks: Jobs<Looked>,
    /// Lists of subscriptions that are being taken over.
    pub(crate) imports: Jobs<Imported>,
    /// Polls that somebody asked for.
    pub(crate) polls: Jobs<()>,
    /// Room for those who listen to events.
    pub(crate) listeners: Arc<Listeners>,
    /// Lets people in.
    pub(crate) authenticator: Authenticator<UserAccounts>,
    /// What the pages for those who make sites go by.
    pub(crate) tools: Tools,
    /// What pictures of posts are had by.
    pub(crate) pictures: Pictures,
    /// Becomes true when the server is to stop.
    pub(crate) stop: watch::Receiver<bool>,
}

impl State {
    /// Whether there are accounts: once there is one, there always is.
    pub(crate) async fn has_accounts(&self) -> Result<bool, Problem> {
        if self.accounts.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let has = self.store.has_users().await?;
        self.accounts.fetch_or(has, Ordering::Relaxed);
        Ok(has)
    }

    /// Takes down what came of a poll that was made here, and not by the worker.
    pub(crate) fn polled(&self, polled: &Polled) {
        let (work, finished) = (&self.worker.work, &polled.finished);
        let is_failing = polled.site.state == SiteState::Failing;
        let counter = if is_failing { &work.failed } else { &work.well };
        counter.fetch_add(1, Ordering::Relaxed);
        work.changes.fetch_add(finished.changes, Ordering::Relaxed);
        work.batches.fetch_add(finished.batches, Ordering::Relaxed);
        let changed = finished.changed.iter().cloned();
        self.worker.changed.note(changed.chain([polled.site.key.clone()]));
    }

    /// Writes down what a visitor did.
    pub(crate) async fn did(&self, visitor: &Visitor, act: &str, object: &str, detail: &str) {
        self.done_by(visitor.name(), act, object, detail).await;
    }

    /// Writes down who did what. What was done is not undone if that fails; the log says so.
    pub(crate) async fn done_by(&self, actor: &str, act: &str, object: &str, detail: &str) {
        tracing::info!(actor, act, object, detail, "done");
        if let Err(error) = self.store.record_act(NewAct { actor, act, object, detail }).await {
            tracing::error!(%error, actor, act, object, "an act could not be written down");
        }
    }
}

/// Requests by the first digit of their answers.
#[derive(Debug, Default)]
pub(crate) struct Requests(pub(crate) [AtomicU64; 6]);

pub(crate) type Shared = Arc<State>;
