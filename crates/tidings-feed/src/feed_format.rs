//! The formats in which feeds are written.

use std::fmt;

use crate::{Feed, atom, json_feed, rss};

/// The format of a feed document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeedFormat {
    /// RFC 4287.
    Atom,
    /// RSS 2.0.
    Rss,
    /// JSON Feed 1.1.
    Json,
}

impl FeedFormat {
    /// All of them, the preferred one first.
    pub const ALL: [Self; 3] = [Self::Atom, Self::Rss, Self::Json];

    /// The end of the file names of its documents, without the dot; it names the format in URLs.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Atom => "atom",
            Self::Rss => "rss",
            Self::Json => "json",
        }
    }

    /// The format whose documents have that extension.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }

    /// The media type, without parameters.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Atom => "application/atom+xml",
            Self::Rss => "application/rss+xml",
            Self::Json => "application/feed+json",
        }
    }

    /// The value of `Content-Type`.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Atom => "application/atom+xml; charset=utf-8",
            Self::Rss => "application/rss+xml; charset=utf-8",
            Self::Json => "application/feed+json; charset=utf-8",
        }
    }

    /// The document of a feed in this format.
    #[must_use]
    pub fn write(self, feed: &Feed) -> String {
        match self {
            Self::Atom => atom(feed),
            Self::Rss => rss(feed),
            Self::Json => json_feed(feed),
        }
    }
}

/// The name of the format, for people.
impl fmt::Display for FeedFormat {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Atom => "Atom",
            Self::Rss => "RSS",
            Self::Json => "JSON Feed",
        })
    }
}
