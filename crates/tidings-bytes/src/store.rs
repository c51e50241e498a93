//! The seam between what copies or publishes files and where the files live.
//!
//! Paths are relative, with `/` between their segments. A file becomes visible under its path in one
//! step, with all of its bytes: [`ByteStore::commit`]. Bytes wait for that in local files
//! ([`StagingArea`]) whatever the store is: they are verified there, patches and packages need to seek
//! in them, and a store far away never holds a part of a file.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::{ByteStoreError, StagedFile, StagingArea};

/// The size of the buffer through which a file is read.
const BUFFER_BYTES: usize = 64 << 10;

/// Reads the files of a store. Each thread has a reader of its own.
pub trait ByteReader: Send {
    /// The length and time of a file; none if there is no file under that path.
    fn stamp(&mut self, path: &str) -> Option<FileStamp>;

    /// Tells whether a file, a folder or nothing is found under a path.
    fn occupant(&mut self, path: &str) -> Result<Occupant, ByteStoreError>;

    /// Bytes that are the same as long as the file surely is: an entity tag, or what a file system knows of
    /// the file without reading it. None if there is no file under that path.
    fn version(&mut self, path: &str) -> Option<Vec<u8>>;

    /// Opens a file for reading.
    fn open(&mut self, path: &str) -> io::Result<Box<dyn Read + Send>>;

    /// The length and SHA-256 of the bytes of a file. A store that computes digests by itself may answer
    /// without handing out the bytes.
    fn digest(&mut self, path: &str) -> io::Result<FileDigest> {
        digest_of(&mut self.open(path)?)
    }
}

/// The place of the files of a copy, or of the documents of a publication. Only one process writes to a store
/// at a time.
pub trait ByteStore: ByteReader {
    /// A reader for another thread.
    fn reader(&self) -> Result<Box<dyn ByteReader>, ByteStoreError>;

    /// A place for files that are not visible yet. Each thread has one of its own.
    fn staging_area(&self) -> Result<StagingArea, ByteStoreError>;

    /// Makes a staged file visible under a path, whole. What is there is replaced only if `replaces`
    /// says so. The SHA-256 is that of the staged bytes: a store that takes a copy of them verifies the
    /// copy.
    fn commit(
        &mut self,
        file: &StagedFile,
        path: &str,
        sha256: &[u8; 32],
        replaces: bool,
    ) -> Result<CommitOutcome, ByteStoreError>;

    /// Makes staged files visible under their paths, in this order, and durable. Files that are there are
    /// replaced. None becomes visible before the bytes of all are durable. Where one cannot, the files before
    /// it are visible, and the others are discarded.
    fn commit_all(&mut self, files: Vec<(StagedFile, String)>) -> Result<(), ByteStoreError> {
        let committed = self
            .sync()
            .and_then(|()| files.iter().try_for_each(|(file, path)| replace(self, file, path)));
        files.iter().for_each(|(file, _)| file.discard());
        committed.and_then(|()| self.sync())
    }

    /// Deletes a file, and the folders that are empty then. That there is none is no error.
    fn delete(&mut self, path: &str) -> Result<(), ByteStoreError>;

    /// Moves a file below a folder of the store's own state, where [`ByteStore::list`] does not see it.
    /// That there is none is no error.
    fn set_aside(&mut self, path: &str, folder: &str) -> Result<(), ByteStoreError>;

    /// Shows each file that is visible, in no particular order, until told to stop.
    fn list(&mut self, visit: &mut dyn FnMut(ListedFile<'_>) -> ControlFlow<()>);

    /// Shows the files and folders right in a folder, in no particular order, until told to stop. The empty
    /// path is the folder above all. That there is none is no error.
    fn list_folder(
        &mut self,
        folder: &str,
        visit: &mut dyn FnMut(FolderEntry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ByteStoreError>;

    /// Makes durable what was staged, committed and deleted until now: one call for many files.
    fn sync(&self) -> Result<(), ByteStoreError>;

    /// The path or URL by which a person finds a file.
    fn location(&self, path: &str) -> PathBuf;

    /// True if the store takes `a` and `A` for one name.
    fn ignores_case(&self) -> bool;
}

/// Commits a file in place of whatever file is there.
fn replace<S: ByteStore + ?Sized>(
    store: &mut S,
    file: &StagedFile,
    path: &str,
) -> Result<(), ByteStoreError> {
    let location = store.location(path);
    let failed = |source| ByteStoreError::io("could not write", &location)(source);
    let digest = file.open().and_then(|mut file| digest_of(&mut file)).map_err(failed)?;
    match store.commit(file, path, &digest.sha256, true)? {
        CommitOutcome::Done => Ok(()),
        CommitOutcome::Taken => Err(failed(io::ErrorKind::IsADirectory.into())),
    }
}

/// The length and SHA-256 of all that can be read.
fn digest_of(file: &mut dyn Read) -> io::Result<FileDigest> {
    let (mut hasher, mut length, mut buffer) = (Sha256::new(), 0, vec![0; BUFFER_BYTES]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(FileDigest { length, sha256: hasher.finalize().into() }),
            Ok(count) => {
                hasher.update(&buffer[..count]);
                length += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The length and time of a file, which a store knows without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// The length in bytes.
    pub length: u64,
    /// The time of the last modification, in nanoseconds since 1970.
    pub mtime: i64,
}

/// The length and SHA-256 of the bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileDigest {
    /// The length in bytes.
    pub length: u64,
    /// The SHA-256 of the bytes.
    pub sha256: [u8; 32],
}

/// The kind of thing that is found under a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occupant {
    /// Nothing: a file can be committed here.
    Nothing,
    /// A file.
    File,
    /// A folder: there are files below the path.
    Folder,
    /// The segment of that number is a file, so that nothing can be below it.
    BelowFile(usize),
    /// A link, a socket or the like.
    Other,
}

/// The outcome of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The file is visible under its path.
    Done,
    /// Something is under the path, or in its way, that may not be replaced. The staged file is as it was.
    Taken,
}

/// One file of a listing.
#[derive(Debug)]
pub enum ListedFile<'a> {
    /// A file, a link, a socket: whatever is no folder.
    File(&'a Path),
    /// A folder that could not be read.
    Unreadable(&'a Path, io::Error),
}

/// One name in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderEntry<'a> {
    /// A file, a link, a socket: whatever is no folder.
    File(&'a str),
    /// A folder.
    Folder(&'a str),
}
