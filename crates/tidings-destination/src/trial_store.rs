//! A store whose files nobody changes: that of a dry run.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tidings_bytes::{
    ByteReader, ByteStore, ByteStoreError, CommitOutcome, FileStamp, FolderEntry, FolderStore,
    ListedFile, Occupant, StagedFile, StagingArea,
};

/// Reads the files of a folder, and leaves every change of them out.
pub(crate) struct TrialStore {
    folder: PathBuf,
    /// None where there is no folder yet.
    files: Option<FolderStore>,
}

impl TrialStore {
    /// Opens a folder. A copy in it is locked, so that no run changes it meanwhile.
    pub(crate) fn open(folder: &Path) -> Result<Self, ByteStoreError> {
        let files = match FolderStore::exists(folder) {
            true => Some(FolderStore::open(folder)?),
            false => FolderStore::open_read_only(folder).ok(),
        };
        Ok(Self { folder: folder.to_owned(), files })
    }
}

impl ByteReader for TrialStore {
    fn stamp(&mut self, path: &str) -> Option<FileStamp> {
        self.files.as_mut()?.stamp(path)
    }

    fn occupant(&mut self, path: &str) -> Result<Occupant, ByteStoreError> {
        self.files.as_mut().map_or(Ok(Occupant::Nothing), |files| files.occupant(path))
    }

    fn version(&mut self, path: &str) -> Option<Vec<u8>> {
        self.files.as_mut()?.version(path)
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        match &mut self.files {
            Some(files) => files.open(path),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl ByteStore for TrialStore {
    fn reader(&self) -> Result<Box<dyn ByteReader>, ByteStoreError> {
        match &self.files {
            Some(files) => files.reader(),
            None => Ok(Box::new(Self { folder: self.folder.clone(), files: None })),
        }
    }

    fn staging_area(&self) -> Result<StagingArea, ByteStoreError> {
        match &self.files {
            Some(files) => files.staging_area(),
            None => Err(ByteStoreError::Io {
                what: "could not make a file in",
                path: self.folder.clone(),
                source: io::ErrorKind::NotFound.into(),
            }),
        }
    }

    fn commit(
        &mut self,
        _: &StagedFile,
        _: &str,
        _: &[u8; 32],
        _: bool,
    ) -> Result<CommitOutcome, ByteStoreError> {
        Ok(CommitOutcome::Done)
    }

    fn delete(&mut self, _: &str) -> Result<(), ByteStoreError> {
        Ok(())
    }

    fn set_aside(&mut self, _: &str, _: &str) -> Result<(), ByteStoreError> {
        Ok(())
    }

    fn list(&mut self, visit: &mut dyn FnMut(ListedFile<'_>) -> ControlFlow<()>) {
        if let Some(files) = &mut self.files {
            files.list(visit);
        }
    }

    fn list_folder(
        &mut self,
        folder: &str,
        visit: &mut dyn FnMut(FolderEntry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ByteStoreError> {
        self.files.as_mut().map_or(Ok(()), |files| files.list_folder(folder, visit))
    }

    fn sync(&self) -> Result<(), ByteStoreError> {
        Ok(())
    }

    fn location(&self, path: &str) -> PathBuf {
        match &self.files {
            Some(files) => files.location(path),
            None => self.folder.join(path),
        }
    }

    fn ignores_case(&self) -> bool {
        self.files.as_ref().is_some_and(FolderStore::ignores_case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_done_to_it_changes_a_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "one").unwrap();
        let mut store = TrialStore::open(folder.path()).unwrap();
        store.delete("a").unwrap();
        store.set_aside("a", "trash").unwrap();
        assert_eq!(store.stamp("a").unwrap().length, 3);
        assert_eq!(store.occupant("a").unwrap(), Occupant::File);
        let names: Vec<_> = folder.path().read_dir().unwrap().flatten().collect();
        assert_eq!(names.len(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_has_no_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("copy");
        let mut store = TrialStore::open(&path).unwrap();
        assert_eq!(store.occupant("a").unwrap(), Occupant::Nothing);
        assert!(store.stamp("a").is_none() && store.open("a").is_err());
        assert!(!path.exists());
    }
}
