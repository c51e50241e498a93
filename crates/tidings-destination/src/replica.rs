//! The copy as files: below one folder, and nowhere else.
//!
//! Names come from the web. Folders are opened one after another, each relative to the one above it
//! and none through a link, so that no name and no link that somebody planted leads out.

mod folders;
mod place;
mod temporary;

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::SyncError;
use folders::{Blocked, Folders};
pub(crate) use place::{Occupant, Renamed};
pub(crate) use temporary::{Draft, Temporary};

/// Where the copy keeps what is not part of it.
pub(crate) const PRIVATE: &str = ".tidings";

/// The folder of a copy.
pub(crate) struct Replica {
    path: PathBuf,
    folders: Folders,
    temporary: PathBuf,
    /// How many folders there are in it.
    temporaries: Cell<u64>,
    /// Held as long as this lives.
    _lock: Option<File>,
}

/// What the system says of a file of the copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) length: u64,
    /// In nanoseconds.
    pub(crate) mtime: i64,
}

impl Replica {
    /// Opens a folder for writing, makes it if it is not there, and locks it.
    pub(crate) fn open(path: &Path) -> Result<Self, SyncError> {
        let private = path.join(PRIVATE);
        let temporary = private.join("tmp");
        let lock_path = private.join("lock");
        // What is ours is never behind a link: it is emptied, and written.
        let partial = private.join("partial");
        for ours in [&private, &temporary, &partial, &lock_path, &private.join("state.sqlite")] {
            if ours.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
                return Err(SyncError::LinkInTheWay { path: ours.clone() });
            }
        }
        std::fs::create_dir_all(&temporary).map_err(SyncError::io("could not make", &temporary))?;
        let lock = File::create(&lock_path).map_err(SyncError::io("could not open", &lock_path))?;
        if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Err(SyncError::Locked { path: path.to_owned() });
        }
        // What a run that was killed has left.
        for entry in std::fs::read_dir(&temporary).into_iter().flatten().flatten() {
            let left = entry.path();
            let _ = std::fs::remove_dir_all(&left).or_else(|_| std::fs::remove_file(&left));
        }
        let folders = Folders::new(path)?;
        Ok(Self {
            path: path.to_owned(),
            folders,
            temporary,
            temporaries: Cell::new(0),
            _lock: Some(lock),
        })
    }

    /// Opens a folder to look at it only.
    pub(crate) fn look(path: &Path) -> Result<Self, SyncError> {
        let folders = Folders::new(path)?;
        let temporary = path.join(PRIVATE).join("tmp");
        Ok(Self {
            path: path.to_owned(),
            folders,
            temporary,
            temporaries: Cell::new(0),
            _lock: None,
        })
    }

    /// True if there is a copy in that folder.
    pub(crate) fn exists(path: &Path) -> bool {
        path.join(PRIVATE).is_dir()
    }

    /// True if the file system takes `a` and `A` for one name.
    pub(crate) fn folds_case(&self) -> bool {
        let (made, other) = (self.temporary.join("case"), self.temporary.join("CASE"));
        let folds = File::create(&made).is_ok() && other.exists();
        let _ = std::fs::remove_file(&made);
        folds
    }

    /// The folder of what is not part of the copy.
    pub(crate) fn private(&self) -> PathBuf {
        self.path.join(PRIVATE)
    }

    /// A place for files that are not part of the copy yet. Each thread has its own, so that they do
    /// not wait for each other's folder.
    pub(crate) fn temporary(&self) -> Result<Temporary, SyncError> {
        let number = self.temporaries.get();
        self.temporaries.set(number + 1);
        Temporary::new(&self.temporary.join(number.to_string()))
    }

    /// A place for files that broke off, and are kept for the next run.
    pub(crate) fn partial(&self) -> Result<Temporary, SyncError> {
        Temporary::new(&self.private().join("partial"))
    }

    /// Where a file of the copy is for everybody else.
    pub(crate) fn full_path(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// What the system says of a file; none if there is none, or no file.
    pub(crate) fn stamp(&mut self, path: &str) -> Option<Stamp> {
        let (folder, name) = self.folders.of(path, false).ok()?;
        let stat = rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_file = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
        is_file.then(|| Stamp::of(&stat))
    }

    /// Opens a file of the copy for reading.
    pub(crate) fn read(&mut self, path: &str) -> io::Result<File> {
        let blocked = |blocked: Blocked| match blocked {
            Blocked::Io(error) => error,
            _ => io::ErrorKind::NotFound.into(),
        };
        let (folder, name) = self.folders.of(path, false).map_err(blocked)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(folder.as_fd(), name, flags, Mode::empty())?.into())
    }

    /// Removes a file, and the folders that are empty then.
    pub(crate) fn remove(&mut self, path: &str) -> Result<(), SyncError> {
        let failed =
            |error: io::Error| SyncError::io("could not remove", &self.path.join(path))(error);
        match self.folders.of(path, false) {
            Ok((folder, name)) => {
                match rustix::fs::unlinkat(folder.as_fd(), name, AtFlags::empty()) {
                    Ok(()) | Err(Errno::NOENT) => {}
                    Err(error) => return Err(failed(error.into())),
                }
            }
            Err(Blocked::Io(error)) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(error));
            }
            Err(_) => {}
        }
        self.folders.prune(path);
        Ok(())
    }

    /// Moves a file to the same path below another folder of ours.
    pub(crate) fn set_aside(&mut self, path: &str, into: &str) -> Result<(), SyncError> {
        let to = format!("{PRIVATE}/{into}/{path}");
        let moved = (|| -> Result<(), Blocked> {
            let (from, name) = self.folders.of(path, false)?;
            let (folder, target) = self.folders.of(&to, true)?;
            rustix::fs::renameat(from.as_fd(), name, folder.as_fd(), target)
                .map_err(|error| Blocked::Io(error.into()))
        })();
        match moved {
            Ok(()) => {}
            Err(Blocked::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            Err(Blocked::Io(error)) => {
                return Err(SyncError::io("could not move", &self.path.join(path))(error));
            }
            Err(_) => return Err(SyncError::LinkInTheWay { path: self.path.join(path) }),
        }
        self.folders.prune(path);
        Ok(())
    }

    /// Makes all that was written below the folder durable: one call for many files.
    pub(crate) fn sync(&self) -> Result<(), SyncError> {
        rustix::fs::syncfs(self.folders.root())
            .map_err(|error| SyncError::io("could not sync", &self.path)(error.into()))
    }
}

impl Stamp {
    pub(crate) fn of(stat: &rustix::fs::Stat) -> Self {
        let (seconds, nanos) = (stat.st_mtime, stat.st_mtime_nsec);
        Self {
            length: stat.st_size.cast_unsigned(),
            mtime: seconds.saturating_mul(1_000_000_000).saturating_add(nanos.cast_signed()),
        }
    }
}
