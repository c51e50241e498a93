//! Staged files on their way to their paths.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::CWD;
use rustix::io::Errno;
use tidings_base::{Access, PlaceError, Replacement, rename_new, sync_file_system, sync_parents};

use super::{ServedFolder, is_absent};
use crate::{ByteStoreError, CommitOutcome, StagedFile};

/// From how many files on the whole file system is synced at once.
const MIN_FILES_FOR_FILE_SYSTEM: usize = 16;

impl ServedFolder {
    pub(super) fn commit_one(
        &self,
        file: &StagedFile,
        path: &str,
        replaces: bool,
    ) -> Result<CommitOutcome, ByteStoreError> {
        let target = self.path.join(path);
        let placed = make_parent(&target)
            .and_then(|()| permit(file))
            .and_then(|_| place(file, &target, replaces));
        match placed {
            Ok(()) => Ok(CommitOutcome::Done),
            Err(error) if is_taken(&error) => Ok(CommitOutcome::Taken),
            Err(error) => Err(ByteStoreError::io("could not write", &target)(error)),
        }
    }

    /// First the bytes of all are brought onto the disk, then the files are renamed, then the names are
    /// brought onto the disk.
    pub(super) fn commit_in_order(
        &self,
        files: &[(StagedFile, String)],
    ) -> Result<(), ByteStoreError> {
        let syncs_each = files.len() < MIN_FILES_FOR_FILE_SYSTEM;
        let (mut targets, mut last): (Vec<PathBuf>, Option<File>) = (Vec::new(), None);
        for (file, path) in files {
            let target = self.path.join(path);
            let permitted = permit(file).and_then(|open| {
                if syncs_each {
                    open.sync_all()?;
                }
                Ok(open)
            });
            last = Some(permitted.map_err(ByteStoreError::io("could not write", &target))?);
            targets.push(target);
        }
        if let Some(last) = last.filter(|_| !syncs_each) {
            sync_file_system(&last).map_err(ByteStoreError::io("could not sync", &self.path))?;
        }
        for ((file, _), target) in files.iter().zip(&targets) {
            make_parent(target)
                .and_then(|()| place(file, target, true))
                .map_err(ByteStoreError::io("could not write", target))?;
        }
        sync_parents(targets.iter().map(PathBuf::as_path)).map_err(|PlaceError { path, source }| {
            ByteStoreError::io("could not write", &path)(source)
        })
    }

    /// Removes the folders of a path from below, as far as they are empty.
    pub(super) fn prune(&self, path: &str) {
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            if fs::remove_dir(self.path.join(above)).is_err() {
                break;
            }
            folder = above;
        }
    }
}

fn make_parent(target: &Path) -> io::Result<()> {
    match target.parent() {
        Some(parent) if !parent.is_dir() => fs::create_dir_all(parent),
        _ => Ok(()),
    }
}

/// Lets everybody read a staged file, which is in a folder of its owner's alone until it is in its place.
fn permit(file: &StagedFile) -> io::Result<File> {
    let open = file.open()?;
    Access::Everybody.apply(&open, None)?;
    Ok(open)
}

fn place(file: &StagedFile, target: &Path, replaces: bool) -> io::Result<()> {
    let renamed = match replaces {
        true => rustix::fs::renameat(file.folder(), file.name(), CWD, target),
        false => rename_new(file.folder(), file.name(), CWD, target),
    };
    match renamed {
        // The folder of the target is on another file system.
        Err(Errno::XDEV) => {
            let mut copy = Replacement::new(target, Access::Everybody)?;
            io::copy(&mut file.open()?, &mut copy)?;
            if replaces {
                copy.commit()?
            } else {
                copy.commit_new()?
            }
            file.discard();
            Ok(())
        }
        renamed => Ok(renamed?),
    }
}

/// True if an error says that something is under a path, or in its way.
fn is_taken(error: &io::Error) -> bool {
    let kinds = [ErrorKind::AlreadyExists, ErrorKind::IsADirectory, ErrorKind::DirectoryNotEmpty];
    is_absent(error) && error.kind() != ErrorKind::NotFound || kinds.contains(&error.kind())
}
