//! Many files that take their places together.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::{Access, sync_file, sync_file_system, sync_parents};

/// From how many files on the whole file system is synced at once.
const MIN_FILES_FOR_FILE_SYSTEM: usize = 16;

/// Files that are written beside their places. They do not stay open: there may be more of them than files
/// may be open.
#[derive(Debug)]
pub struct FileBatch {
    files: Vec<(TempPath, PathBuf)>,
    access: Access,
}

/// A file that could not be put into its place, or a folder that could not be synced.
#[derive(Debug)]
pub struct PlaceError {
    /// The place.
    pub path: PathBuf,
    /// The cause.
    pub source: io::Error,
}

impl PlaceError {
    pub(crate) fn new(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { path: path.to_owned(), source }
    }
}

impl FileBatch {
    /// An empty batch.
    #[must_use]
    pub fn new(access: Access) -> Self {
        Self { files: Vec::new(), access }
    }

    /// Adds a file with the path that it is to have.
    pub fn push(&mut self, file: TempPath, target: PathBuf) {
        self.files.push((file, target));
    }

    /// Puts all files into their places, in the order in which they were added: first the bytes of all are
    /// brought onto the disk, then the files are renamed, then the names are brought onto the disk.
    ///
    /// # Errors
    /// If a file or folder cannot be written. Files that were renamed before stay where they are.
    pub fn commit(self) -> Result<(), PlaceError> {
        self.sync()?;
        let mut targets = Vec::with_capacity(self.files.len());
        for (file, target) in self.files {
            file.persist(&target).map_err(|error| PlaceError::new(&target)(error.error))?;
            targets.push(target);
        }
        sync_parents(targets.iter().map(PathBuf::as_path))
    }

    fn sync(&self) -> Result<(), PlaceError> {
        if self.files.len() < MIN_FILES_FOR_FILE_SYSTEM {
            for (file, target) in &self.files {
                sync_file(file, self.access).map_err(PlaceError::new(target))?;
            }
            return Ok(());
        }
        let mut last = None;
        for (file, target) in &self.files {
            let permit = || -> io::Result<File> {
                let open = File::open(file)?;
                self.access.apply(&open, None)?;
                Ok(open)
            };
            last = Some((permit().map_err(PlaceError::new(target))?, target));
        }
        match last {
            Some((file, target)) => sync_file_system(&file).map_err(PlaceError::new(target)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn batch(folder: &Path, count: usize) -> FileBatch {
        let mut batch = FileBatch::new(Access::Everybody);
        for number in 0..count {
            let mut file = tempfile::NamedTempFile::new_in(folder).unwrap();
            write!(file, "{number}").unwrap();
            batch.push(file.into_temp_path(), folder.join(format!("f{number}")));
        }
        batch
    }

    #[test]
    fn few_and_many_files_come_to_their_places() {
        for count in [0, 1, MIN_FILES_FOR_FILE_SYSTEM - 1, MIN_FILES_FOR_FILE_SYSTEM, 40] {
            let folder = tempfile::tempdir().unwrap();
            batch(folder.path(), count).commit().unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), count);
            for number in 0..count {
                let path = folder.path().join(format!("f{number}"));
                assert_eq!(fs::read_to_string(&path).unwrap(), number.to_string());
                assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
            }
        }
    }

    #[test]
    fn a_place_that_is_taken_by_a_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("f1")).unwrap();
        let error = batch(folder.path(), 3).commit().unwrap_err();
        assert_eq!(error.path, folder.path().join("f1"));
        // What was not renamed is gone.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        assert!(folder.path().join("f0").is_file());
    }
}
