//! A store that takes so many files, and then no more.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;

use tidings_bytes::{
    ByteReader, ByteStore, ByteStoreError, CommitOutcome, FileStamp, FolderEntry, ListedFile,
    Occupant, StagedFile, StagingArea,
};

use crate::memory::MemoryStore;

pub(crate) struct FailingStore {
    store: MemoryStore,
    commits_left: usize,
}

impl FailingStore {
    pub(crate) fn new(store: MemoryStore, commits: usize) -> Self {
        Self { store, commits_left: commits }
    }
}

impl ByteReader for FailingStore {
    fn stamp(&mut self, path: &str) -> Option<FileStamp> {
        self.store.stamp(path)
    }

    fn occupant(&mut self, path: &str) -> Result<Occupant, ByteStoreError> {
        self.store.occupant(path)
    }

    fn version(&mut self, path: &str) -> Option<Vec<u8>> {
        self.store.version(path)
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        self.store.open(path)
    }
}

impl ByteStore for FailingStore {
    fn reader(&self) -> Result<Box<dyn ByteReader>, ByteStoreError> {
        self.store.reader()
    }

    fn staging_area(&self) -> Result<StagingArea, ByteStoreError> {
        self.store.staging_area()
    }

    fn commit(
        &mut self,
        file: &StagedFile,
        path: &str,
        sha256: &[u8; 32],
        replaces: bool,
    ) -> Result<CommitOutcome, ByteStoreError> {
        match self.commits_left.checked_sub(1) {
            Some(left) => self.commits_left = left,
            None => {
                let source = io::ErrorKind::StorageFull.into();
                return Err(ByteStoreError::Io {
                    what: "could not write",
                    path: path.into(),
                    source,
                });
            }
        }
        self.store.commit(file, path, sha256, replaces)
    }

    fn delete(&mut self, path: &str) -> Result<(), ByteStoreError> {
        self.store.delete(path)
    }

    fn set_aside(&mut self, path: &str, folder: &str) -> Result<(), ByteStoreError> {
        self.store.set_aside(path, folder)
    }

    fn list(&mut self, visit: &mut dyn FnMut(ListedFile<'_>) -> ControlFlow<()>) {
        self.store.list(visit);
    }

    fn list_folder(
        &mut self,
        folder: &str,
        visit: &mut dyn FnMut(FolderEntry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ByteStoreError> {
        self.store.list_folder(folder, visit)
    }

    fn sync(&self) -> Result<(), ByteStoreError> {
        self.store.sync()
    }

    fn location(&self, path: &str) -> PathBuf {
        self.store.location(path)
    }

    fn ignores_case(&self) -> bool {
        self.store.ignores_case()
    }
}
