//! What all answers of a site are made from.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use ipnet::IpNet;
use tidings_http::authenticator::Authenticator;
use tidings_site::{Accounts, Finding, PageMetaCache};

use super::search_queue::SearchQueue;
use super::server::SiteOptions;
use super::shell::Shell;
use super::site_accounts::SiteAccounts;
use super::site_request::SESSION_COOKIES;
use super::stream_table::StreamTable;

/// What all answers of a site are made from.
#[derive(Debug)]
pub(crate) struct SiteState {
    pub(crate) cache: Arc<PageMetaCache>,
    pub(crate) accounts: Arc<Accounts>,
    /// Lets people in.
    pub(crate) authenticator: Authenticator<SiteAccounts>,
    /// What every page has around it, as it was when it was last asked for.
    pub(super) shell: Mutex<Option<Arc<Shell>>>,
    /// Why the theme of the site is not used, if it is not.
    pub(crate) theme_finding: Mutex<Option<Finding>>,
    pub(crate) name: Option<String>,
    pub(crate) language: String,
    pub(crate) hosts: Vec<String>,
    pub(crate) proxies: Vec<IpNet>,
    /// For those who do not say which host they mean, which only HTTP/1.0 allows.
    pub(crate) address: SocketAddr,
    /// The packages that are made.
    pub(crate) packages: Arc<StreamTable>,
    /// The documents that are written.
    pub(crate) documents: Arc<StreamTable>,
    pub(crate) searches: SearchQueue,
}

pub(crate) type SharedSite = Arc<SiteState>;

impl SiteState {
    pub(super) fn new(
        cache: Arc<PageMetaCache>,
        accounts: Accounts,
        options: &SiteOptions,
        address: SocketAddr,
    ) -> Self {
        let accounts = Arc::new(accounts);
        let site_accounts = SiteAccounts::new(Arc::clone(&accounts));
        Self {
            cache,
            accounts,
            authenticator: Authenticator::new(site_accounts, SESSION_COOKIES),
            shell: Mutex::default(),
            theme_finding: Mutex::default(),
            name: options.name.clone(),
            language: options.language.clone(),
            hosts: options.hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            proxies: options.proxies.clone(),
            address,
            packages: StreamTable::new(4),
            documents: StreamTable::new(128),
            searches: SearchQueue::new(),
        }
    }
}
