//! Why a list of subscriptions cannot be read.

use super::read::{DEEPEST, MOST_OUTLINES};

/// Why a list of subscriptions cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpmlError {
    /// Something else.
    #[error("the file is no OPML but {found}; export the subscriptions as OPML and take that file")]
    Other {
        /// What it is.
        found: String,
    },
    /// It may be more than it seems.
    #[error(
        "line {line} of the OPML has a document type declaration, which could make a short file grow \
         without end; remove the <!DOCTYPE …>"
    )]
    Doctype {
        /// Where, counted from 1.
        line: usize,
    },
    /// Folders in folders in folders.
    #[error("line {line} of the OPML is nested deeper than {DEEPEST}; flatten the folders there")]
    Deep {
        /// Where, counted from 1.
        line: usize,
    },
    /// Too much.
    #[error("line {line} of the OPML has its outline number {}; split the file", MOST_OUTLINES + 1)]
    Many {
        /// Where, counted from 1.
        line: usize,
    },
    /// The markup is wrong.
    #[error("line {line} of the OPML cannot be read: {reason}; mend that line or export again")]
    Broken {
        /// Where, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}
