//! Files that are not part of the copy yet.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{Timespec, Timestamps};
use tidings_document::Moment;

use super::Stamp;
use crate::SyncError;

/// A folder of files on their way into the copy. Whatever is left in it is removed by the next run.
#[derive(Debug)]
pub(crate) struct Temporary {
    folder: PathBuf,
    next: u64,
}

impl Temporary {
    pub(super) fn new(folder: PathBuf) -> Result<Self, SyncError> {
        std::fs::create_dir_all(&folder).map_err(SyncError::io("could not make", &folder))?;
        Ok(Self { folder, next: 0 })
    }

    /// A new file, to be written and, if something goes wrong, read again.
    pub(crate) fn create(&mut self) -> io::Result<(PathBuf, File)> {
        let path = self.folder.join(self.next.to_string());
        self.next += 1;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok((path, file))
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

    /// Removes a file that came to nothing.
    pub(crate) fn discard(path: &Path) {
        let _ = std::fs::remove_file(path);
    }
}
