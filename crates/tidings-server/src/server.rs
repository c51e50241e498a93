//! The server: a port, then answers.

use std::net::SocketAddr;
use std::sync::Arc;

use tidings_store::Store;
use tidings_syndication::{FeedDesk, Follower, WorkerHandle};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::cache::Cache;
use crate::error::ServerError;
use crate::limits::Limits;
use crate::listener::listen;
use crate::options::ServerOptions;
use crate::router::router;
use crate::state::{Requests, State};

/// A server that has its port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    options: ServerOptions,
    base: String,
}

impl Server {
    /// Takes the port, so that it is known before anything else is done.
    pub async fn bind(options: ServerOptions) -> Result<Self, ServerError> {
        let listen = |error| ServerError::Listen { address: options.listen, error };
        let listener = TcpListener::bind(options.listen).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let base = match &options.base {
            Some(base) => checked(base)?,
            None => format!("http://{address}/"),
        };
        Ok(Self { listener, address, options, base })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL at which others reach it, with a slash at its end.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Answers until `stop` is true. The worker is the one that runs beside it.
    pub async fn run(
        self,
        store: Store,
        follower: Follower,
        worker: WorkerHandle,
        stop: watch::Receiver<bool>,
    ) {
        let state = State {
            desk: FeedDesk::new(store.clone(), &self.base),
            store,
            follower,
            cache: Cache::default(),
            limits: Limits::new(self.options.fetches_per_minute),
            base: self.base,
            is_local: self.address.ip().is_loopback(),
            requests: Requests::default(),
            worker,
            options: self.options,
        };
        let most = state.options.connections;
        listen(self.listener, router(Arc::new(state)), most, stop).await;
    }
}

/// A base URL with a slash at its end.
fn checked(base: &str) -> Result<String, ServerError> {
    let wrong = || ServerError::Base { base: base.to_owned() };
    let mut url = url::Url::parse(base).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https")
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(wrong());
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url.into())
}
