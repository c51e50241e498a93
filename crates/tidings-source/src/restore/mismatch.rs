//! How a file of the last publication differs from what is said of it.

/// The reason why a file is not the one that is listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileMismatch {
    /// It is not there.
    #[error("it is listed, but not there")]
    Missing,
    /// One document lists it as one thing, another as another.
    #[error("it is listed as two things at once")]
    TwoRoles,
    /// It is a page for people.
    #[error("it is an HTML page")]
    Page,
    /// It came in a coding that nobody asked for.
    #[error("its coding is {coding}, and none was asked for")]
    Coding {
        /// The coding.
        coding: String,
    },
    /// It came compressed, and cannot be unpacked.
    #[error("it cannot be unpacked: {reason}")]
    Unpack {
        /// Why.
        reason: String,
    },
    /// It is not a document.
    #[error("it cannot be read: {reason}")]
    Unreadable {
        /// Why.
        reason: String,
    },
    /// It is a document of another kind.
    #[error("it is listed as another kind of document than {kind}")]
    Kind {
        /// The kind that it is.
        kind: String,
    },
    /// It is an index where there can be none.
    #[error("it is an index, and should not be")]
    Index,
    /// It has other times.
    #[error("its times are not those that are said of it where it is listed")]
    Times,
    /// It has more bytes than are said.
    #[error("it has more than the {said} bytes that are said of it")]
    Longer {
        /// How many are said.
        said: u64,
    },
    /// It has fewer bytes than are said.
    #[error("it has {length} bytes, and {said} are said of it")]
    Shorter {
        /// How many it has.
        length: u64,
        /// How many are said.
        said: u64,
    },
    /// It has more bytes than are taken.
    #[error("it has more than {limit} bytes")]
    TooLong {
        /// How many are taken.
        limit: u64,
    },
    /// Its digest is another one.
    #[error("its sha-256 is not the one that is said of it")]
    Digest,
    /// It is a package, of which a digest must be said.
    #[error("no sha-256 is said of it")]
    NoDigest,
}
