//! Looks at a path in a folder, and renames a staged file to it.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;
use tidings_base::rename_new;

use super::FolderStore;
use super::open_folders::PathConflict;
use crate::{Occupant, StagedFile};

impl FolderStore {
    pub(super) fn look_at(&mut self, path: &str) -> Result<Occupant, PathConflict> {
        let (folder, name) = match self.folders.of(path, false) {
            Err(PathConflict::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Occupant::Nothing);
            }
            found => found?,
        };
        match rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => Ok(Occupant::Folder),
                FileType::RegularFile => Ok(Occupant::File),
                _ => Ok(Occupant::Other),
            },
            Err(Errno::NOENT) => Ok(Occupant::Nothing),
            Err(error) => Err(PathConflict::Io(error.into())),
        }
    }

    pub(super) fn rename(
        &mut self,
        file: &StagedFile,
        path: &str,
        replaces: bool,
    ) -> Result<(), PathConflict> {
        let (folder, name) = self.folders.of(path, true)?;
        let (from, to) = (file.folder(), folder.as_fd());
        let result = match replaces {
            true => rustix::fs::renameat(from, file.name(), to, name),
            false => rename_new(from, file.name(), to, name),
        };
        match result {
            Ok(()) => Ok(()),
            Err(Errno::ISDIR | Errno::NOTEMPTY | Errno::EXIST) => Err(PathConflict::IsFolder),
            Err(error) => Err(PathConflict::Io(error.into())),
        }
    }
}
