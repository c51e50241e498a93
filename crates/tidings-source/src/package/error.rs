//! Why there is no package.

use std::fmt;
use std::io;
use std::path::PathBuf;

use tidings_document::{Digest, WriteError};

/// What keeps a package from being written. What was written of it is to be thrown away.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PackageError {
    /// A file is not what its entry says: it changed since the list was made. Make the list anew.
    #[error("{path} changed since it was listed: {difference}")]
    Changed {
        /// The file.
        path: PathBuf,
        /// What gave it away.
        difference: Difference,
    },
    /// A file could not be read; where it is not there any more, make the list anew.
    #[error("could not read {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The package could not be opened or written.
    #[error("could not write package {number}")]
    Write {
        /// Its place among the packages, from 0.
        number: usize,
        /// Why.
        source: io::Error,
    },
    /// The head is not one of a manifest.
    #[error("a package holds the manifest of a Resource Dump or a Change Dump, not a {title}")]
    Head {
        /// What it is a head of.
        title: String,
    },
    /// The manifest would break a rule.
    #[error("could not write the manifest")]
    Manifest {
        /// Which.
        source: WriteError,
    },
    /// There is no more room, and only the caller can say what interval the next package is of.
    /// Nothing of the entry was taken: begin the next, then give the entry again.
    #[error("the package is full")]
    Full,
    /// A package failed before; another one would not make up for what that one was to hold.
    #[error("an earlier package failed")]
    Failed,
}

/// How a file was seen to be another one than its entry says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// It is shorter or longer.
    Length {
        /// The length that it should have.
        said: u64,
    },
    /// It is as long, but other bytes.
    Digest {
        /// The digest that it should have.
        said: Digest,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { said } => write!(f, "its length is not {said} any more"),
            Self::Digest { said } => write!(f, "its digest is not {said} any more"),
        }
    }
}
