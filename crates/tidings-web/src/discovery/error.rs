//! Why no Source was found.

use std::fmt;

use url::Url;

use super::source::Attempt;

/// Nothing that could be followed was found. Its message has a line for each place that was looked
/// at, with the reason why it was of no use, and what to do.
#[derive(Debug, Clone, thiserror::Error)]
#[error("no ResourceSync Source and no Sitemap was found at {start}:{}\n{}", Places(.tried), Remedy(*.gone))]
pub struct DiscoveryError {
    /// Where the search began.
    pub start: Url,
    /// Where it was looked, in order.
    pub tried: Vec<Attempt>,
    /// True if the server could not be reached at all.
    pub gone: bool,
}

/// How many places are told; a broken Source may have thousands.
const MOST: usize = 10;

struct Places<'a>(&'a [Attempt]);

impl fmt::Display for Places<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(MOST).try_for_each(|attempt| match &attempt.result {
            Ok(found) => write!(f, "\n  {}: {} is a {found}", attempt.what, attempt.url),
            Err(reason) => write!(f, "\n  {}: {reason}", attempt.what),
        })?;
        match self.0.len().saturating_sub(MOST) {
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
