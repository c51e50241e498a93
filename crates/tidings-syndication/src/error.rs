//! What can go wrong.

use std::time::Duration;

use tidings_store::StoreError;
use tidings_web::{FetchError, Url};

/// Why a poll came to nothing. Each message is a sentence for the site's page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PollError {
    /// Something could not be had.
    #[error("{0}")]
    Fetch(#[from] FetchError),
    /// Something is not what it should be.
    #[error("{url} {reason}")]
    Document {
        /// The document.
        url: Url,
        /// What is wrong with it, as the rest of a sentence.
        reason: String,
    },
    /// The site does not want us there.
    #[error("{url} may not be fetched: {reason}")]
    Disallowed {
        /// What was wanted.
        url: Box<Url>,
        /// Which line of robots.txt says so.
        reason: String,
        /// How long the server wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// Something about the site as a whole.
    #[error("{0}")]
    Site(String),
    /// What is known could not be read or written.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl PollError {
    /// The message, with *it* in the place of a URL that is known from elsewhere.
    pub(crate) fn reason_for(&self, known: &Url) -> String {
        match self {
            Self::Fetch(error) => error.reason_for(known),
            Self::Document { url, reason } if url == known => format!("it {reason}"),
            Self::Disallowed { url, reason, .. } if **url == *known => {
                format!("it may not be fetched: {reason}")
            }
            other => other.to_string(),
        }
    }

    /// How long the server asked us to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Fetch(FetchError::Status { retry_after, .. }) => *retry_after,
            Self::Fetch(FetchError::Closed { wait, .. }) => Some(*wait),
            Self::Disallowed { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// True if it is of no use to ask the same server for something else now.
    pub(crate) fn is_of_the_host(&self) -> bool {
        match self {
            // With these a server speaks of itself, with others of what was asked for.
            Self::Fetch(FetchError::Status { status, .. }) => {
                matches!(status.as_u16(), 429 | 503)
            }
            Self::Fetch(error) => matches!(
                error,
                FetchError::Unreachable { .. }
                    | FetchError::Certificate { .. }
                    | FetchError::Closed { .. }
                    | FetchError::TimedOut { .. }
                    | FetchError::Setup { .. }
            ),
            Self::Store(_) => true,
            _ => false,
        }
    }

    /// True if the server asked to be left alone, or what is known cannot be read.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Fetch(FetchError::Status { status, .. }) => status.as_u16() == 429,
            Self::Fetch(FetchError::Closed { .. }) | Self::Store(_) => true,
            _ => false,
        }
    }

    /// True if nothing is wrong but with what was asked for: it is not there, or not for us.
    pub(crate) fn is_of_one_page(&self) -> bool {
        match self {
            Self::Fetch(FetchError::Status { status, .. }) => {
                status.is_client_error() && !matches!(status.as_u16(), 408 | 429)
            }
            Self::Fetch(
                FetchError::Refused { .. }
                | FetchError::RedirectLoop { .. }
                | FetchError::TooManyRedirects { .. }
                | FetchError::Downgrade { .. }
                | FetchError::InvalidUrl { .. },
            ) => true,
            Self::Disallowed { retry_after, .. } => retry_after.is_none(),
            _ => false,
        }
    }

    /// True if the document is not there any more.
    pub(crate) fn is_gone(&self) -> bool {
        matches!(self, Self::Fetch(FetchError::Status { status, .. }) if matches!(status.as_u16(), 404 | 410))
    }
}

/// Why a site cannot be followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FollowError {
    /// Not a URL that could be followed.
    #[error("{text:?} cannot be followed: {reason}")]
    Url {
        /// What was named.
        text: String,
        /// Why not.
        reason: String,
    },
    /// There is nothing there by which changes could be known.
    #[error("{0}")]
    NotFound(String),
    /// There is nothing there by which changes could be known, but a text that may be the index of a webfeed.
    #[error("{0}\nif it is a webfeed all the same, follow it as one")]
    DoubtfulIndex(String),
    /// It is not followed.
    #[error("{0} is not followed; `tidings sites` lists what is")]
    Unknown(String),
    /// Somebody else is polling it right now.
    #[error("{0} is being polled by somebody else right now; try again in a minute")]
    Busy(String),
    /// What is known could not be read or written.
    #[error("{0}")]
    Store(#[from] StoreError),
}
