//! Where a file is to lie, and what lies there.

use std::io;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, FileType, RenameFlags};
use rustix::io::Errno;

use super::folders::Blocked;
use super::{Draft, Replica};
use crate::SyncError;
use crate::mapping::{conflict_as_file, conflict_as_folder};

/// What lies at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occupant {
    Nothing,
    File,
    /// A link, a socket or the like.
    Other,
}

/// What came of a rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renamed {
    Done,
    /// Something is there now, or in the way, that was not when the place was looked for.
    Taken,
}

impl Replica {
    /// The place of a file, and what is there: another one than the path if that cannot be, as where a
    /// folder `a` is and `a` is to be a file.
    pub(crate) fn find_place(&mut self, path: &str) -> Result<(String, Occupant), SyncError> {
        let mut path = path.to_owned();
        for _ in 0..path.matches('/').count() + 2 {
            match self.occupant(&path) {
                Ok(occupant) => return Ok((path, occupant)),
                Err(Blocked::FileAt(segment)) => path = conflict_as_folder(&path, segment),
                Err(Blocked::IsFolder) => path = conflict_as_file(&path),
                Err(Blocked::Link) => break,
                Err(Blocked::Io(error)) => {
                    return Err(SyncError::io("could not look at", &self.path.join(&path))(error));
                }
            }
        }
        Err(SyncError::LinkInTheWay { path: self.path.join(&path) })
    }

    fn occupant(&mut self, path: &str) -> Result<Occupant, Blocked> {
        let (folder, name) = match self.folders.of(path, false) {
            Err(Blocked::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Occupant::Nothing);
            }
            found => found?,
        };
        match rustix::fs::statat(folder.as_fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
                FileType::Directory => Err(Blocked::IsFolder),
                FileType::RegularFile => Ok(Occupant::File),
                _ => Ok(Occupant::Other),
            },
            Err(Errno::NOENT) => Ok(Occupant::Nothing),
            Err(error) => Err(Blocked::Io(error.into())),
        }
    }

    /// Renames a finished file to its place. What is there is only replaced if that is said.
    pub(crate) fn rename(
        &mut self,
        file: &Draft,
        path: &str,
        replaces: bool,
    ) -> Result<Renamed, SyncError> {
        match self.try_rename(file, path, replaces) {
            Ok(()) => Ok(Renamed::Done),
            Err(Blocked::FileAt(_) | Blocked::IsFolder) => Ok(Renamed::Taken),
            Err(Blocked::Link) => Err(SyncError::LinkInTheWay { path: self.path.join(path) }),
            Err(Blocked::Io(error)) => {
                Err(SyncError::io("could not write", &self.path.join(path))(error))
            }
        }
    }

    fn try_rename(&mut self, file: &Draft, path: &str, replaces: bool) -> Result<(), Blocked> {
        let (folder, name) = self.folders.of(path, true)?;
        let (from, to) = (file.folder(), folder.as_fd());
        let mut result = match replaces {
            true => rustix::fs::renameat(from, file.name(), to, name),
            false => rustix::fs::renameat_with(from, file.name(), to, name, RenameFlags::NOREPLACE),
        };
        // Some file systems cannot promise that nothing is replaced; there it is looked for before.
        if !replaces && matches!(result, Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)) {
            result = match rustix::fs::statat(to, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => rustix::fs::renameat(from, file.name(), to, name),
                found => found.and(Err(Errno::EXIST)),
            };
        }
        match result {
            Ok(()) => Ok(()),
            Err(Errno::ISDIR | Errno::NOTEMPTY | Errno::EXIST) => Err(Blocked::IsFolder),
            Err(error) => Err(Blocked::Io(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_is_there_is_replaced_only_if_that_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let mut replica = Replica::open(folder.path()).unwrap();
        let mut temporary = replica.temporary().unwrap();
        let (draft, mut file) = temporary.create().unwrap();
        file.write_all(b"new").unwrap();
        let path = folder.path().join("a/b");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "old").unwrap();
        assert_eq!(replica.find_place("a/b").unwrap(), ("a/b".to_owned(), Occupant::File));
        assert_eq!(replica.rename(&draft, "a/b", false).unwrap(), Renamed::Taken);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(replica.rename(&draft, "a/b", true).unwrap(), Renamed::Done);
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        // A file where a folder should be, and a folder where a file should be.
        let conflict = ("a/b%_d/c".to_owned(), Occupant::Nothing);
        assert_eq!(replica.find_place("a/b/c").unwrap(), conflict);
        assert_eq!(replica.find_place("a").unwrap(), ("a/%_self".to_owned(), Occupant::Nothing));
    }
}
