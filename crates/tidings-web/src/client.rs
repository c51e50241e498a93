//! The client: one request from its URL to its whole body.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use reqwest::dns::Resolve;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode};
use tokio::time::timeout;
use url::Url;

use crate::answer::Answer;
use crate::body::{Spool, SpoolError};
use crate::cause;
use crate::error::{FetchError, Phase};
use crate::fetched::Fetched;
use crate::guard::{self, Refusal};
use crate::headers;
use crate::options::{ClientOptions, GetOptions};
use crate::pace::Permit;
use crate::redirect::Trail;
use crate::resolver::{Guarded, System};
use crate::retry::Retry;

/// An HTTP client that goes only where it may and brings back all or nothing.
///
/// It keeps connections open for the next request, so one client should serve many. A clone shares
/// them.
#[derive(Debug, Clone)]
pub struct Client {
    /// For strangers: its resolver is guarded. Two clients and not one, because connections are
    /// reused: one made to a trusted origin must not serve a stranger of the same name.
    guarded: Lazy,
    /// For the trusted origin, or for all if private addresses are allowed.
    open: Lazy,
    options: Arc<ClientOptions>,
}

impl Client {
    /// Makes a client. It fails with [`FetchError::Setup`] if the machine has no certificate
    /// authorities, or if the user agent is not a header value.
    pub fn new(options: ClientOptions) -> Result<Self, FetchError> {
        Self::with_resolver(options, Arc::new(System))
    }

    pub(crate) fn with_resolver(
        mut options: ClientOptions,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, FetchError> {
        for value in options.headers.values_mut() {
            value.set_sensitive(true);
        }
        let options = Arc::new(options);
        let guarded: Arc<dyn Resolve> = Arc::new(Guarded(Arc::clone(&resolver)));
        let client = Self {
            guarded: Lazy::new(&options, guarded),
            open: Lazy::new(&options, resolver),
            options,
        };
        // What cannot be set up is said now.
        client.open.get()?;
        Ok(client)
    }

    /// Gets `url`, following redirects. Credentials in the URL are sent as Basic authentication, and
    /// like [`ClientOptions::headers`] no further than to the first redirect to another origin.
    ///
    /// What may pass is tried again, [`ClientOptions::tries`] times in all.
    pub async fn get(&self, url: &Url, options: &GetOptions) -> Result<Fetched, FetchError> {
        let mut retry = Retry::new(self.options.tries);
        loop {
            let error = match self.get_once(url, options).await {
                Ok(fetched) => return Ok(fetched),
                Err(error) => error,
            };
            match retry.wait(&error) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(error),
            }
        }
    }

    async fn get_once(&self, url: &Url, options: &GetOptions) -> Result<Fetched, FetchError> {
        let limit = self.options.time_outs.whole;
        let fetch = async { self.spool(self.open(url, options).await?).await };
        timeout(limit, fetch).await.unwrap_or_else(|_| {
            let url = Trail::start(url, 0).into_parts().0;
            Err(FetchError::TimedOut { url, phase: Phase::Whole, limit })
        })
    }

    /// Asks for `url` once, following redirects like [`get`](Self::get), and hands out the body as it
    /// comes. Beside the limits on each step there is none on the whole time, but a least speed.
    pub async fn open(&self, url: &Url, options: &GetOptions) -> Result<Answer, FetchError> {
        let mut trail = Trail::start(url, self.options.max_redirects);
        loop {
            let (response, permit) = self.hop(&trail, options).await?;
            match location(&response) {
                Some(location) => trail.follow(location.as_bytes())?,
                None => break self.answer(trail, response, permit, options),
            }
        }
    }

    /// One request and the head of its answer, if the guard allows.
    async fn hop(
        &self,
        trail: &Trail,
        options: &GetOptions,
    ) -> Result<(Response, Option<Permit>), FetchError> {
        let url = trail.current();
        let refused = |reason: Refusal| FetchError::Refused { url: url.clone(), reason };
        let is_trusted = options.trusted_origin.as_ref() == Some(&url.origin());
        let is_open = is_trusted || self.options.allow_private;
        guard::check_url(url).map_err(refused)?;
        if !is_open {
            guard::check_host(url).map_err(refused)?;
        }
        let client = if is_open { self.open.get()? } else { self.guarded.get()? };
        let headers = self.request_headers(is_trusted && trail.is_at_home(), options);
        let mut permit = match (&self.options.pace, url.host_str()) {
            (Some(pace), Some(host)) => Some(pace.enter(host).await),
            _ => None,
        };
        let sent = self.send(client, trail, headers).await;
        if let (Err(error), Some(permit)) = (&sent, &mut permit)
            && error.is_overload()
        {
            permit.overloaded(None);
        }
        let response = sent?;
        match response.remote_addr() {
            Some(peer) if !is_open => guard::check_address(peer.ip()).map_err(refused)?,
            _ => {}
        }
        Ok((response, permit))
    }

