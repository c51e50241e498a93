//! An existing feed of another program, as far as it is taken over.

mod read;

use jiff::Timestamp;
use url::Url;

use crate::FeedError;

/// An existing feed of another program, as far as it is taken over. All texts are plain, in one
/// line of at most 300 characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenFeed {
    /// What it is called.
    pub title: Option<String>,
    /// Whose it is.
    pub author: Option<String>,
    /// Of its texts: a language tag.
    pub language: Option<String>,
    /// A sentence about it.
    pub description: Option<String>,
    /// The page it belongs to.
    pub home: Option<Url>,
    /// In the order of the feed, each id once, at most 1,000.
    pub entries: Vec<TakenEntry>,
}

/// An entry of an existing feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenEntry {
    /// Its own, or made from its link, or from its title and date.
    pub id: String,
    /// What it is called, without markup.
    pub title: Option<String>,
    /// Its page.
    pub link: Option<Url>,
    /// When it was first there.
    pub published: Option<Timestamp>,
    /// When it last changed.
    pub updated: Option<Timestamp>,
    /// In a few words, without markup.
    pub summary: Option<String>,
}

impl TakenFeed {
    /// Reads Atom, RSS of all versions or JSON Feed. Relative links are resolved against `url`, the
    /// feed's own address.
    pub fn read(bytes: &[u8], content_type: Option<&str>, url: &Url) -> Result<Self, FeedError> {
        read::document(&crate::decode::decode(bytes, content_type), url).map(|read| read.feed)
    }

    /// Reads a document that is text already, and finds its icon.
    pub(crate) fn read_text(text: &str, url: &Url) -> Result<(Self, Option<Url>), FeedError> {
        read::document(text, url).map(|read| (read.feed, read.icon))
    }
}
