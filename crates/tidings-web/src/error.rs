//! Why something could not be had.

use std::fmt;
use std::io;
use std::time::Duration;

use http::StatusCode;
use url::Url;

use crate::guard::Refusal;
use crate::options::Remedies;

/// Why a [`get`](crate::Client::get) has nothing to show. Each message is one sentence that stands
/// alone: it names the URL (without its credentials), the reason, and the remedy where there is one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No client can be made on this machine, or of these options.
    #[error("the HTTP client could not be set up: {reason}")]
    Setup {
        /// What is missing or wrong.
        reason: String,
    },
    /// Not a URL that can be requested: from a `Location` header, or too long for HTTP.
    #[error("{url:?} is not a URL that can be fetched: {reason}")]
    InvalidUrl {
        /// The text as it was found.
        url: String,
        /// The rule that it breaks.
        reason: String,
    },
    /// The guard does not let us go there.
    #[error("refused to fetch {url}: {reason}{remedy}")]
    Refused {
        /// The hop that was refused.
        url: Box<Url>,
        /// The rule that refused it.
        reason: Refusal,
        /// What whoever runs the program can do about it, as the end of the sentence; see
        /// [`Remedies`](crate::Remedies).
        remedy: &'static str,
    },
    /// A redirect led to where we had already been.
    #[error("the redirects run in a circle: {url} comes up twice")]
    RedirectLoop {
        /// The URL that came up twice.
        url: Url,
    },
    /// More redirects than [`max_redirects`](crate::ClientOptions::max_redirects).
    #[error("{url} redirects more than {limit} times")]
    TooManyRedirects {
        /// The URL that was asked for.
        url: Url,
        /// The limit.
        limit: usize,
    },
    /// A redirect from https to http: anybody on the way could change what follows.
    #[error("refused to follow {from} to {to}: a redirect from https to http is not safe")]
    Downgrade {
        /// The https URL that redirected.
        from: Box<Url>,
        /// The http URL that it named.
        to: Box<Url>,
    },
    /// No answer could be had: name lookup, connection, TLS, or an answer that is not HTTP.
    #[error("could not reach {url}: {reason}")]
    Unreachable {
        /// The hop that failed.
        url: Url,
        /// What happened, in words for people.
        reason: String,
    },
    /// The server is not who it should be.
    #[error("could not reach {url}: {reason}")]
    Certificate {
        /// The hop that failed.
        url: Url,
        /// What is wrong with its certificate, in words for people.
        reason: String,
    },
    /// The server said that it wants to be left alone for long (`Retry-After`), and was not asked.
    #[error("{url} was not asked for: its server wants to be left alone for another {} s", wait.as_secs())]
    Closed {
        /// What was wanted.
        url: Url,
        /// For how long.
        wait: Duration,
    },
    /// The server took too long. Trying again later may help.
    #[error("{url} timed out: {phase} within {limit:?}")]
    TimedOut {
        /// The hop that took too long.
        url: Url,
        /// What was being waited for.
        phase: Phase,
        /// How long it was waited for.
        limit: Duration,
    },
    /// The answer is not a success (2xx), or is a part (206) that nobody asked for.
    #[error("{url} answered {status}{}", Later(*.retry_after))]
    Status {
        /// The hop that answered so.
        url: Url,
        /// The status.
        status: StatusCode,
        /// How long the server asks us to wait (`Retry-After`).
        retry_after: Option<Duration>,
    },
    /// More bytes than [`max_body_bytes`](crate::ClientOptions::max_body_bytes).
    #[error("{url} is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The URL of the body.
        url: Url,
        /// The limit.
        limit: u64,
    },
    /// The body broke off. What had come was thrown away.
    #[error("{url} broke off after {received} {}; try again", Of(*.expected))]
    Truncated {
        /// The URL of the body.
        url: Url,
        /// How many bytes came.
        received: u64,
        /// How many were announced (`Content-Length`).
        expected: Option<u64>,
    },
    /// The body could not be kept on this machine, such as when its disk is full.
    #[error("the body of {url} could not be stored: {error}")]
    Io {
        /// The URL of the body.
        url: Url,
        /// What the system says.
        error: io::Error,
    },
}

impl FetchError {
    /// The guard does not let us go there.
    pub(crate) fn refused(url: Url, reason: Refusal, remedies: &Remedies) -> Self {
        let remedy = if reason.is_of_private_address() { remedies.private_address } else { "" };
        Self::Refused { url: Box::new(url), reason, remedy }
    }

