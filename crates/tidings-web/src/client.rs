//! The client: one request from its URL to its whole body.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HeaderMap, HeaderValue, LOCATION, USER_AGENT,
};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpInfo;
use tokio::time::timeout;
use url::Url;

use crate::answer::{Answer, BodyLimits};
use crate::body::{Spool, SpoolError};
use crate::cause;
use crate::connect::Connections;
use crate::error::{FetchError, Phase};
use crate::fetched::Fetched;
use crate::guard::{self, Refusal};
use crate::head::Head;
use crate::headers;
use crate::kept::{self, Answered};
use crate::options::{ClientOptions, GetOptions, Remedies, TimeOuts};
use crate::pace::Permit;
use crate::redirect::Trail;
use crate::resolver::{Guarded, Resolve, System};
use crate::retry::Retry;

/// How many connections that were kept may turn out to be gone, one after the other, for one request.
const MOST_GONE: u32 = 8;

/// An HTTP client that goes only where it may and brings back all or nothing.
///
/// It keeps connections open for the next request, so one client should serve many. A clone shares
/// them.
#[derive(Debug, Clone)]
pub struct Client {
    /// For strangers: its resolver is guarded. Two clients and not one, because connections are
    /// reused: one made to a trusted origin must not serve a stranger of the same name.
    guarded: Connections,
    /// For the trusted origin, or for all if private addresses are allowed.
    open: Connections,
    options: Arc<ClientOptions>,
    /// The headers of every request.
    basics: Arc<HeaderMap>,
}

impl Client {
    /// Makes a client. It fails with [`FetchError::Setup`] if the user agent is not a header value.
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
        let mut basics = HeaderMap::new();
        let agent = HeaderValue::from_str(&options.user_agent)
            .map_err(|error| FetchError::Setup { reason: format!("the user agent: {error}") })?;
        basics.insert(USER_AGENT, agent);
        basics.insert(ACCEPT, HeaderValue::from_static("*/*"));
        let limit = options.time_outs.connect;
        let guarded: Arc<dyn Resolve> = Arc::new(Guarded(Arc::clone(&resolver)));
        let client = Self {
            guarded: Connections::new(guarded, limit, options.keep_alive),
            open: Connections::new(resolver, limit, options.keep_alive),
            options: Arc::new(options),
            basics: Arc::new(basics),
        };
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

    /// What is said to whoever runs the program; see [`Remedies`].
    #[must_use]
    pub fn remedies(&self) -> &Remedies {
        &self.options.remedies
    }

    pub(crate) fn time_outs(&self) -> &TimeOuts {
        &self.options.time_outs
    }

    async fn get_once(&self, url: &Url, options: &GetOptions) -> Result<Fetched, FetchError> {
        let limit = self.options.time_outs.whole;
        let fetch = async { self.spool(self.open(url, options).await?).await };
        // Within a bandwidth, a whole body takes the time that it takes; it still has a least speed.
        if self.options.bandwidth.is_some() {
            return fetch.await;
        }
        timeout(limit, fetch).await.unwrap_or_else(|_| {
            let url = Trail::start(url, 0).into_parts().0;
            Err(FetchError::TimedOut { url, phase: Phase::Whole, limit })
        })
    }

    /// Asks for `url` once, following redirects like [`get`](Self::get), and hands out the body as it
    /// comes. Beside the limits on each step there is none on the whole time, but a least speed.
    pub async fn open(&self, url: &Url, options: &GetOptions) -> Result<Answer, FetchError> {
        self.ask(Method::GET, url, options).await
    }

    /// Asks once for what would be said about `url` if it was asked for, following redirects like
    /// [`get`](Self::get). The answer has no body, so its length is what the server announces, however
    /// large that is.
    pub async fn head(&self, url: &Url, options: &GetOptions) -> Result<Head, FetchError> {
        let limit = self.options.time_outs.whole;
        let asked = timeout(limit, self.ask(Method::HEAD, url, options)).await;
        let answer = asked.unwrap_or_else(|_| {
            let url = Trail::start(url, 0).into_parts().0;
            Err(FetchError::TimedOut { url, phase: Phase::Whole, limit })
        })?;
        Ok(Head::of(&answer))
    }

    async fn ask(
        &self,
        method: Method,
        url: &Url,
        options: &GetOptions,
    ) -> Result<Answer, FetchError> {
        let mut trail = Trail::start(url, self.options.max_redirects);
        loop {
            let (response, permit) = self.hop(&method, &trail, options).await?;
            match location(&response) {
                Some(location) => trail.follow(location.as_bytes())?,
                None => break self.answer(&method, trail, response, permit, options),
            }
        }
    }

