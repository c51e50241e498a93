//! Files that are in no place yet.

use std::io::{self, Read};

use rustix::fs::{Mode, Stat, Timespec, Timestamps};
use tidings_base::{Access, NewFile, TEMPORARY_PREFIX};

use super::folder::Folder;
use super::{EditError, Result};

/// A file that is written, on the disk, and not yet where it belongs. It is gone with this, unless it
/// is put in its place. What a crash leaves of it begins with a dot, and is passed over by readers.
pub(super) struct Temporary<'a> {
    folder: &'a Folder,
    file: NewFile,
}

impl<'a> Temporary<'a> {
    /// Writes what is read, of which there may be so many bytes.
    pub(super) fn of(folder: &'a Folder, source: impl Read, limit: u64) -> Result<Self> {
        let file = NewFile::create(folder.handle(), TEMPORARY_PREFIX, Access::Umask(0o666));
        let mut file = file.map_err(EditError::io("make a file in", folder.path()))?;
        let path = folder.path().join(file.name());
        // At most one byte more than may be.
        let written = io::copy(&mut source.take(limit.saturating_add(1)), &mut file);
        if written.map_err(EditError::io("write", &path))? > limit {
            return Err(EditError::TooLarge { limit });
        }
        file.sync().map_err(EditError::io("write", &path))?;
        Ok(Self { folder, file })
    }

    /// Gives it the permissions of what it is to replace.
    pub(super) fn permit_as(&self, stat: &Stat) {
        // A file system without permissions is no reason to lose an edit.
        let _ = rustix::fs::fchmod(self.file.file(), Mode::from_raw_mode(stat.st_mode & 0o777));
    }

    /// Lets it be told from what it is to replace, also if both were written in the same tick of the
    /// clock that files are stamped by.
    pub(super) fn be_newer_than(&self, stat: &Stat) {
        let is_newer = rustix::fs::fstat(self.file.file()).is_ok_and(|own| {
            (own.st_mtime, own.st_mtime_nsec) > (stat.st_mtime, stat.st_mtime_nsec)
        });
        if !is_newer {
            let time = Timespec { tv_sec: stat.st_mtime + 1, tv_nsec: 0 };
            let times = Timestamps { last_access: time, last_modification: time };
            let _ = rustix::fs::futimens(self.file.file(), &times);
        }
    }

    /// Puts it where there is something, or nothing.
    pub(super) fn replace(self, name: &str) -> Result<()> {
        let path = self.folder.path().join(name);
        self.file.replace(name).map_err(EditError::io("write", &path))
    }

    /// Puts it where there is nothing; `Exists` if there is.
    pub(super) fn place(self, name: &str) -> Result<()> {
        let path = self.folder.path().join(name);
        self.file.place(name).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => EditError::Exists(path.display().to_string()),
            _ => EditError::io("write", &path)(error),
        })
    }
}

/// A number that nobody else has.
pub(super) fn random() -> Result<u64> {
    let source = std::path::Path::new("the random numbers of the system");
    getrandom::u64().map_err(io::Error::from).map_err(EditError::io("read", source))
}
