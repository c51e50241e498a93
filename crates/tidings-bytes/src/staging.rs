//! Files that are not visible yet.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, Timespec, Timestamps};
use tidings_document::Moment;

use crate::{ByteStoreError, FileStamp};

/// A local folder of files on their way into a store. It belongs to one thread.
#[derive(Debug)]
pub struct StagingArea {
    folder: Arc<OwnedFd>,
    next: u64,
}

/// A file in a [`StagingArea`]. It is known by its folder and its name: to look up a long path for each of
/// many small files takes a tenth of their time.
#[derive(Debug, Clone)]
pub struct StagedFile {
    folder: Arc<OwnedFd>,
    name: String,
}

impl StagingArea {
    /// Opens a folder as a staging area, and makes it if it is not there.
    pub fn open(path: &Path) -> Result<Self, ByteStoreError> {
        std::fs::create_dir_all(path).map_err(ByteStoreError::io("could not make", path))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| ByteStoreError::io("could not open", path)(error.into()))?;
        Ok(Self { folder: Arc::new(folder), next: 0 })
    }

    /// Makes a file, to be written and read.
    pub fn create(&mut self) -> io::Result<(StagedFile, File)> {
        let staged = StagedFile { folder: Arc::clone(&self.folder), name: self.next.to_string() };
        self.next += 1;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let file = rustix::fs::openat(&self.folder, staged.name.as_str(), flags, mode)?;
        Ok((staged, file.into()))
    }

    /// The file of that name, for one process at a time: it is locked as long as it is open.
    pub fn claim(&self, name: &str, create: bool) -> io::Result<(StagedFile, File)> {
        let mut flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        flags.set(OFlags::CREATE, create);
        let mode = Mode::from_raw_mode(0o666);
        let file = rustix::fs::openat(&self.folder, name, flags, mode)?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        // Whoever had the lock before may have moved it.
        let found = rustix::fs::statat(&self.folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if found.st_ino != rustix::fs::fstat(&file)?.st_ino {
            return Err(io::ErrorKind::NotFound.into());
        }
        let staged = StagedFile { folder: Arc::clone(&self.folder), name: name.to_owned() };
        Ok((staged, file.into()))
    }

    /// Moves a file of another staging area into this one.
    pub fn take_in(&mut self, other: &StagedFile) -> io::Result<StagedFile> {
        let staged = StagedFile { folder: Arc::clone(&self.folder), name: self.next.to_string() };
        self.next += 1;
        rustix::fs::renameat(other.folder(), other.name(), staged.folder(), staged.name())?;
        Ok(staged)
    }

    /// Sets the time of a file, and answers with its stamp.
    pub fn finish(file: &File, lastmod: Option<Moment>) -> io::Result<FileStamp> {
        if let Some(lastmod) = lastmod {
            let time =
                Timespec { tv_sec: lastmod.unix_seconds(), tv_nsec: i64::from(lastmod.nanos()) };
            let times = Timestamps { last_access: time, last_modification: time };
            // A time that the file system cannot hold is no reason to go without the bytes.
            let _ = rustix::fs::futimens(file, &times);
        }
        Ok(FileStamp::of(&rustix::fs::fstat(file)?))
    }
}

impl StagedFile {
    pub(crate) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Opens it for reading.
    pub fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.folder, self.name.as_str(), flags, Mode::empty())?.into())
    }

    /// Removes a file that came to nothing.
    pub fn discard(&self) {
        let _ = rustix::fs::unlinkat(&self.folder, self.name.as_str(), AtFlags::empty());
    }
}
