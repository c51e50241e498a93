//! One open folder, whose files are named without a path.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::temporary::Temporary;
use super::{EditError, Result};

/// An open folder. Its path is for messages alone.
pub(super) struct Folder {
    handle: OwnedFd,
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(handle: OwnedFd, path: PathBuf) -> Self {
        Self { handle, path }
    }

    pub(super) fn handle(&self) -> &OwnedFd {
        &self.handle
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What the system says of a name; none if there is nothing of that name.
    pub(super) fn stat(&self, name: &str) -> Result<Option<Stat>> {
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(EditError::os("look at", &self.path.join(name))(error)),
        }
    }

    /// Opens a file that is a file, and says what the system says of it.
    pub(super) fn file(&self, name: &str) -> Result<Option<(File, Stat)>> {
        // Whoever put a pipe there would keep us waiting for its other end.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let path = self.path.join(name);
        let file = match rustix::fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(EditError::os("open", &path)(error)),
        };
        let stat = rustix::fs::fstat(&file).map_err(EditError::os("look at", &path))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            let source = io::Error::other("it is no file");
            return Err(EditError::Io { what: "read", path, source });
        }
        Ok(Some((file.into(), stat)))
    }

    /// The bytes of a file of at most that many.
    pub(super) fn read(&self, name: &str, limit: usize) -> Result<Option<(Vec<u8>, Stat)>> {
        let Some((file, stat)) = self.file(name)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let read = file.take(limit as u64 + 1).read_to_end(&mut bytes);
        read.map_err(EditError::io("read", &self.path.join(name)))?;
        if bytes.len() > limit {
            return Err(EditError::TooLarge { limit: limit as u64 });
        }
        Ok(Some((bytes, stat)))
    }

    /// The names in it that are text: others are not ours.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        let failed = || EditError::os("list", &self.path);
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(failed())? {
            let entry = entry.map_err(failed())?;
            names.extend(entry.file_name().to_str().ok().map(str::to_owned));
        }
        Ok(names)
    }

    /// A file of these bytes that is in no place yet.
    pub(super) fn temporary(&self, bytes: &[u8]) -> Result<Temporary<'_>> {
        Temporary::of(self, bytes, u64::MAX)
    }

    pub(super) fn lock_file(&self, name: &str) -> Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.handle, name, flags, Mode::from_raw_mode(0o600));
        file.map(File::from).map_err(EditError::os("open", &self.path.join(name)))
    }

    /// Makes what was named, renamed or removed in it last over a power cut.
    pub(super) fn sync(&self) -> Result<()> {
        rustix::fs::fsync(&self.handle).map_err(EditError::os("write", &self.path))
    }

    pub(super) fn remove(&self, name: &str) -> rustix::io::Result<()> {
        rustix::fs::unlinkat(&self.handle, name, AtFlags::empty())
    }

    /// Gives a file another name, here or in another folder, unless that name is taken: `Exists`.
    pub(super) fn rename_new(
        &self,
        name: &str,
        to: &Self,
        new_name: &str,
    ) -> rustix::io::Result<()> {
        tidings_base::rename_new(&self.handle, name, &to.handle, new_name)
    }
}
