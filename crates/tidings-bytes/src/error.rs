//! The errors of a store of files.

use std::io;
use std::path::{Path, PathBuf};

/// An error of a [`ByteStore`](crate::ByteStore).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ByteStoreError {
    /// Another process works on the store.
    #[error("another run is at work on {}; wait for it to end", path.display())]
    Locked {
        /// The place of the store.
        path: PathBuf,
    },
    /// A link lies where a folder or file should be. It is never followed.
    #[error("{} is a link, or leads through one, and is not followed; remove it", path.display())]
    LinkInTheWay {
        /// The link.
        path: PathBuf,
    },
    /// The system could not do something.
    #[error("{what} {}", path.display())]
    Io {
        /// The action that failed, such as "could not open".
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl ByteStoreError {
    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}
