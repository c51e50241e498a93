//! Why no Source was found.

use std::fmt;

use url::Url;

use super::source::DiscoveryAttempt;

/// Nothing that could be followed was found. Its message has a line for each place that was looked
/// at, with the reason why it was of no use, and what to do.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", Told(self))]
pub struct DiscoveryError {
    /// Where the search began.
    pub start: Url,
    /// Where it was looked, in order.
    pub tried: Vec<DiscoveryAttempt>,
    /// True if the server could not be reached at all.
    pub gone: bool,
    /// The place that ended a strict search: it may have a ResourceSync document, and could not be read.
    pub obstacle: Option<DiscoveryAttempt>,
    /// A document that is meant to be of ResourceSync and does not say of which kind it is.
    pub malformed: Option<DiscoveryAttempt>,
}

struct Told<'a>(&'a DiscoveryError);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DiscoveryError { start, tried, gone, obstacle, malformed } = self.0;
        if let Some(DiscoveryAttempt { what, result: Err(reason), .. }) = malformed {
            return write!(f, "{what} cannot be used: {reason}");
        }
        match obstacle.as_ref().filter(|_| !gone) {
            Some(DiscoveryAttempt { what, result: Err(reason), .. }) => write!(
                f,
                "{what} cannot be used: {reason}; so it is not known whether {start} has a ResourceSync \
                 Source; retry later, or copy its Sitemap instead"
            ),
            _ => write!(
                f,
                "no ResourceSync Source and no Sitemap was found at {start}:{}\n{}",
                Places(tried),
                Remedy(*gone)
            ),
        }
    }
}

/// The number of places in the message; a broken Source may have thousands.
const MAX_SHOWN_ATTEMPTS: usize = 10;

struct Places<'a>(&'a [DiscoveryAttempt]);

impl fmt::Display for Places<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(MAX_SHOWN_ATTEMPTS).try_for_each(|attempt| match &attempt.result {
            Ok(found) => write!(f, "\n  {}: {} is a {found}", attempt.what, attempt.url),
            Err(reason) => write!(f, "\n  {}: {reason}", attempt.what),
        })?;
        match self.0.len().saturating_sub(MAX_SHOWN_ATTEMPTS) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

struct Remedy(bool);

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 {
            "check the URL and the network, or try again later"
        } else {
            "name one of its documents, such as a Capability List or a Sitemap, if you know where it is"
        })
    }
}
