//! Files that are not visible yet.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, Timespec, Timestamps};
use tempfile::TempDir;
use tidings_base::TEMPORARY_PREFIX;
use tidings_document::Moment;

use crate::{ByteStoreError, FileStamp};

/// A local folder of files on their way into a store. It belongs to one thread.
#[derive(Debug)]
pub struct StagingArea {
    /// Of an area whose folder is not made before its first file.
    parent: PathBuf,
    folder: OnceLock<Arc<StagingFolder>>,
    next: u64,
}

/// A file in a [`StagingArea`]. It is known by its folder and its name: to look up a long path for each of
/// many small files takes a tenth of their time.
#[derive(Debug, Clone)]
pub struct StagedFile {
    folder: Arc<StagingFolder>,
    name: String,
}

/// The folder of a staging area.
#[derive(Debug)]
struct StagingFolder {
    handle: OwnedFd,
    /// Removed with the last file that is known to be in it.
    _temporary: Option<TempDir>,
}

impl StagingFolder {
    fn open(path: &Path, temporary: Option<TempDir>) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty())?;
        Ok(Self { handle, _temporary: temporary })
    }

    fn temporary(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix(TEMPORARY_PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)?;
        let path = folder.path().to_owned();
        Self::open(&path, Some(folder))
    }

    fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let mode = Mode::from_raw_mode(0o666);
        Ok(rustix::fs::openat(&self.handle, name, flags | OFlags::CLOEXEC, mode)?.into())
    }
}

impl StagingArea {
    /// Opens a folder as a staging area, and makes it if it is not there.
    pub fn open(path: &Path) -> Result<Self, ByteStoreError> {
        std::fs::create_dir_all(path).map_err(ByteStoreError::io("could not make", path))?;
        let folder =
            StagingFolder::open(path, None).map_err(ByteStoreError::io("could not open", path))?;
        Ok(Self { parent: PathBuf::new(), folder: OnceLock::from(Arc::new(folder)), next: 0 })
    }

    /// A staging area in a new folder below `parent`, for the eyes of its owner alone. The folder is made
    /// with the first file, and is gone with the area and its files.
    #[must_use]
    pub fn temporary_in(parent: &Path) -> Self {
        Self { parent: parent.to_owned(), folder: OnceLock::new(), next: 0 }
    }

    /// A staging area among the temporary files of the system, for files that no store will get.
    #[must_use]
    pub fn temporary() -> Self {
        Self::temporary_in(&std::env::temp_dir())
    }

    fn folder(&self) -> io::Result<&Arc<StagingFolder>> {
        if self.folder.get().is_none() {
            let _ = self.folder.set(Arc::new(StagingFolder::temporary(&self.parent)?));
        }
        self.folder.get().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn next_file(&mut self) -> io::Result<StagedFile> {
        let staged = StagedFile { folder: Arc::clone(self.folder()?), name: self.next.to_string() };
        self.next += 1;
        Ok(staged)
    }

    /// Makes a file, to be written and read.
    pub fn create(&mut self) -> io::Result<(StagedFile, File)> {
        let staged = self.next_file()?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let file = staged.folder.file(&staged.name, flags)?;
        Ok((staged, file))
    }

    /// The file of that name, for one process at a time: it is locked as long as it is open.
    pub fn claim(&self, name: &str, create: bool) -> io::Result<(StagedFile, File)> {
        let mut flags = OFlags::RDWR | OFlags::NOFOLLOW;
        flags.set(OFlags::CREATE, create);
        let folder = self.folder()?;
        let file = folder.file(name, flags)?;
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        // Whoever had the lock before may have moved it.
        let found = rustix::fs::statat(&folder.handle, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if found.st_ino != rustix::fs::fstat(&file)?.st_ino {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok((StagedFile { folder: Arc::clone(folder), name: name.to_owned() }, file))
    }

    /// Moves a file of another staging area into this one.
    pub fn take_in(&mut self, other: &StagedFile) -> io::Result<StagedFile> {
        let staged = self.next_file()?;
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
        self.folder.handle.as_fd()
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Opens it for reading.
    pub fn open(&self) -> io::Result<File> {
        self.folder.file(&self.name, OFlags::RDONLY)
    }

    /// Opens it for writing at its end.
    pub fn append(&self) -> io::Result<File> {
        self.folder.file(&self.name, OFlags::WRONLY | OFlags::APPEND)
    }

    /// Removes a file that came to nothing.
    pub fn discard(&self) {
        let _ = rustix::fs::unlinkat(self.folder(), self.name.as_str(), AtFlags::empty());
    }
}
