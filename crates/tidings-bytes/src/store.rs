//! The seam between what copies files and where the files live.
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

    /// Opens a file for reading.
    fn open(&mut self, path: &str) -> io::Result<Box<dyn Read + Send>>;

    /// The length and SHA-256 of the bytes of a file. A store that computes digests by itself may answer
    /// without handing out the bytes.
    fn digest(&mut self, path: &str) -> io::Result<FileDigest> {
        let mut file = self.open(path)?;
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
}

/// The place of the files of a copy. Only one process writes to a store at a time.
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

    /// Deletes a file, and the folders that are empty then. That there is none is no error.
    fn delete(&mut self, path: &str) -> Result<(), ByteStoreError>;

    /// Moves a file below a folder of the store's own state, where [`ByteStore::list`] does not see it.
    /// That there is none is no error.
    fn set_aside(&mut self, path: &str, folder: &str) -> Result<(), ByteStoreError>;

    /// Shows each file that is visible, in no particular order, until told to stop.
    fn list(&mut self, visit: &mut dyn FnMut(ListedFile<'_>) -> ControlFlow<()>);

    /// Makes durable what was staged, committed and deleted until now: one call for many files.
    fn sync(&self) -> Result<(), ByteStoreError>;

    /// The path or URL by which a person finds a file.
    fn location(&self, path: &str) -> PathBuf;

    /// True if the store takes `a` and `A` for one name.
    fn ignores_case(&self) -> bool;
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
