//! An answer whose body is still to come.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap, HeaderName};
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::timeout;
use url::Url;

use crate::bandwidth::Bandwidth;
use crate::error::{FetchError, Phase};
use crate::headers;
use crate::options::Validators;
use crate::pace::Permit;

/// How many bytes of a body must come in a second, on the whole, once it had some time
/// ([`ClientOptions::slow_limit`](crate::ClientOptions::slow_limit)) to begin.
const MIN_BYTES_PER_SECOND: u128 = 1_000;

/// The head of an answer, and its body piece by piece: for bodies that go elsewhere than into a
/// [`SpooledBody`](crate::SpooledBody). Nothing that came may be used before [`chunk`](Self::chunk)
/// has said that this was all.
#[derive(Debug)]
pub struct Answer {
    /// Where the answer came from, after all redirects.
    pub url: Url,
    /// The URLs that redirected, in order.
    pub redirects: Vec<Url>,
    /// A success (2xx), or 304 if the request was conditional. It is 206 only if a part was asked
    /// for and that part is what comes.
    pub status: StatusCode,
    response: Response<Incoming>,
    announced: Option<u64>,
    received: u64,
    limits: BodyLimits,
    started: Instant,
    /// How long was waited to stay within the bandwidth.
    waited: Duration,
    /// Its place among the requests to its host, until the body is in.
    _permit: Option<Permit>,
}

/// What a body may take.
#[derive(Debug, Clone)]
pub(crate) struct BodyLimits {
    pub(crate) bytes: u64,
    /// For the next piece.
    pub(crate) idle: Duration,
    /// Before it has to come fast enough.
    pub(crate) slow: Duration,
    pub(crate) bandwidth: Option<Arc<Bandwidth>>,
}

impl Answer {
    pub(crate) fn new(
        (url, redirects): (Url, Vec<Url>),
        response: Response<Incoming>,
        limits: BodyLimits,
        permit: Option<Permit>,
    ) -> Result<Self, FetchError> {
        let status = response.status();
        let announced = match status {
            StatusCode::NOT_MODIFIED => None,
            _ => headers::content_length(response.headers()),
        };
        let limit = limits.bytes;
        if announced.is_some_and(|length| length > limit) {
            return Err(FetchError::TooLarge { url, limit });
        }
        let started = Instant::now();
        let received = 0;
        Ok(Self {
            url,
            redirects,
            status,
            response,
            announced,
            received,
            limits,
            started,
            waited: Duration::ZERO,
            _permit: permit,
        })
    }

    /// The next piece of the body as it came over the wire; none at its end, which is where it was
    /// announced to be.
    pub async fn chunk(&mut self) -> Result<Option<bytes::Bytes>, FetchError> {
        let idle = self.limits.idle;
        let next = timeout(idle, next_piece(self.response.body_mut())).await.map_err(|_| {
            FetchError::TimedOut { url: self.url.clone(), phase: Phase::Idle, limit: idle }
        })?;
        match next {
            Ok(Some(piece)) => {
                self.received += piece.len() as u64;
                if self.received > self.limits.bytes {
                    let (url, limit) = (self.url.clone(), self.limits.bytes);
                    return Err(FetchError::TooLarge { url, limit });
                }
                self.check_speed()?;
                if let Some(bandwidth) = &self.limits.bandwidth {
                    self.waited += bandwidth.take(piece.len() as u64).await;
                }
                Ok(Some(piece))
            }
            Ok(None) if self.announced.is_none_or(|length| length == self.received) => Ok(None),
            // Whatever broke it off, the remedy is the same.
            Ok(None) | Err(_) => Err(FetchError::Truncated {
                url: self.url.clone(),
                received: self.received,
                expected: self.announced,
            }),
        }
    }

    /// A byte every few seconds would pass every other time-out of a body without limit.
    fn check_speed(&self) -> Result<(), FetchError> {
        let elapsed = self.started.elapsed().saturating_sub(self.waited);
        let least = MIN_BYTES_PER_SECOND * elapsed.as_millis() / 1_000;
        if elapsed < self.limits.slow || u128::from(self.received) >= least {
            return Ok(());
        }
        Err(FetchError::TimedOut { url: self.url.clone(), phase: Phase::Speed, limit: elapsed })
    }

    /// How many bytes the body is announced to have.
    #[must_use]
    pub fn content_length(&self) -> Option<u64> {
        self.announced
    }

    /// How many bytes have come.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.received
    }

    /// By what the answer can be known again.
    #[must_use]
    pub fn validators(&self) -> Validators {
        let last_modified = headers::last_modified(self.headers());
        Validators { etag: self.text(&ETAG), last_modified }
    }

    /// `Content-Encoding`, which has not been taken off.
    #[must_use]
    pub fn content_encoding(&self) -> Option<String> {
        self.text(&CONTENT_ENCODING)
    }

    /// `Content-Type`.
    #[must_use]
    pub fn content_type(&self) -> Option<String> {
        self.text(&CONTENT_TYPE)
    }

    /// Where the part that comes begins (`Content-Range`), if it is one.
    #[must_use]
    pub fn begins_at(&self) -> Option<u64> {
        let range = self.text(&CONTENT_RANGE)?;
        range.strip_prefix("bytes ")?.split_once('-')?.0.trim().parse().ok()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    fn text(&self, name: &HeaderName) -> Option<String> {
        headers::text(self.response.headers(), name)
    }
}

/// The next piece of data; trailers are none.
async fn next_piece(body: &mut Incoming) -> Result<Option<bytes::Bytes>, hyper::Error> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}
