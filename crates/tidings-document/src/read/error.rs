//! Why a document cannot be read to its end.

use std::io;

use crate::Finding;

/// What ends the reading of a document before its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The document itself is the reason; nothing in it can be relied on.
    #[error("{0}")]
    Document(Box<Finding>),
    /// The bytes could not be had.
    #[error("the bytes of the document could not be had")]
    Io(#[from] io::Error),
}

impl ReadError {
    /// The finding, where the document is the reason.
    pub fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Document(finding) => Some(finding),
            Self::Io(_) => None,
        }
    }
}
