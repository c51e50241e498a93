//! Files that are not part of the copy yet.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, Timespec, Timestamps};
use tidings_document::Moment;

use super::Stamp;
use crate::SyncError;

/// A folder of files on their way into the copy. Whatever is left in it is removed by the next run.
#[derive(Debug)]
pub(crate) struct Temporary {
    folder: Arc<OwnedFd>,
    next: u64,
}

/// Such a file. It is known by its folder and its number: to look up a long path for each of many small
/// files takes a tenth of their time.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    folder: Arc<OwnedFd>,
    name: String,
}

impl Temporary {
    pub(super) fn new(path: &Path) -> Result<Self, SyncError> {
        std::fs::create_dir_all(path).map_err(SyncError::io("could not make", path))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| SyncError::io("could not open", path)(error.into()))?;
        Ok(Self { folder: Arc::new(folder), next: 0 })
    }

    /// A new file, to be written and, if something goes wrong, read again.
    pub(crate) fn create(&mut self) -> io::Result<(Draft, File)> {
        let draft = Draft { folder: Arc::clone(&self.folder), name: self.next.to_string() };
        self.next += 1;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let file = rustix::fs::openat(&self.folder, draft.name.as_str(), flags, mode)?;
        Ok((draft, file.into()))
    }

    /// A file of that name, for whoever comes first: it is locked as long as it is open.
    pub(crate) fn claim(&self, name: &str, create: bool) -> io::Result<(Draft, File)> {
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
        let draft = Draft { folder: Arc::clone(&self.folder), name: name.to_owned() };
        Ok((draft, file.into()))
    }

    /// Moves a file of another folder into this one.
    pub(crate) fn take_in(&mut self, other: &Draft) -> io::Result<Draft> {
        let draft = Draft { folder: Arc::clone(&self.folder), name: self.next.to_string() };
        self.next += 1;
        rustix::fs::renameat(other.folder(), other.name(), draft.folder(), draft.name())?;
        Ok(draft)
    }

    /// Gives a file the time that the Source says, and says what the system says of it then.
    pub(crate) fn finish(file: &File, lastmod: Option<Moment>) -> io::Result<Stamp> {
        if let Some(lastmod) = lastmod {
            let time =
                Timespec { tv_sec: lastmod.unix_seconds(), tv_nsec: i64::from(lastmod.nanos()) };
            let times = Timestamps { last_access: time, last_modification: time };
            // A time that the file system cannot hold is no reason to go without the bytes.
            let _ = rustix::fs::futimens(file, &times);
        }
        Ok(Stamp::of(&rustix::fs::fstat(file)?))
    }
}

impl Draft {
    pub(super) fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Opens it for reading.
    pub(crate) fn open(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&self.folder, self.name.as_str(), flags, Mode::empty())?.into())
    }

    /// Removes a file that came to nothing.
    pub(crate) fn discard(&self) {
        let _ = rustix::fs::unlinkat(&self.folder, self.name.as_str(), AtFlags::empty());
    }
}
