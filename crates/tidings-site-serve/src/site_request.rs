//! A request, as far as all answers need to know it.

use std::net::IpAddr;

use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, Version};
use tidings_http::authenticator::Browser;
use tidings_http::cookies::Jar;
use tidings_http::form::FormGuard;
use tidings_http::listener::Peer;
use tidings_http::session_cookies::SessionCookies;
use tidings_site::{Account, HostError, Origin, PageMeta};

use super::site_accounts::SiteAccountsError;
use super::state::SiteState;

/// Who is signed in, and what forms of everybody else belong to. The followers' server has other names: cookies
/// are the same on all ports of a host, and both may be on one.
pub(super) const SESSION_COOKIES: SessionCookies =
    SessionCookies { session: "tidings-site-session", forms: "tidings-site-forms" };

/// A request without its body.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    /// As it was sent, without the query.
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) headers: HeaderMap,
    /// What absolute URLs of the answer begin with.
    pub(crate) origin: Origin,
    /// Whether shared caches may keep what is said for this host.
    pub(crate) is_known_host: bool,
    pub(crate) address: IpAddr,
    /// Who is signed in.
    pub(crate) account: Option<Account>,
    /// The digest of the session.
    pub(crate) session: Option<[u8; 32]>,
    /// The CSRF token that belongs to a cookie of this visitor; none if no cookie came.
    pub(crate) token: Option<String>,
}

impl Asked {
    /// Reads a request. A host that is none is an error; who it is, is looked up only if it says so.
    pub(crate) async fn of(
        state: &SiteState,
        request: Parts,
    ) -> Result<Result<Self, HostError>, SiteAccountsError> {
        let headers = &request.headers;
        let peer = request.extensions.get::<Peer>().map_or(state.address, |peer| peer.0);
        let is_proxy = state.proxies.iter().any(|proxy| proxy.contains(&peer.ip().to_canonical()));
        let told = if is_proxy { Told::by_proxy(headers) } else { Told::default() };
        let own = match own_host(state, &request) {
            Ok(own) => own,
            Err(error) => return Ok(Err(error)),
        };
        let origin = Origin::new(told.is_secure, told.host.as_deref().unwrap_or(&own));
        let origin = match origin {
            Ok(origin) => origin,
            Err(error) => return Ok(Err(error)),
        };
        let is_known_host = state.hosts.iter().any(|host| host == origin.host());
        let jar = Jar { is_secure: origin.is_secure() };
        let open = state.authenticator.session(jar, headers).await?;
        let (account, session, token) = match open {
            Some(open) => (Some(open.session), Some(open.digest), Some(open.token)),
            None => (None, None, SESSION_COOKIES.form_token(jar, headers)),
        };
        Ok(Ok(Self {
            method: request.method,
            path: request.uri.path().to_owned(),
            query: request.uri.query().map(ToOwned::to_owned),
            headers: request.headers,
            origin,
            is_known_host,
            address: told.address.unwrap_or(peer.ip()),
            session,
            token,
            account,
        }))
    }

    /// Whether whoever asks may see something.
    pub(crate) fn may_see(&self, meta: &PageMeta) -> bool {
        match &self.account {
            None => meta.is_public(),
            Some(account) => account.is_admin || meta.access.allows(&account.roles),
        }
    }

    pub(crate) fn is_admin(&self) -> bool {
        self.account.as_ref().is_some_and(|account| account.is_admin)
    }

    pub(crate) fn is_read(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    /// What the forms of this visitor are checked against.
    pub(crate) fn form_guard(&self) -> FormGuard<'_> {
        FormGuard { base: self.origin.as_str(), token: self.token.as_deref() }
    }

    pub(crate) fn jar(&self) -> Jar {
        Jar { is_secure: self.origin.is_secure() }
    }

    /// The browser, as far as signing in is concerned.
    pub(crate) fn browser(&self) -> Browser<'_> {
        Browser {
            jar: self.jar(),
            headers: &self.headers,
            address: self.address,
            session: self.session,
        }
    }

    /// The first value of a name in the query.
    pub(crate) fn queried(&self, name: &str) -> Option<String> {
        let query = self.query.as_deref().unwrap_or_default();
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        pairs.find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }
}

/// The host that the request itself names: in its target if that is a whole URL (RFC 9112, section
/// 3.2.2), else in its one `Host`.
fn own_host(state: &SiteState, request: &Parts) -> Result<String, HostError> {
    let mut hosts = request.headers.get_all(HOST).iter();
    let host = hosts.next();
    if hosts.next().is_some() {
        return Err(HostError);
    }
    if let Some(authority) = request.uri.authority() {
        return Ok(authority.as_str().to_owned());
    }
    match host {
        Some(host) => host.to_str().map(ToOwned::to_owned).map_err(|_| HostError),
        None if request.version < Version::HTTP_11 => Ok(state.address.to_string()),
        None => Err(HostError),
    }
}

/// What a proxy says about whom it speaks for.
#[derive(Debug, Default)]
struct Told {
    is_secure: bool,
    host: Option<String>,
    address: Option<IpAddr>,
}

impl Told {
    /// What the last proxy said, which is the one that is believed: `Forwarded` (RFC 7239), else the three
    /// headers that came before it.
    fn by_proxy(headers: &HeaderMap) -> Self {
        let last = |name: &'static str| {
            let value = headers.get_all(HeaderName::from_static(name)).iter().next_back()?;
            let value = value.to_str().ok()?.rsplit(',').next()?.trim();
            (!value.is_empty()).then(|| value.to_owned())
        };
        let Some(forwarded) = last("forwarded") else {
            return Self {
                is_secure: last("x-forwarded-proto")
                    .is_some_and(|proto| proto.eq_ignore_ascii_case("https")),
                host: last("x-forwarded-host"),
                address: last("x-forwarded-for").and_then(|address| address.parse().ok()),
            };
        };
        let mut told = Self::default();
        for pair in forwarded.split(';') {
            let Some((name, value)) = pair.split_once('=') else { continue };
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "proto" => told.is_secure = value.eq_ignore_ascii_case("https"),
                "host" => told.host = Some(value.to_owned()),
                "for" => told.address = node(value),
                _ => {}
            }
        }
        told
    }
}

/// An address, perhaps with a port (RFC 7239, section 6).
fn node(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse() {
        return Some(address);
    }
    if let Ok(socket) = text.parse::<std::net::SocketAddr>() {
        return Some(socket.ip());
    }
    text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}