    /// One request and the head of its answer, if the guard allows.
    async fn hop(
        &self,
        method: &Method,
        trail: &Trail,
        options: &GetOptions,
    ) -> Result<(Response<Incoming>, Option<Permit>), FetchError> {
        let url = trail.current();
        let refused =
            |reason: Refusal| FetchError::refused(url.clone(), reason, &self.options.remedies);
        let is_trusted = options.trusted_origin.as_ref() == Some(&url.origin());
        let is_open = is_trusted || self.options.allow_private;
        guard::check_url(url).map_err(refused)?;
        if !is_open {
            guard::check_host(url).map_err(refused)?;
        }
        let connections = if is_open { &self.open } else { &self.guarded };
        let with_extra = is_trusted && trail.is_at_home();
        let headers = || self.request_headers(trail, with_extra, options);
        let mut permit = match (&self.options.pace, url.host_str()) {
            (Some(pace), Some(host)) => {
                let closed = |wait| FetchError::Closed { url: url.clone(), wait };
                Some(pace.enter(host).await.map_err(closed)?)
            }
            _ => None,
        };
        let sent = self.send(connections, method, url, headers).await;
        if let (Err(error), Some(permit)) = (&sent, &mut permit)
            && error.is_overload()
        {
            permit.overloaded(None);
        }
        let response = sent?;
        if let (false, Some(info)) = (is_open, response.extensions().get::<HttpInfo>()) {
            guard::check_address(info.remote_addr().ip()).map_err(refused)?;
        }
        Ok((response, permit))
    }

    /// One request, on a connection that is there.
    async fn send(
        &self,
        connections: &Connections,
        method: &Method,
        url: &Url,
        headers: impl Fn() -> HeaderMap,
    ) -> Result<Response<Incoming>, FetchError> {
        let limits = &self.options.time_outs;
        let invalid = |error: http::uri::InvalidUri| FetchError::InvalidUrl {
            reason: error.to_string(),
            url: url.to_string(),
        };
        let mut kept_too_long = 0;
        loop {
            let mut request = Request::new(Empty::new());
            request.method_mut().clone_from(method);
            *request.uri_mut() = Uri::try_from(url.as_str()).map_err(invalid)?;
            *request.headers_mut() = headers();
            self.options.meter.fetch_add(1, Ordering::Relaxed);
            match timeout(limits.headers, connections.request(request)?).await {
                Ok(Ok(response)) => {
                    Answered::note(response.extensions());
                    return Ok(response);
                }
                Ok(Err(error)) if kept_too_long < MOST_GONE && kept::was_gone(&error) => {
                    kept_too_long += 1;
                }
                Ok(Err(error)) => return Err(cause::unanswered(url, &self.options, &error)),
                Err(_) => {
                    let (url, limit) = (url.clone(), limits.headers);
                    return Err(FetchError::TimedOut { url, phase: Phase::Headers, limit });
                }
            }
        }
    }

    /// gzip is asked for and never undone here: the document reader knows it by its first bytes,
    /// and limits what comes out.
    fn request_headers(&self, trail: &Trail, with_extra: bool, options: &GetOptions) -> HeaderMap {
        let mut headers = HeaderMap::clone(&self.basics);
        if with_extra {
            headers.extend(self.options.headers.clone());
        }
        if let Some(authorization) = trail.authorization() {
            headers.insert(AUTHORIZATION, authorization);
        }
        let is_plain = options.identity || options.range.is_some();
        let coding = if is_plain { "identity" } else { "gzip" };
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
        options.add_conditions(&mut headers);
        headers
    }

    /// The last hop's answer, if it is what was asked for.
    fn answer(
        &self,
        method: &Method,
        trail: Trail,
        response: Response<Incoming>,
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
        let bytes = match *method {
            Method::HEAD => u64::MAX,
            _ => self.options.max_body_bytes.unwrap_or(u64::MAX),
        };
        let (idle, slow) = (self.options.time_outs.idle, self.options.slow_limit);
        let bandwidth = self.options.bandwidth.clone();
        let limits = BodyLimits { bytes, idle, slow, bandwidth };
        Answer::new(trail.into_parts(), response, limits, permit)
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

/// Where an answer redirects to (RFC 9110, 15.4): a redirect without `Location` is an answer.
fn location(response: &Response<Incoming>) -> Option<&HeaderValue> {
    let redirects = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    response.headers().get(LOCATION).filter(|_| redirects)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::pin::Pin;

    use hyper_util::client::legacy::connect::dns::Name;

    use super::*;
    use crate::resolver::Answers;

    /// A resolver that the guard forgot.
    struct Loopback;

    impl Resolve for Loopback {
        fn resolve(&self, _: Name) -> Pin<Box<dyn Future<Output = Answers> + Send>> {
            Box::pin(async { Ok(vec![SocketAddr::from(([127, 0, 0, 1], 0))]) })
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
        let limit = options.time_outs.connect;
        let mut client = Client::new(options).unwrap();
        client.guarded = Connections::new(Arc::new(Loopback), limit, limit);
        let url = Url::parse(&format!("http://stranger.test:{port}/")).unwrap();
        let error = client.get(&url, &GetOptions::default()).await.unwrap_err();
        assert!(
            matches!(error, FetchError::Refused { reason: Refusal::Address { .. }, .. }),
            "{error:?}"
        );
        server.join().unwrap();
    }
}