    async fn send(
        &self,
        client: &reqwest::Client,
        trail: &Trail,
        headers: HeaderMap,
    ) -> Result<Response, FetchError> {
        let limits = &self.options.time_outs;
        self.options.meter.fetch_add(1, Ordering::Relaxed);
        let send = client.get(trail.request_url()).headers(headers).send();
        match timeout(limits.headers, send).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(cause::unanswered(trail.current(), limits, &error)),
            Err(_) => Err(FetchError::TimedOut {
                url: trail.current().clone(),
                phase: Phase::Headers,
                limit: limits.headers,
            }),
        }
    }

    /// gzip is asked for and never undone here: the document reader knows it by its first bytes,
    /// and limits what comes out.
    fn request_headers(&self, with_extra: bool, options: &GetOptions) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if with_extra {
            headers.clone_from(&self.options.headers);
        }
        let coding = if options.range.is_some() { "identity" } else { "gzip" };
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
        options.add_conditions(&mut headers);
        headers
    }

    /// The last hop's answer, if it is what was asked for.
    fn answer(
        &self,
        trail: Trail,
        response: Response,
        mut permit: Option<Permit>,
        options: &GetOptions,
    ) -> Result<Answer, FetchError> {
        let status = response.status();
        let wanted = match status {
            StatusCode::NOT_MODIFIED => options.is_conditional(),
            // Who asked for no range gets no part (RFC 9110, 15.3.7).
            StatusCode::PARTIAL_CONTENT => options.range.is_some(),
            status => status.is_success(),
        };
        if !wanted {
            let retry_after = headers::retry_after(response.headers());
            let error = FetchError::Status { url: trail.into_parts().0, status, retry_after };
            if let Some(permit) = permit.as_mut().filter(|_| error.is_overload()) {
                permit.overloaded(retry_after);
            }
            return Err(error);
        }
        let limit = self.options.max_body_bytes.unwrap_or(u64::MAX);
        Answer::new(trail.into_parts(), response, limit, self.options.time_outs.idle, permit)
    }

    /// Takes in the whole body.
    async fn spool(&self, mut answer: Answer) -> Result<Fetched, FetchError> {
        let limit = self.options.max_body_bytes.unwrap_or(u64::MAX);
        let mut spool = Spool::new(limit);
        while let Some(piece) = answer.chunk().await? {
            let url = || answer.url.clone();
            spool.push(&piece).map_err(|error| match error {
                SpoolError::TooLarge => FetchError::TooLarge { url: url(), limit },
                SpoolError::Io(error) => FetchError::Io { url: url(), error },
            })?;
        }
        let body =
            spool.finish().map_err(|error| FetchError::Io { url: answer.url.clone(), error })?;
        Ok(Fetched::new(answer, body))
    }
}

/// A client that is made when it is first needed: to read the certificate authorities of the machine
/// takes longer than to ask a server for a document.
#[derive(Debug, Clone)]
struct Lazy {
    made: Arc<OnceLock<reqwest::Client>>,
    options: Arc<ClientOptions>,
    resolver: Shared,
}

/// A resolver, as it is shared; there is nothing to show of it.
#[derive(Clone)]
struct Shared(Arc<dyn Resolve>);

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resolver")
    }
}

impl Lazy {
    fn new(options: &Arc<ClientOptions>, resolver: Arc<dyn Resolve>) -> Self {
        let (made, options) = (Arc::default(), Arc::clone(options));
        Self { made, options, resolver: Shared(resolver) }
    }

    fn get(&self) -> Result<&reqwest::Client, FetchError> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = build(&self.options, Arc::clone(&self.resolver.0))?;
        Ok(self.made.get_or_init(|| made))
    }
}

/// The one place that makes clients of the HTTP stack, so that none lacks the TLS provider, follows
/// a redirect or asks a proxy (whose connections no guard of ours sees) behind our back.
fn build(
    options: &ClientOptions,
    resolver: Arc<dyn Resolve>,
) -> Result<reqwest::Client, FetchError> {
    // Fails only if the process has a provider already, and any will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .user_agent(&options.user_agent)
        .connect_timeout(options.time_outs.connect)
        .redirect(Policy::none())
        .tcp_nodelay(true)
        .pool_max_idle_per_host(usize::MAX)
        .referer(false)
        .no_proxy()
        .dns_resolver(resolver)
        .build()
        .map_err(|error| FetchError::Setup { reason: cause::innermost(&error).to_string() })
}

/// Where an answer redirects to (RFC 9110, 15.4): a redirect without `Location` is an answer.
fn location(response: &Response) -> Option<&HeaderValue> {
    let redirects = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    response.headers().get(LOCATION).filter(|_| redirects)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};

    use reqwest::dns::{Addrs, Name, Resolving};

    use super::*;

    /// A resolver that the guard forgot.
    struct Loopback;

    impl Resolve for Loopback {
        fn resolve(&self, _: Name) -> Resolving {
            let address = SocketAddr::from(([127, 0, 0, 1], 0));
            Box::pin(async move { Ok(Box::new(std::iter::once(address)) as Addrs) })
        }
    }

    #[tokio::test]
    async fn s1_the_address_that_answered_is_checked_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let _ = socket.read(&mut [0; 4096]).unwrap();
            socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        });
        let options = ClientOptions::default();
        let options = Arc::new(options);
        let unguarded = Lazy::new(&options, Arc::new(Loopback));
        let client = Client { guarded: unguarded.clone(), open: unguarded, options };
        let url = Url::parse(&format!("http://stranger.test:{port}/")).unwrap();
        let error = client.get(&url, &GetOptions::default()).await.unwrap_err();
        assert!(
            matches!(error, FetchError::Refused { reason: Refusal::Address { .. }, .. }),
            "{error:?}"
        );
        server.join().unwrap();
    }
}