    /// The message, with *it* in the place of a URL that is known from elsewhere. An error about another URL
    /// names that one, as its message does.
    #[must_use]
    pub fn reason_for(&self, known: &Url) -> String {
        if self.url() != Some(known) {
            return self.to_string();
        }
        match self {
            Self::Refused { reason, remedy, .. } => {
                format!("it may not be fetched: {reason}{remedy}")
            }
            Self::TooManyRedirects { limit, .. } => format!("it redirects more than {limit} times"),
            Self::Unreachable { reason, .. } | Self::Certificate { reason, .. } => {
                format!("it could not be reached: {reason}")
            }
            Self::Closed { wait, .. } => format!(
                "it was not asked for: its server wants to be left alone for another {} s",
                wait.as_secs()
            ),
            Self::TimedOut { phase, limit, .. } => {
                format!("it timed out: {phase} within {limit:?}")
            }
            Self::Status { status, retry_after, .. } => {
                format!("it answered {status}{}", Later(*retry_after))
            }
            Self::TooLarge { limit, .. } => format!("it is larger than the limit of {limit} bytes"),
            Self::Truncated { received, expected, .. } => {
                format!("it broke off after {received} {}; try again", Of(*expected))
            }
            Self::Io { error, .. } => format!("its body could not be stored: {error}"),
            Self::Setup { .. }
            | Self::InvalidUrl { .. }
            | Self::RedirectLoop { .. }
            | Self::Downgrade { .. } => self.to_string(),
        }
    }

    /// The URL that the message is about; none if it is about none, or about several.
    fn url(&self) -> Option<&Url> {
        match self {
            Self::Refused { url, .. } => Some(url),
            Self::TooManyRedirects { url, .. }
            | Self::Unreachable { url, .. }
            | Self::Certificate { url, .. }
            | Self::Closed { url, .. }
            | Self::TimedOut { url, .. }
            | Self::Status { url, .. }
            | Self::TooLarge { url, .. }
            | Self::Truncated { url, .. }
            | Self::Io { url, .. } => Some(url),
            Self::Setup { .. }
            | Self::InvalidUrl { .. }
            | Self::RedirectLoop { .. }
            | Self::Downgrade { .. } => None,
        }
    }

    /// True if the server says that there is nothing at the URL (404, 410).
    #[must_use]
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Status { status, .. } if is_absence(*status))
    }
}

/// True for a status by which a server says that there is nothing.
pub(crate) fn is_absence(status: StatusCode) -> bool {
    matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE)
}

/// What was being waited for when the time was up; see [`TimeOuts`](crate::TimeOuts).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// The connection.
    Connect,
    /// The status line and headers.
    Headers,
    /// The next piece of the body.
    Idle,
    /// The end of the whole request.
    Whole,
    /// A body that comes slower than 1 kB in a second.
    Speed,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "no connection",
            Self::Headers => "no answer",
            Self::Idle => "nothing more of the body came",
            Self::Whole => "not finished",
            Self::Speed => "less than 1 kB came in a second",
        })
    }
}

struct Later(Option<Duration>);

impl fmt::Display for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(wait) => write!(f, "; it asks to be tried again in {wait:?}"),
            None => Ok(()),
        }
    }
}

struct Of(Option<u64>);

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(expected) => write!(f, "of {expected} bytes"),
            None => f.write_str("bytes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_no_url_but_another_one() {
        let (post, other) = (
            Url::parse("https://a.example/x").unwrap(),
            Url::parse("https://b.example/y").unwrap(),
        );
        let status = |url: &Url| FetchError::Status {
            url: url.clone(),
            status: StatusCode::SERVICE_UNAVAILABLE,
            retry_after: Some(Duration::from_secs(60)),
        };
        assert_eq!(
            status(&post).reason_for(&post),
            "it answered 503 Service Unavailable; it asks to be tried again in 60s"
        );
        assert!(status(&other).reason_for(&post).starts_with("https://b.example/y answered 503"));
        let url = || post.clone();
        let limit = Duration::from_secs(30);
        let address = [10, 0, 0, 1].into();
        for error in [
            FetchError::refused(url(), Refusal::Address { address }, &Remedies::default()),
            FetchError::TooManyRedirects { url: url(), limit: 5 },
            FetchError::Unreachable { url: url(), reason: "it rained".to_owned() },
            FetchError::Certificate { url: url(), reason: "it rained".to_owned() },
            FetchError::Closed { url: url(), wait: limit },
            FetchError::TimedOut { url: url(), phase: Phase::Idle, limit },
            FetchError::TooLarge { url: url(), limit: 1 },
            FetchError::Truncated { url: url(), received: 1, expected: Some(2) },
            FetchError::Io { url: url(), error: io::Error::other("it rained") },
        ] {
            let reason = error.reason_for(&post);
            assert!(reason.starts_with("it") && !reason.contains("example"), "{reason}");
            assert!(error.to_string().contains("https://a.example/x"), "{error}");
        }
    }
}
