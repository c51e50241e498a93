//! Why the server could not begin, or go on.

use std::io;
use std::net::SocketAddr;

/// Why the server could not begin, or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address is not to be had.
    #[error("could not listen on {address}: {error}; is another server running?")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        error: io::Error,
    },
    /// The base URL is none.
    #[error(
        "{base:?} is no base URL: it has to begin with http:// or https://, without user or query"
    )]
    Base {
        /// What was given, unless there may be a password in it.
        base: String,
    },
    /// What is known could not be read.
    #[error("{0}")]
    Store(#[from] tidings_store::StoreError),
}
