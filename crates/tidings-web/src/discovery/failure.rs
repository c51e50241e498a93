//! Why a place or a document is of no use to discovery.

use url::Url;

use crate::FetchError;
use crate::error::is_absence;
use crate::robots::{Absence, Reason};

/// Why a place or a document is of no use to discovery. Each message is a sentence that names the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryFailure {
    /// The server says that there is none: it answered 404 or 410, or a robots.txt without `Sitemap`
    /// lines.
    #[error("{0}")]
    Absent(String),
    /// It was not looked at: there are too many documents.
    #[error("{0}")]
    LeftOut(String),
    /// It could not be fetched or read, which says nothing about what is there.
    #[error("{0}")]
    Unreadable(String),
    /// It is there, and is not a document that leads to a Source.
    #[error("{0}")]
    Unusable(String),
}

impl DiscoveryFailure {
    /// True if the server says that there is nothing.
    #[must_use]
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Absent(_))
    }

    /// True if something may be there that could not be seen.
    pub(super) fn may_hide_something(&self) -> bool {
        !matches!(self, Self::Absent(_) | Self::LeftOut(_))
    }

    /// The failure of a request.
    pub(super) fn from_fetch_error(error: &FetchError) -> Self {
        let reason = error.to_string();
        if error.is_absence() { Self::Absent(reason) } else { Self::Unreadable(reason) }
    }

    /// A robots.txt that names no Sitemap.
    pub(super) fn without_sitemap_lines(place: &Url, reason: &Reason) -> Self {
        match reason {
            Reason::Absent(Absence::Status(status)) if is_absence(*status) => {
                Self::Absent(reason.to_string())
            }
            Reason::Absent(_) | Reason::Unreachable(_) => Self::Unreadable(reason.to_string()),
            _ => Self::Absent(format!("{place} has none")),
        }
    }
}
