//! A store in one folder of a file system, and nowhere else.
//!
//! Names come from the web. Folders are opened one after another, each relative to the one above it
//! and none through a link, so that no name and no link that somebody planted leads out.

mod commit;
pub(crate) mod list;
mod open_folders;

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::{
    ByteReader, ByteStore, ByteStoreError, CommitOutcome, FileStamp, FolderEntry, ListedFile,
    Occupant, StagedFile, StagingArea,
};
use open_folders::{OpenFolders, PathConflict};

/// The folder in which a store keeps what is not one of its files.
pub const STATE_FOLDER: &str = ".tidings";

/// A [`ByteStore`] in a folder.
pub struct FolderStore {
    path: PathBuf,
    folders: OpenFolders,
    staging: PathBuf,
    /// The number of staging areas in it.
    staging_areas: AtomicU64,
    /// Held as long as this lives.
    _lock: Option<File>,
}

impl FolderStore {
    /// Opens a folder for writing, makes it if it is not there, and locks it.
    pub fn open(path: &Path) -> Result<Self, ByteStoreError> {
        let state = path.join(STATE_FOLDER);
        let staging = state.join("tmp");
        let lock_path = state.join("lock");
        // What is ours is never behind a link: it is emptied, and written.
        let partial = state.join("partial");
        for own in [&state, &staging, &partial, &lock_path, &state.join("state.sqlite")] {
            if own.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
                return Err(ByteStoreError::LinkInTheWay { path: own.clone() });
            }
        }
        std::fs::create_dir_all(&staging)
            .map_err(ByteStoreError::io("could not make", &staging))?;
        let lock =
            File::create(&lock_path).map_err(ByteStoreError::io("could not open", &lock_path))?;
        if rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Err(ByteStoreError::Locked { path: path.to_owned() });
        }
        // What a run that was killed has left.
        for entry in std::fs::read_dir(&staging).into_iter().flatten().flatten() {
            let left = entry.path();
            let _ = std::fs::remove_dir_all(&left).or_else(|_| std::fs::remove_file(&left));
        }
        Ok(Self { _lock: Some(lock), ..Self::open_read_only(path)? })
    }

    /// Opens a folder to read its files only.
    pub fn open_read_only(path: &Path) -> Result<Self, ByteStoreError> {
        Ok(Self {
            path: path.to_owned(),
            folders: OpenFolders::new(path)?,
            staging: path.join(STATE_FOLDER).join("tmp"),
            staging_areas: AtomicU64::new(0),
            _lock: None,
        })
    }

    /// True if there is a store in that folder.
    #[must_use]
    pub fn exists(path: &Path) -> bool {
        path.join(STATE_FOLDER).is_dir()
    }

    /// The folder of what is not one of the files.
    #[must_use]
    pub fn state_folder(&self) -> PathBuf {
        self.path.join(STATE_FOLDER)
    }
}

impl ByteReader for FolderStore {
    fn stamp(&mut self, path: &str) -> Option<FileStamp> {
        self.stat(path).map(|stat| FileStamp::of(&stat))
    }

    fn occupant(&mut self, path: &str) -> Result<Occupant, ByteStoreError> {
        match self.look_at(path) {
            Ok(occupant) => Ok(occupant),
            Err(PathConflict::FileAt(segment)) => Ok(Occupant::BelowFile(segment)),
            Err(PathConflict::IsFolder) => Ok(Occupant::Folder),
            Err(PathConflict::Link) => Err(self.link_in_the_way(path)),
            Err(PathConflict::Io(error)) => {
                Err(ByteStoreError::io("could not look at", &self.location(path))(error))
            }
        }
    }

