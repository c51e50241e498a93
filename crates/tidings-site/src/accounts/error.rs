//! Why accounts could not be read or changed.

use std::io;
use std::path::{Path, PathBuf};

/// Why accounts could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountsError {
    /// An account without a name.
    #[error("an account needs a name")]
    NoName,
    /// There is one of that name.
    #[error("there is an account {0:?} already; take another name")]
    Exists(String),
    /// There is none of that name.
    #[error("there is no account {0:?}")]
    Unknown(String),
    /// Nobody could change anything any more.
    #[error("{0:?} is the only one who may change things; make somebody else an admin first")]
    LastAdmin(String),
    /// The file was written by a later version of the program.
    #[error(
        "{} is of version {version}, and this program knows versions up to {known}; \
         use the program that wrote it, or a newer one", path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: i64,
        /// The latest that is known.
        known: i64,
    },
    /// The file or its folder could not be made.
    #[error("{} could not be made for the owner alone: {source}", path.display())]
    Io {
        /// The file or the folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file could not be read or written.
    #[error("{}: {source}", path.display())]
    Sql {
        /// The file; empty within this crate.
        path: PathBuf,
        /// What the database says.
        source: rusqlite::Error,
    },
}

impl AccountsError {
    pub(super) fn at(path: &Path) -> impl Fn(rusqlite::Error) -> Self {
        |source| Self::Sql { path: path.to_owned(), source }
    }

    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::Io { path: path.to_owned(), source }
    }

    /// The same with the file's name, where it is not there.
    pub(super) fn placed(self, path: &Path) -> Self {
        match self {
            Self::Sql { source, .. } => Self::Sql { path: path.to_owned(), source },
            other => other,
        }
    }
}

impl From<rusqlite::Error> for AccountsError {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sql { path: PathBuf::new(), source }
    }
}
