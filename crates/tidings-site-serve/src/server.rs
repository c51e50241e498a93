//! A site's server: a content root and a port.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tidings_base::{Access, Replacement};
use tidings_http::connection_table::ConnectionLimits;
use tidings_http::listener::{self, listen};
use tidings_http::password::hash_password;
use tidings_http::secret::random;
use tidings_site::{
    Account, Accounts, AccountsError, AdminPathError, Finding, PageMetaCache, Reserved, SiteError,
};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::route::answer;
use super::state::SiteState;

/// What a site is served by.
#[derive(Debug, Clone)]
pub struct SiteOptions {
    /// The content root.
    pub root: PathBuf,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where the administration is; else where it was before, or at a path that nobody can guess.
    pub admin_path: Option<String>,
    /// What the site is called; else as its home page is.
    pub name: Option<String>,
    /// The language of its pages, as HTML has it.
    pub language: String,
    /// Hosts that the site is known by. Answers for others are not for shared caches.
    pub hosts: Vec<String>,
    /// Proxies that are believed about whom they speak for.
    pub proxies: Vec<ipnet::IpNet>,
    /// How long an object has to be gone before its deletion is reported.
    pub settle: Duration,
    /// How many connections there may be at once.
    pub connections: usize,
    /// The maximum number of connections of one network: an IPv4 address, or 64 bits of an IPv6 address.
    pub connections_per_network: usize,
}

/// Why a site cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteStartError {
    /// The address is not to be had.
    #[error("could not listen on {address}: {error}; is another server running?")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// The content root.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// The path of the administration.
    #[error(transparent)]
    AdminPath(#[from] AdminPathError),
    /// The accounts.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// What belongs to the site could not be kept.
    #[error("{} could not be used: {error}", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The first account could not be made.
    #[error("the first account could not be made: {0}")]
    First(String),
}

/// What is told once: it is known to nobody else, and not kept where it could be read.
#[derive(Debug, Clone)]
pub struct FirstStart {
    /// The name of the first account.
    pub user: String,
    /// Its password.
    pub password: String,
}

/// A site that has been read, and has its port.
#[derive(Debug)]
pub struct SiteServer {
    listener: TcpListener,
    address: SocketAddr,
    state: SiteState,
    limits: ConnectionLimits,
    first: Option<FirstStart>,
    is_new_path: bool,
}

impl SiteOptions {
    /// How long an object has to be gone before its deletion is reported, if nothing else is said.
    pub const SETTLE: Duration = Duration::from_secs(2);
}

impl SiteServer {
    /// Reads the content root and takes the port.
    pub async fn bind(options: SiteOptions) -> Result<Self, SiteStartError> {
        let wrong = |error| SiteStartError::Listen { address: options.listen, error };
        let listener = listener::bind(options.listen).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let limits = ConnectionLimits {
            total: options.connections,
            per_network: options.connections_per_network,
            proxies: options.proxies.clone(),
        };
        let opened = tokio::task::spawn_blocking(move || open(&options, address)).await;
        let opened = opened.map_err(|error| SiteStartError::First(error.to_string()))??;
        let (state, first, is_new_path) = opened;
        Ok(Self { listener, address, state, limits, first, is_new_path })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The first account, if this was the first start.
    #[must_use]
    pub fn first(&self) -> Option<&FirstStart> {
        self.first.as_ref()
    }

    /// The path of the administration, if it was made just now: it is not said again.
    #[must_use]
    pub fn new_admin_path(&self) -> Option<String> {
        self.is_new_path.then(|| format!("/{}/", self.state.cache.reserved().admin()))
    }

    /// How many objects there are, and how many of them are in the sitemap.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.state.cache.len(), self.state.cache.sitemap().len())
    }

    /// What is wrong with the content.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.state.cache.findings()
    }

    /// Answers until `stop` is true.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        let router = Router::new().fallback(answer).with_state(Arc::new(self.state));
        listen(self.listener, router, self.limits, stop).await;
    }
}

fn open(
    options: &SiteOptions,
    address: SocketAddr,
) -> Result<(SiteState, Option<FirstStart>, bool), SiteStartError> {
    // Before anything is made in it.
    let own = options.root.join("state/tidings");
    if !options.root.join("pages").is_dir() && !options.root.join("content").is_dir() {
        let path = options.root.display().to_string();
        return Err(SiteError::Empty { path }.into());
    }
    let accounts = Accounts::open(&own)?;
    let (admin, is_new_path) = admin_path(&own, options.admin_path.as_deref())?;
    let cache =
        PageMetaCache::open_settling(&options.root, Reserved::new(&admin)?, options.settle)?;
    let first = first_account(&accounts)?;
    let state = SiteState::new(cache, accounts, options, address);
    Ok((state, first, is_new_path))
}

/// The path that was given, else the one that is kept, else a new one, which is kept.
fn admin_path(own: &Path, given: Option<&str>) -> Result<(String, bool), SiteStartError> {
    if let Some(given) = given {
        return Ok((given.to_owned(), false));
    }
    let path = own.join("admin-path");
    let wrong = |error| SiteStartError::State { path: path.clone(), error };
    match std::fs::read_to_string(&path) {
        Ok(kept) => return Ok((kept.trim().to_owned(), false)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(wrong(error)),
    }
    // Letters and digits alone: 30 of 36 are more than anybody could try.
    let random = random(64).map_err(wrong)?.to_lowercase();
    let letters: String = random.chars().filter(char::is_ascii_alphanumeric).take(30).collect();
    let made = format!("admin-{letters}");
    write_secret(&path, &made).map_err(wrong)?;
    Ok((made, true))
}

/// Writes a file that only this user can read.
fn write_secret(path: &Path, text: &str) -> io::Result<()> {
    use std::io::Write as _;
    let mut file = Replacement::new(path, Access::Owner)?;
    file.write_all(text.as_bytes())?;
    file.commit_new()
}

/// Somebody has to be the first who can sign in.
fn first_account(accounts: &Accounts) -> Result<Option<FirstStart>, SiteStartError> {
    if !accounts.is_empty()? {
        return Ok(None);
    }
    let password = random(15).map_err(|error| SiteStartError::First(error.to_string()))?;
    let hash = hash_password(&password, "admin");
    let hash = hash.map_err(|error| SiteStartError::First(error.to_string()))?;
    let account = Account {
        name: "admin".to_owned(),
        roles: std::collections::BTreeSet::new(),
        is_admin: true,
    };
    accounts.add(&account, &hash)?;
    Ok(Some(FirstStart { user: account.name, password }))
}
