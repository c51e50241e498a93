//! Why a copy could not be exported.

use std::io;
use std::path::{Path, PathBuf};

use tidings_base::parent_of;

use crate::SyncError;

/// What stops an export. Nothing is left under the name of the bag.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The copy could not be read.
    #[error(transparent)]
    Copy(#[from] SyncError),
    /// A URL was given where a folder is wanted.
    #[error("a bag is a folder of this machine, and {target} is a URL; give a path")]
    Url {
        /// What was given.
        target: String,
    },
    /// The folder of the bag exists.
    #[error("{} exists already; choose another name, or remove it first", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The bag would be part of the copy.
    #[error("{} is inside the copy in {}; choose a folder outside of it", path.display(), folder.display())]
    InsideCopy {
        /// The folder of the bag.
        path: PathBuf,
        /// The copy.
        folder: PathBuf,
    },
    /// A file of the copy is not what was recorded.
    #[error("{reason}: {} ({uri}); repair the copy, then export it again", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Its resource.
        uri: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something could not be read or written.
    #[error("{what} {}", path.display())]
    Io {
        /// What could not be done.
        what: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl ExportError {
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }
}

/// Sees before anything is written that the bag can be there.
pub(super) fn check_target(out: &Path, folder: &Path) -> Result<(), ExportError> {
    if let Some(target) = out.to_str().filter(|text| text.contains("://")) {
        return Err(ExportError::Url { target: target.to_owned() });
    }
    if out.symlink_metadata().is_ok() {
        return Err(ExportError::Exists { path: out.to_owned() });
    }
    let real = |path: &Path| path.canonicalize().map_err(ExportError::io("could not open", path));
    if real(parent_of(out))?.starts_with(real(folder)?) {
        let (path, folder) = (out.to_owned(), folder.to_owned());
        return Err(ExportError::InsideCopy { path, folder });
    }
    Ok(())
}
