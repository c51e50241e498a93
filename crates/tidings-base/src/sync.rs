//! Brings files, folders and file systems onto the disk.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::Access;

/// A file that could not be put into its place, or a folder that could not be synced.
#[derive(Debug)]
pub struct PlaceError {
    /// The place.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
}

impl PlaceError {
    fn new(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { path: path.to_owned(), source }
    }
}

/// Gives a file its permissions and brings it onto the disk.
///
/// # Errors
/// If the file cannot be opened, changed or written.
pub fn sync_file(path: &Path, access: Access) -> io::Result<()> {
    let file = File::open(path)?;
    access.apply(&file, None)?;
    file.sync_all()
}

/// Brings the names in a folder onto the disk. The empty path is the current folder.
///
/// # Errors
/// If the folder cannot be opened or written.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// Brings the names of files onto the disk: each folder that they are in once.
///
/// # Errors
/// If a folder cannot be opened or written.
pub fn sync_parents<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<(), PlaceError> {
    let folders: BTreeSet<&Path> = files.into_iter().map(parent_of).collect();
    for folder in folders {
        sync_folder(folder).map_err(PlaceError::new(folder))?;
    }
    Ok(())
}

/// Brings all that was written to the file system of an open file or folder onto the disk: one call for
/// many files.
///
/// # Errors
/// If the file system cannot be written.
pub fn sync_file_system(handle: impl AsFd) -> io::Result<()> {
    Ok(rustix::fs::syncfs(handle)?)
}

/// The folder that a file is in, which is `.` for a name alone.
#[must_use]
pub fn parent_of(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_is_in_the_current_folder() {
        assert_eq!(parent_of(Path::new("a")), Path::new("."));
        assert_eq!(parent_of(Path::new("a/b")), Path::new("a"));
        assert_eq!(parent_of(Path::new("/")), Path::new("."));
        sync_folder(Path::new("")).unwrap();
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let error = sync_parents([missing.join("a").as_path()]).unwrap_err();
        assert_eq!(error.path, missing);
        assert_eq!(error.source.kind(), io::ErrorKind::NotFound);
    }
}
