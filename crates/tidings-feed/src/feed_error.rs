//! Why a document cannot be taken over as a feed.

use crate::survey::DEEPEST;

/// Why a document cannot be taken over as a feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FeedError {
    /// It has nothing in it.
    #[error("the document is empty; check that the address is that of the feed")]
    Empty,
    /// A page for people.
    #[error(
        "the document is an HTML page, not a feed; give the address of the feed itself, which a \
         page often names in a <link rel=\"alternate\">"
    )]
    Html,
    /// Neither Atom nor RSS nor JSON Feed.
    #[error("the document is no feed but {found}; Atom, RSS and JSON Feed are understood")]
    Other {
        /// What it is.
        found: String,
    },
    /// It is more than it seems.
    #[error(
        "the document type of the feed declares entities, by which a short text can grow without \
         end; the feed has to be written without them"
    )]
    Entities,
    /// Nested without need.
    #[error("the elements of the feed are nested more than {DEEPEST} deep, as in no real feed")]
    Deep,
    /// The markup is wrong.
    #[error("line {line} of the feed cannot be read: {reason}; its publisher has to mend it")]
    Broken {
        /// Where, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}
