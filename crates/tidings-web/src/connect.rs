//! Connections: the HTTP stack below the client.
//!
//! hyper's own client and no wrapper over it: redirects, headers, time-outs and proxies are ours or not
//! wanted at all, and a wrapper's layers for them cost a fifth of the instructions of a small request.

use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::Empty;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, ResponseFuture};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;
use rustls_platform_verifier::ConfigVerifierExt as _;
use tower_service::Service;

use crate::error::FetchError;
use crate::kept::Kept;
use crate::resolver::{Lookup, Resolve};

type Plain = Timed<HttpConnector<Lookup>>;
type Secure = Timed<HttpsConnector<HttpConnector<Lookup>>>;

/// Connections that go where one resolver says. They are kept for the next request.
///
/// What TLS needs is made when it is first needed: to read the certificate authorities of a machine
/// takes longer than to ask a server for a document.
#[derive(Clone)]
pub(crate) struct Connections {
    resolver: Arc<dyn Resolve>,
    limit: Duration,
    keep_alive: Duration,
    plain: Arc<OnceLock<Client<Plain, Empty<Bytes>>>>,
    secure: Arc<OnceLock<Client<Secure, Empty<Bytes>>>>,
}

impl std::fmt::Debug for Connections {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connections")
    }
}

impl Connections {
    /// Connections that take no longer than `limit` to make, and stay for `keep_alive`.
    pub(crate) fn new(resolver: Arc<dyn Resolve>, limit: Duration, keep_alive: Duration) -> Self {
        Self { resolver, limit, keep_alive, plain: Arc::default(), secure: Arc::default() }
    }

    /// Sends a request. It fails with [`FetchError::Setup`] if the machine has no certificate
    /// authorities, and TLS is needed.
    pub(crate) fn request(
        &self,
        request: Request<Empty<Bytes>>,
    ) -> Result<ResponseFuture, FetchError> {
        if request.uri().scheme_str() == Some("http") {
            let client = self.plain.get_or_init(|| self.built(Timed(self.tcp(), self.limit)));
            return Ok(client.request(request));
        }
        if let Some(client) = self.secure.get() {
            return Ok(client.request(request));
        }
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(tls()?)
            .https_or_http()
            .enable_all_versions()
            .wrap_connector(self.tcp());
        let client = self.secure.get_or_init(|| self.built(Timed(connector, self.limit)));
        Ok(client.request(request))
    }

    fn tcp(&self) -> HttpConnector<Lookup> {
        let mut connector = HttpConnector::new_with_resolver(Lookup(Arc::clone(&self.resolver)));
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector
    }

    fn built<C>(&self, connector: C) -> Client<C, Empty<Bytes>>
    where
        C: hyper_util::client::legacy::connect::Connect + Clone,
    {
        Client::builder(TokioExecutor::new())
            .pool_max_idle_per_host(usize::MAX)
            .pool_idle_timeout(self.keep_alive)
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .build(connector)
    }
}

/// What TLS needs, read once.
fn tls() -> Result<ClientConfig, FetchError> {
    static CONFIG: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    // Fails only if the process has a provider already, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = ClientConfig::with_platform_verifier()
        .map_err(|error| FetchError::Setup { reason: error.to_string() })?;
    Ok(CONFIG.get_or_init(|| config).clone())
}

/// A connector with a limit on all that a connection takes: name lookup, TCP and TLS.
#[derive(Clone)]
pub(crate) struct Timed<C>(C, Duration);

/// The limit was reached.
#[derive(Debug, thiserror::Error)]
#[error("no connection was made in time")]
pub(crate) struct ConnectTimedOut;

type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

impl<C, U> Service<U> for Timed<C>
where
    C: Service<U>,
    C::Future: Send + 'static,
    C::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = Kept<C::Response>;
    type Error = Box<dyn Error + Send + Sync>;
    type Future = Boxed<Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, uri: U) -> Self::Future {
        let (connecting, limit) = (self.0.call(uri), self.1);
        Box::pin(async move {
            match tokio::time::timeout(limit, connecting).await {
                Ok(connected) => connected.map(Kept::new).map_err(Into::into),
                Err(_) => Err(ConnectTimedOut.into()),
            }
        })
    }
}
