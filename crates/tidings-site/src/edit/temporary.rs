//! Files that are in no place yet.

use std::fs::File;
use std::io::{self, Read, Write as _};

use rustix::fs::{Mode, OFlags, Stat, Timespec, Timestamps};
use rustix::io::Errno;

use super::folder::Folder;
use super::{EditError, Result};

/// A file that is written, on the disk, and not yet where it belongs. It is gone with this, unless it
/// is put in its place. What a crash leaves of it begins with a dot, and is passed over by readers.
pub(super) struct Temporary<'a> {
    folder: &'a Folder,
    name: String,
    file: File,
    is_placed: bool,
}

impl<'a> Temporary<'a> {
    /// Writes what is read, of which there may be so many bytes.
    pub(super) fn of(folder: &'a Folder, source: impl Read, limit: u64) -> Result<Self> {
        let name = format!(".tidings-{:016x}", random()?);
        let path = folder.path().join(&name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let file = rustix::fs::openat(folder.handle(), name.as_str(), flags, mode)
            .map_err(EditError::os("make", &path))?;
        let mut temporary = Self { folder, name, file: file.into(), is_placed: false };
        let written = copy(source, &mut temporary.file, limit);
        if written.map_err(EditError::io("write", &path))? > limit {
            return Err(EditError::TooLarge { limit });
        }
        temporary.file.sync_all().map_err(EditError::io("write", &path))?;
        Ok(temporary)
    }

    /// Gives it the permissions of what it is to replace.
    pub(super) fn permit_as(&self, stat: &Stat) {
        // A file system without permissions is no reason to lose an edit.
        let _ = rustix::fs::fchmod(&self.file, Mode::from_raw_mode(stat.st_mode & 0o777));
    }

    /// Lets it be told from what it is to replace, also if both were written in the same tick of the
    /// clock that files are stamped by.
    pub(super) fn be_newer_than(&self, stat: &Stat) {
        let is_newer = rustix::fs::fstat(&self.file).is_ok_and(|own| {
            (own.st_mtime, own.st_mtime_nsec) > (stat.st_mtime, stat.st_mtime_nsec)
        });
        if !is_newer {
            let time = Timespec { tv_sec: stat.st_mtime + 1, tv_nsec: 0 };
            let times = Timestamps { last_access: time, last_modification: time };
            let _ = rustix::fs::futimens(&self.file, &times);
        }
    }

    /// Puts it where there is something, or nothing.
    pub(super) fn replace(mut self, name: &str) -> Result<()> {
        let handle = self.folder.handle();
        rustix::fs::renameat(handle, self.name.as_str(), handle, name)
            .map_err(EditError::os("write", &self.folder.path().join(name)))?;
        self.is_placed = true;
        self.folder.sync()
    }

    /// Puts it where there is nothing; `Exists` if there is.
    pub(super) fn place(mut self, name: &str) -> Result<()> {
        let path = self.folder.path().join(name);
        match self.folder.rename_new(&self.name, self.folder, name) {
            Err(Errno::EXIST) => return Err(EditError::Exists(path.display().to_string())),
            renamed => renamed.map_err(EditError::os("write", &path))?,
        }
        self.is_placed = true;
        self.folder.sync()
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_placed {
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// Copies at most one byte more than may be, and says how many were.
fn copy(source: impl Read, to: &mut File, limit: u64) -> io::Result<u64> {
    let copied = io::copy(&mut source.take(limit.saturating_add(1)), to)?;
    to.flush()?;
    Ok(copied)
}

/// A number that nobody else has.
pub(super) fn random() -> Result<u64> {
    let source = std::path::Path::new("the random numbers of the system");
    getrandom::u64().map_err(io::Error::from).map_err(EditError::io("read", source))
}
