//! What can go wrong.

use std::io;
use std::sync::Arc;

/// Why the state could not be read or changed. Each says where the state is, without the password
/// of a database. It can be cloned because writes that are made durable together fail together.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The lease went to somebody else; nothing was written.
    #[error("the lease of {host} went to somebody else: nothing was written")]
    Fenced {
        /// The host.
        host: String,
    },

    /// There is no state yet.
    #[error("there is no state in {place}: follow a site first")]
    Missing {
        /// Where it should be.
        place: String,
    },

    /// There is state already, and it may not be replaced.
    #[error("{place} cannot be used: there is state already")]
    Exists {
        /// Where it is.
        place: String,
    },

    /// The state was written by a newer program.
    #[error(
        "{place} has the tables of version {found}, and this tidings knows them up to version \
         {known}: use a newer tidings"
    )]
    Newer {
        /// Where the state is.
        place: String,
        /// The version of its tables.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },

    /// What is there is not, or no longer, what was written.
    #[error("{place} is damaged, or is no state of tidings: {detail}; restore it from a backup")]
    Damaged {
        /// Where the state is.
        place: String,
        /// What is wrong with it.
        detail: String,
    },

    /// The state can be read but not changed.
    #[error("{place} can only be read: make the file and its folder writable for this user")]
    ReadOnly {
        /// Where the state is.
        place: String,
    },

    /// The folder or its file cannot be used.
    #[error("{place} cannot be used: check that it is a folder, and whose it is")]
    Inaccessible {
        /// Where the state should be.
        place: String,
        /// What the system says.
        source: Arc<io::Error>,
    },

    /// There is no room left.
    #[error("there is no room left for {place}: nothing was written; free some space")]
    Full {
        /// Where the state is.
        place: String,
    },

    /// Somebody else kept the state locked for too long.
    #[error(
        "{place} is busy: {detail}; nothing was written, try again or see who else works on it"
    )]
    Busy {
        /// Where the state is.
        place: String,
        /// What was waited for.
        detail: String,
    },

    /// The database's server does not answer, or not any more.
    #[error(
        "{place} cannot be reached: {detail}; check that the server runs and can be connected to"
    )]
    Unreachable {
        /// Where the state is.
        place: String,
        /// What was seen of it.
        detail: String,
    },

    /// The database's server does not let us in, or what it is called by makes no sense.
    #[error("{place} cannot be used: {detail}")]
    Refused {
        /// Where the state is.
        place: String,
        /// Why, and what to do.
        detail: String,
    },

    /// Anything else that the database says.
    #[error("{place}: {detail}")]
    Failed {
        /// Where the state is.
        place: String,
        /// What it says.
        detail: String,
    },

    /// The program itself failed at it, and has said so where it says such things.
    #[error("{place}: the program made a mistake and may have to be started again")]
    Stopped {
        /// Where the state is.
        place: String,
    },
}

/// What comes of asking the store something.
pub(crate) type Result<T> = std::result::Result<T, StoreError>;
