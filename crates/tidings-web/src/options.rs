//! What a caller may set: for a client, and for one request.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use http::header::{
    HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, RANGE,
};
use url::{Origin, Url};

use crate::bandwidth::Bandwidth;
use crate::pace::Pace;

/// The settings of a [`Client`](crate::Client). The default is safe for any address from the web.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Connect to private, loopback and other special-purpose addresses, too, whoever names them.
    /// Blocked ports and foreign schemes stay refused. Default: `false`.
    pub allow_private: bool,
    /// How long to wait for what.
    pub time_outs: TimeOuts,
    /// How many redirects one request may follow. Default: 5.
    pub max_redirects: usize,
    /// How many bytes a body may have as it comes over the wire, before any decompression; `None`
    /// is no limit. Default: 256 MiB, five times what the sitemap protocol allows a document to be.
    pub max_body_bytes: Option<u64>,
    /// Headers that a person asked for. They may be secrets, so they go to
    /// [`GetOptions::trusted_origin`] and nowhere else.
    pub headers: HeaderMap,
    /// The `User-Agent` header. Default: `tidings/VERSION`.
    pub user_agent: String,
    /// How often a request is made until it succeeds, if what is wrong may pass. Default: 1.
    pub tries: u32,
    /// How fast each host may be asked, together with all other clients that share this. Default:
    /// as fast as the caller asks.
    pub pace: Option<Arc<Pace>>,
    /// How many bytes of bodies may come in a second, together with all other clients that share this.
    /// The time that is waited for it counts for no other limit. Default: as many as come.
    pub bandwidth: Option<Arc<Bandwidth>>,
    /// How long a connection is kept for the next request to the same host. Default: a minute.
    pub keep_alive: Duration,
    /// How long a body may come slower than 1 kB in a second, from its beginning. Default: 30 s.
    pub slow_limit: Duration,
    /// Counts the requests of all clients that share it.
    pub meter: Arc<AtomicU64>,
    /// What messages say to whoever runs the program. Default: nothing.
    pub remedies: Remedies,
}

/// What a program that has options of its own says about them where one of them would have helped, each as the
/// end of a sentence. They are empty where messages are shown to others, as on web pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Remedies {
    /// Against the refusal of an address that is not on the public internet.
    pub private_address: &'static str,
    /// Against what robots.txt does not allow.
    pub robots: &'static str,
}

impl ClientOptions {
    /// The usual options, with a URL in the `User-Agent` at which the owners of servers can say something about
    /// our requests: `tidings/VERSION (+URL)`.
    #[must_use]
    pub fn with_contact(contact: Option<&str>) -> Self {
        let mut options = Self::default();
        if let Some(url) = contact {
            options.user_agent = format!("{} (+{url})", options.user_agent);
        }
        options
    }
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            allow_private: false,
            time_outs: TimeOuts::default(),
            max_redirects: 5,
            max_body_bytes: Some(256 << 20),
            headers: HeaderMap::new(),
            user_agent: concat!("tidings/", env!("CARGO_PKG_VERSION")).to_owned(),
            tries: 1,
            pace: None,
            bandwidth: None,
            keep_alive: Duration::from_secs(60),
            slow_limit: Duration::from_secs(30),
            meter: Arc::default(),
            remedies: Remedies::default(),
        }
    }
}

/// How long to wait for what. Each guards against a server that the others let through: one that is
/// not there, one that does not answer, one that falls silent, one that sends a byte at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeOuts {
    /// For a connection: name lookup, TCP and TLS together. Default: 10 s.
    pub connect: Duration,
    /// For the status line and headers of each hop, from before its connection. Default: 15 s.
    pub headers: Duration,
    /// For the next piece of the body. Default: 30 s.
    pub idle: Duration,
    /// For everything: all redirects and the whole body. Default: 5 min.
    pub whole: Duration,
}

impl Default for TimeOuts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            headers: Duration::from_secs(15),
            idle: Duration::from_secs(30),
            whole: Duration::from_secs(5 * 60),
        }
    }
}

/// The settings of one request.
#[derive(Debug, Clone, Default)]
pub struct GetOptions {
    /// The origin (scheme, host and port, exactly) that a person typed. It may be at any address,
    /// and it gets [`ClientOptions::headers`]. Every other origin that the request, or a redirect,
    /// leads to is a stranger.
    pub trusted_origin: Option<Origin>,
    /// Ask only for what has changed since: `If-None-Match` and `If-Modified-Since` with what an
    /// earlier answer said of itself. The answer may then be 304.
    pub validators: Validators,
    /// Ask only for the bytes from there on, if the entity is still the one with that strong `ETag`
    /// or `Last-Modified` (`Range`, `If-Range`). The answer is 206, or 200 and all of it.
    pub range: Option<(u64, String)>,
    /// Ask for it as it is, and not compressed: for those who compare lengths. A part is always asked
    /// for like that.
    pub identity: bool,
}

/// What an answer says of itself, by which it can be known again (RFC 9110, 8.8).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`, with its quotes and `W/`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// What may be compared byte for byte, for `If-Range`: a strong `ETag`, else the time.
    #[must_use]
    pub fn strong(&self) -> Option<&str> {
        let etag = self.etag.as_deref().filter(|etag| !etag.starts_with("W/"));
        etag.or(self.last_modified.as_deref())
    }

    /// True if there is nothing to know it by.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

impl GetOptions {
    /// Trusts the origin of `url`, which a person typed. Keep these options for all requests that
    /// follow from it: a link to another origin is then still a stranger's.
    #[must_use]
    pub fn trusting(url: &Url) -> Self {
        Self { trusted_origin: Some(url.origin()), ..Self::default() }
    }

    /// The same, if something has changed since.
    #[must_use]
    pub fn unless_unchanged(&self, validators: Validators) -> Self {
        Self { validators, ..self.clone() }
    }

    pub(crate) fn is_conditional(&self) -> bool {
        !self.validators.is_empty()
    }

    pub(crate) fn add_conditions(&self, headers: &mut HeaderMap) {
        let mut add = |name: HeaderName, value: Option<&str>| {
            // What a server cannot have sent is not sent back.
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
                headers.insert(name, value);
            }
        };
        add(IF_NONE_MATCH, self.validators.etag.as_deref());
        add(IF_MODIFIED_SINCE, self.validators.last_modified.as_deref());
        if let Some((from, validator)) = &self.range {
            add(RANGE, Some(&format!("bytes={from}-")));
            add(IF_RANGE, Some(validator));
        }
    }
}
