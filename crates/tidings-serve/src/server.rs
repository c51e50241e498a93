//! The server: a port, then answers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use ipnet::{IpNet, Ipv4Net};
use tidings_http::authenticator::Authenticator;
use tidings_http::connection_table::ConnectionLimits;
use tidings_http::cookies::Jar;
use tidings_http::limits::Limits;
use tidings_http::listener::{self, listen};
use tidings_http::secret::random;
use tidings_store::Store;
use tidings_syndication::{FeedDesk, Follower, WorkerHandle};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::access::is_loopback_name;
use crate::cache::Cache;
use crate::cookie_names::SESSION_COOKIES;
use crate::error::ServerError;
use crate::jobs::Jobs;
use crate::options::ServerOptions;
use crate::router::router;
use crate::state::{Requests, State};
use crate::tools::Tools;
use crate::user_accounts::UserAccounts;
use crate::webfeeds::Pictures;

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
        let listener = listener::bind(options.listen).map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let base = match &options.base {
            Some(base) => checked(base)?,
            None if address.ip().is_unspecified() => {
                format!("http://{}:{}/", machine(), address.port())
            }
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
        let base = url::Url::parse(&self.base).ok();
        let host = base.as_ref().and_then(url::Url::host_str).unwrap_or_default();
        let is_proxied = !is_loopback_name(host);
        let is_secure = base.as_ref().is_some_and(|base| base.scheme() == "https");
        let root = base.as_ref().map_or("/", url::Url::path).to_owned();
        let options = follower.options();
        let contact = options.contact.as_deref();
        let tools = Tools::new(options.allow_private, contact);
        let pictures = Pictures::new(options.allow_private, contact, key_of(&store).await);
        let state = State {
            authenticator: Authenticator::new(UserAccounts::new(store.clone()), SESSION_COOKIES),
            desk: FeedDesk::new(store.clone(), &self.base),
            store,
            follower,
            cache: Cache::default(),
            limits: Limits::new(self.options.fetches_per_minute),
            base: self.base,
            is_local: self.address.ip().is_loopback(),
            is_proxied,
            requests: Requests::default(),
            worker,
            root,
            jar: Jar { is_secure },
            accounts: false.into(),
            looks: Jobs::default(),
            imports: Jobs::lasting(std::time::Duration::from_secs(12 * 60 * 60)),
            polls: Jobs::lasting(Follower::LONGEST_POLL + std::time::Duration::from_secs(60)),
            listeners: Arc::default(),
            tools,
            pictures,
            stop: stop.clone(),
            options: self.options,
        };
        let limits = ConnectionLimits {
            total: state.options.connections,
            per_network: state.options.connections_per_network,
            proxies: if is_proxied { loopback() } else { Vec::new() },
        };
        listen(self.listener, router(Arc::new(state)), limits, stop).await;
    }
}

/// The networks of this machine, where its proxy is.
fn loopback() -> Vec<IpNet> {
    let v4 = Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8);
    vec![v4.into(), IpNet::from(IpAddr::from(Ipv6Addr::LOCALHOST))]
}

/// What this machine calls itself.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    let is_name =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'));
    if name.is_empty() || !is_name { "localhost".to_owned() } else { name.to_owned() }
}

/// A base URL with a slash at its end.
fn checked(base: &str) -> Result<String, ServerError> {
    // It may have a password in it, which is not to be shown.
    let shown = if base.contains('@') { "…" } else { base };
    let wrong = || ServerError::Base { base: shown.to_owned() };
    let mut url = url::Url::parse(base).map_err(|_| wrong())?;
    let has_login = !url.username().is_empty() || url.password().is_some();
    if has_login
        || !matches!(url.scheme(), "http" | "https")
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

/// What addresses of pictures are marked with. Without it none is to be had, and all else is.
async fn key_of(store: &Store) -> Option<String> {
    let key = match random(32) {
        Ok(fresh) => store.secret("pictures", &fresh).await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    key.inspect_err(|error| tracing::error!(%error, "no pictures of posts can be shown")).ok()
}
