//! Why a document could not be checked.

use std::io;

use tidings_web::{FetchError, Url};

/// Why a document could not be checked. What is wrong within one is no error.
#[derive(Debug, thiserror::Error)]
pub(super) enum CheckError {
    /// It could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// Its server had nothing to send.
    #[error("{0} was not sent")]
    NotSent(Url),
    /// It was fetched, and could not be read again.
    #[error("{url} could not be read: {error}")]
    Read { url: Url, error: io::Error },
    /// A file that somebody sent could not be read again.
    #[error("the file could not be read: {0}")]
    File(io::Error),
    /// A file that somebody sent is larger than any reader takes.
    #[error("the file is larger than {mib} MiB")]
    TooLarge { mib: u64 },
    /// The check panicked.
    #[error("the check broke off: this is a fault of tidings")]
    Broken,
}