    fn version(&mut self, path: &str) -> Option<Vec<u8>> {
        self.stat(path).map(|stat| version_of(&stat))
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let conflict = |conflict: PathConflict| match conflict {
            PathConflict::Io(error) => error,
            _ => io::ErrorKind::NotFound.into(),
        };
        let (folder, name) = self.folders.of(path, false).map_err(conflict)?;
        // A pipe that somebody put there is not waited for.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = rustix::fs::openat(folder.as_fd(), name, flags, Mode::empty())?;
        let mode = rustix::fs::fstat(&file)?.st_mode;
        match FileType::from_raw_mode(mode).is_file() {
            true => Ok(Box::new(File::from(file))),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl ByteStore for FolderStore {
    fn reader(&self) -> Result<Box<dyn ByteReader>, ByteStoreError> {
        Ok(Box::new(Self::open_read_only(&self.path)?))
    }

    fn staging_area(&self) -> Result<StagingArea, ByteStoreError> {
        // One folder for each, so that threads do not wait for each other's.
        let number = self.staging_areas.fetch_add(1, Ordering::Relaxed);
        StagingArea::open(&self.staging.join(number.to_string()))
    }

    fn commit(
        &mut self,
        file: &StagedFile,
        path: &str,
        // The staged file itself gets the path: nobody has copied its bytes.
        _sha256: &[u8; 32],
        replaces: bool,
    ) -> Result<CommitOutcome, ByteStoreError> {
        match self.rename(file, path, replaces) {
            Ok(()) => Ok(CommitOutcome::Done),
            Err(PathConflict::FileAt(_) | PathConflict::IsFolder) => Ok(CommitOutcome::Taken),
            Err(PathConflict::Link) => Err(self.link_in_the_way(path)),
            Err(PathConflict::Io(error)) => {
                Err(ByteStoreError::io("could not write", &self.location(path))(error))
            }
        }
    }

    fn delete(&mut self, path: &str) -> Result<(), ByteStoreError> {
        let failed =
            |error: io::Error| ByteStoreError::io("could not remove", &self.path.join(path))(error);
        match self.folders.of(path, false) {
            Ok((folder, name)) => {
                match rustix::fs::unlinkat(folder.as_fd(), name, AtFlags::empty()) {
                    Ok(()) | Err(Errno::NOENT) => {}
                    Err(error) => return Err(failed(error.into())),
                }
            }
            Err(PathConflict::Io(error)) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(error));
            }
            Err(_) => {}
        }
        self.folders.prune(path);
        Ok(())
    }

    fn set_aside(&mut self, path: &str, folder: &str) -> Result<(), ByteStoreError> {
        let to = format!("{STATE_FOLDER}/{folder}/{path}");
        let moved = (|| -> Result<(), PathConflict> {
            let (from, name) = self.folders.of(path, false)?;
            let (folder, target) = self.folders.of(&to, true)?;
            rustix::fs::renameat(from.as_fd(), name, folder.as_fd(), target)
                .map_err(|error| PathConflict::Io(error.into()))
        })();
        match moved {
            Ok(()) => {}
            Err(PathConflict::Io(error)) if error.kind() == io::ErrorKind::NotFound => {}
            Err(PathConflict::Io(error)) => {
                return Err(ByteStoreError::io("could not move", &self.location(path))(error));
            }
            Err(PathConflict::Link) => return Err(self.link_in_the_way(path)),
            // A file where a folder would be: there is nothing below it.
            Err(PathConflict::FileAt(_) | PathConflict::IsFolder) => return Ok(()),
        }
        self.folders.prune(path);
        Ok(())
    }

    fn list(&mut self, visit: &mut dyn FnMut(ListedFile<'_>) -> ControlFlow<()>) {
        // Whoever stops the listing knows why.
        let _ = list::list(&self.path, list::is_own, visit);
    }

    fn list_folder(
        &mut self,
        folder: &str,
        visit: &mut dyn FnMut(FolderEntry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ByteStoreError> {
        match (folder, self.occupant(folder)) {
            ("", _) | (_, Ok(Occupant::Folder)) => {}
            // No link is followed here, either.
            _ => return Ok(()),
        }
        list::list_folder(&self.path, folder, list::is_own, visit)
    }

    fn sync(&self) -> Result<(), ByteStoreError> {
        tidings_base::sync_file_system(self.folders.root())
            .map_err(ByteStoreError::io("could not sync", &self.path))
    }

    fn location(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    fn ignores_case(&self) -> bool {
        ignores_case(&self.staging)
    }
}

impl FolderStore {
    fn stat(&mut self, path: &str) -> Option<Stat> {
        let (folder, name) = self.folders.of(path, false).ok()?;
        let stat = rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        FileType::from_raw_mode(stat.st_mode).is_file().then_some(stat)
    }

    fn link_in_the_way(&self, path: &str) -> ByteStoreError {
        ByteStoreError::LinkInTheWay { path: self.location(path) }
    }
}

/// True if the file system of a folder takes `a` and `A` for one name.
pub(crate) fn ignores_case(folder: &Path) -> bool {
    let (made, other) = (folder.join("case"), folder.join("CASE"));
    let ignores = File::create(&made).is_ok() && other.exists();
    let _ = std::fs::remove_file(&made);
    ignores
}

/// By what a file is known to be the same: its time of modification can be set back, the time at which
/// anything about it was changed cannot.
pub(crate) fn version_of(stat: &Stat) -> Vec<u8> {
    let numbers = [
        stat.st_size.cast_unsigned(),
        stat.st_ino,
        stat.st_mtime.cast_unsigned(),
        stat.st_mtime_nsec,
        stat.st_ctime.cast_unsigned(),
        stat.st_ctime_nsec,
    ];
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

impl FileStamp {
    pub(crate) fn of(stat: &Stat) -> Self {
        let (seconds, nanos) = (stat.st_mtime, stat.st_mtime_nsec);
        Self {
            length: stat.st_size.cast_unsigned(),
            mtime: seconds.saturating_mul(1_000_000_000).saturating_add(nanos.cast_signed()),
        }
    }
}
