//! Why something is not written.

use std::io;

use crate::Rule;

/// What keeps the writer from writing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The document has as many entries or bytes as it may have. Nothing of the entry was written:
    /// finish this document and put the entry into another one.
    #[error("the document is full")]
    Full,
    /// With that the document would break a rule. Nothing of it was written.
    #[error("refused to write {detail} [{id}]: {wants}", id = rule.id, wants = rule.wants)]
    Refused {
        /// The rule.
        rule: &'static Rule,
        /// What it was broken with.
        detail: String,
    },
    /// The bytes could not be put where they belong.
    #[error("the document could not be written")]
    Io(#[from] io::Error),
}
