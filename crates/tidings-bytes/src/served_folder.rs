//! A store in a folder that is served, and in which others have files, too.
//!
//! The paths are its user's own names, not a stranger's, and the folder is arranged as its owner likes:
//! links to folders are followed, and a folder below may be on another file system.

mod commit;

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FileType, Stat};
use tidings_base::TEMPORARY_PREFIX;

use crate::folder::{ignores_case, list, version_of};
use crate::{
    ByteReader, ByteStore, ByteStoreError, CommitOutcome, FileStamp, FolderEntry, ListedFile,
    Occupant, StagedFile, StagingArea,
};

/// The lock, in the folder that is the store's own.
const LOCK: &str = ".lock";

/// Where files are that were set aside, in the folder that is the store's own.
const SET_ASIDE: &str = ".set-aside";

/// A [`ByteStore`] in a folder that has other files as well. What is committed is for everybody to read.
///
/// Nothing is touched before something is to be written. Then the store is locked, as long as it lives, and
/// what a run before this one left half done is removed.
#[derive(Debug)]
pub struct ServedFolder {
    path: PathBuf,
    /// The path below which the lock is, and what is staged.
    own: String,
    lock: Mutex<Option<File>>,
}

impl ServedFolder {
    /// A store in a folder. Below the path `own` it keeps its lock, and what is not visible yet.
    #[must_use]
    pub fn new(path: &Path, own: &str) -> Self {
        Self { path: path.to_owned(), own: own.to_owned(), lock: Mutex::new(None) }
    }

    /// Locks the store, if it is not locked yet, and removes what is left of a run that was killed.
    pub fn lock(&self) -> Result<(), ByteStoreError> {
        let mut held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_some() {
            return Ok(());
        }
        let own = self.path.join(&self.own);
        fs::create_dir_all(&own).map_err(ByteStoreError::io("could not make the folder", &own))?;
        let path = own.join(LOCK);
        let failed = ByteStoreError::io("could not write", &path);
        // Opened, not truncated: a run that changes nothing leaves its time alone, too.
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => *held = Some(file),
            Err(TryLockError::WouldBlock) => return Err(ByteStoreError::Locked { path }),
            Err(TryLockError::Error(error)) => {
                return Err(ByteStoreError::io("could not lock", &path)(error));
            }
        }
        for entry in fs::read_dir(&own).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(TEMPORARY_PREFIX) {
                // What cannot be removed is in nobody's way.
                let left = entry.path();
                let _ = fs::remove_file(&left).or_else(|_| fs::remove_dir_all(&left));
            }
        }
        Ok(())
    }

    fn stat(&self, path: &str) -> Option<Stat> {
        let stat = rustix::fs::stat(self.path.join(path)).ok()?;
        FileType::from_raw_mode(stat.st_mode).is_file().then_some(stat)
    }

    /// The number of the first segment that is a file, though more segments follow.
    fn file_above(&self, path: &str) -> Option<usize> {
        let above = path.match_indices('/').map(|(end, _)| &path[..end]);
        above.into_iter().position(|above| self.stat(above).is_some())
    }

    /// True of the lock, and of what is not visible.
    fn is_own(&self, path: &Path) -> bool {
        let Ok(below) = path.strip_prefix(&self.own) else { return false };
        let first = below.components().next().map(|first| first.as_os_str().to_string_lossy());
        first.is_some_and(|first| {
            first == LOCK || first == SET_ASIDE || first.starts_with(TEMPORARY_PREFIX)
        })
    }
}

impl ByteReader for ServedFolder {
    fn stamp(&mut self, path: &str) -> Option<FileStamp> {
        self.stat(path).map(|stat| FileStamp::of(&stat))
    }

    fn occupant(&mut self, path: &str) -> Result<Occupant, ByteStoreError> {
        let place = self.path.join(path);
        match fs::metadata(&place) {
            Ok(found) if found.is_file() => Ok(Occupant::File),
            Ok(found) if found.is_dir() => Ok(Occupant::Folder),
            Ok(_) => Ok(Occupant::Other),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Occupant::Nothing),
            Err(error) => match self.file_above(path) {
                Some(segment) => Ok(Occupant::BelowFile(segment)),
                None => Err(ByteStoreError::io("could not look at", &place)(error)),
            },
        }
    }

    fn version(&mut self, path: &str) -> Option<Vec<u8>> {
        self.stat(path).map(|stat| version_of(&stat))
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let file = File::open(self.path.join(path))?;
        match file.metadata()?.is_dir() {
            true => Err(ErrorKind::IsADirectory.into()),
            false => Ok(Box::new(file)),
        }
    }
}

impl ByteStore for ServedFolder {
    fn reader(&self) -> Result<Box<dyn ByteReader>, ByteStoreError> {
        Ok(Box::new(Self::new(&self.path, &self.own)))
    }

    fn staging_area(&self) -> Result<StagingArea, ByteStoreError> {
        self.lock()?;
        Ok(StagingArea::temporary_in(&self.path.join(&self.own)))
    }

    fn commit(
        &mut self,
        file: &StagedFile,
        path: &str,
        // The staged file itself gets the path: nobody has copied its bytes.
        _sha256: &[u8; 32],
        replaces: bool,
    ) -> Result<CommitOutcome, ByteStoreError> {
        self.commit_one(file, path, replaces)
    }

    fn commit_all(&mut self, files: Vec<(StagedFile, String)>) -> Result<(), ByteStoreError> {
        let committed = self.commit_in_order(&files);
        if committed.is_err() {
            files.iter().for_each(|(file, _)| file.discard());
        }
        committed
    }

    fn delete(&mut self, path: &str) -> Result<(), ByteStoreError> {
        self.lock()?;
        let place = self.path.join(path);
        match fs::remove_file(&place) {
            Ok(()) => {}
            Err(error) if is_absent(&error) => {}
            Err(error) => return Err(ByteStoreError::io("could not remove", &place)(error)),
        }
        self.prune(path);
        Ok(())
    }

    fn set_aside(&mut self, path: &str, folder: &str) -> Result<(), ByteStoreError> {
        self.lock()?;
        let from = self.path.join(path);
        if !from.exists() {
            return Ok(());
        }
        let to = self.path.join(&self.own).join(SET_ASIDE).join(folder).join(path);
        let moved = match to.parent() {
            Some(parent) => fs::create_dir_all(parent).and_then(|()| fs::rename(&from, &to)),
            None => Ok(()),
        };
        moved.map_err(ByteStoreError::io("could not move", &from))?;
        self.prune(path);
        Ok(())
    }

    fn list(&mut self, visit: &mut dyn FnMut(ListedFile<'_>) -> ControlFlow<()>) {
        // Whoever stops the listing knows why.
        let _ = list::list(&self.path, |path| self.is_own(path), visit);
    }

    fn list_folder(
        &mut self,
        folder: &str,
        visit: &mut dyn FnMut(FolderEntry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ByteStoreError> {
        list::list_folder(&self.path, folder, |path| self.is_own(path), visit)
    }

    fn sync(&self) -> Result<(), ByteStoreError> {
        let own = self.path.join(&self.own);
        File::open(&own)
            .and_then(tidings_base::sync_file_system)
            .map_err(ByteStoreError::io("could not sync", &own))
    }

    fn location(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.path.clone() } else { self.path.join(path) }
    }

    fn ignores_case(&self) -> bool {
        self.lock().is_ok() && ignores_case(&self.path.join(&self.own))
    }
}

/// True if an error says that there is no such file.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
