//! Trying again, when that may help.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use http::StatusCode;

use crate::error::{FetchError, Phase};

/// The longest `Retry-After` that is waited for; a host that wants more is left for the next run.
pub(crate) const LONGEST: Duration = Duration::from_secs(120);

/// How often one request is tried, and how long is waited in between: at random up to a limit that
/// doubles each time ("full jitter"), so that those who failed together do not come back together.
#[derive(Debug, Clone)]
pub struct Retry {
    left: u32,
    limit: Duration,
    /// True if the body came too slowly once.
    was_slow: bool,
}

impl Retry {
    /// So many tries in all; 0 and 1 are the same.
    #[must_use]
    pub fn new(tries: u32) -> Self {
        Self { left: tries.saturating_sub(1), limit: Duration::from_millis(500), was_slow: false }
    }

    /// How long to wait before the request is made again, or nothing if that is of no use.
    pub fn wait(&mut self, error: &FetchError) -> Option<Duration> {
        if !error.is_passing() {
            return None;
        }
        // A server that is slow twice is slow, and each try takes as long as the one before.
        if error.is_slow() && std::mem::replace(&mut self.was_slow, true) {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        let limit = self.limit;
        self.limit = (limit * 2).min(Duration::from_secs(30));
        match error {
            FetchError::Status { retry_after: Some(asked), .. } => {
                (*asked <= LONGEST).then(|| *asked + jitter(Duration::from_millis(250)))
            }
            _ => Some(jitter(limit)),
        }
    }
}

impl FetchError {
    /// True if the same request may well succeed a little later.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::TimedOut { .. } | Self::Unreachable { .. } | Self::Truncated { .. } => true,
            Self::Status { status, .. } => {
                matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504)
            }
            _ => false,
        }
    }

    /// True if the body came slower than the least speed ([`Phase::Speed`]).
    #[must_use]
    pub fn is_slow(&self) -> bool {
        matches!(self, Self::TimedOut { phase: Phase::Speed, .. })
    }

    /// True if the host is asked for too much, by its own words or by its silence.
    pub(crate) fn is_overload(&self) -> bool {
        match self {
            Self::TimedOut { phase, .. } => *phase != Phase::Whole,
            Self::Status { status, .. } => {
                [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(status)
            }
            _ => false,
        }
    }
}

/// A random time up to that one, so that many do not do the same at once. The seeds of hash tables are
/// random enough, and at hand.
#[must_use]
pub fn jitter(limit: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) >> 11;
    limit.mul_f64(random as f64 / (1_u64 << 53) as f64)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn status(code: u16, retry_after: Option<u64>) -> FetchError {
        FetchError::Status {
            url: Url::parse("http://a.example/").unwrap(),
            status: StatusCode::from_u16(code).unwrap(),
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_will_not_is_not() {
        for (code, again) in [(404, false), (403, false), (410, false), (503, true), (429, true)] {
            assert_eq!(Retry::new(3).wait(&status(code, None)).is_some(), again, "{code}");
        }
        let mut retry = Retry::new(3);
        assert!(retry.wait(&status(503, None)).is_some());
        assert!(retry.wait(&status(503, None)).is_some());
        assert!(retry.wait(&status(503, None)).is_none(), "three tries in all");
        assert!(Retry::new(1).wait(&status(503, None)).is_none());
    }

    #[test]
    fn a_slow_server_is_tried_once_more() {
        let url = Url::parse("http://a.example/").unwrap();
        let slow = FetchError::TimedOut { url, phase: Phase::Speed, limit: Duration::ZERO };
        let mut retry = Retry::new(4);
        assert!(retry.wait(&slow).is_some());
        assert!(retry.wait(&status(503, None)).is_some(), "something else");
        assert!(retry.wait(&slow).is_none());
    }

    #[test]
    fn retry_after_is_kept_to_and_never_undercut() {
        let wait = Retry::new(2).wait(&status(503, Some(7))).unwrap();
        assert!(wait >= Duration::from_secs(7) && wait < Duration::from_secs(8), "{wait:?}");
        assert!(Retry::new(2).wait(&status(503, Some(3600))).is_none());
    }
}
