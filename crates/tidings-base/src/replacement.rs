//! One file that takes the place of another.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::{Access, NewFile, TEMPORARY_PREFIX, parent_of};

/// A file that is written beside the place that it is to take. Readers see all of the old file or all of
/// the new one, and so does whoever looks after a power cut. Dropped before it is committed, it leaves
/// nothing.
#[derive(Debug)]
pub struct Replacement {
    file: NewFile,
    path: PathBuf,
    target: OsString,
}

impl Replacement {
    /// Begins a replacement of the file of that path, which need not be there; its folder has to be.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn new(target: &Path, access: Access) -> io::Result<Self> {
        Self::with_prefix(target, TEMPORARY_PREFIX, access)
    }

    /// The same with a temporary name that begins otherwise.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn with_prefix(target: &Path, prefix: &str, access: Access) -> io::Result<Self> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let folder = parent_of(target);
        let file = NewFile::create(File::open(folder)?, prefix, access)?;
        let path = folder.join(file.name());
        Ok(Self { file, path, target: name.to_owned() })
    }

    /// The path of the file as long as it is not committed, for programs that write by path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file itself.
    #[must_use]
    pub fn file(&self) -> &File {
        self.file.file()
    }

    /// Puts the file into its place, whether or not there is one, and makes it durable.
    ///
    /// # Errors
    /// If the file or its folder cannot be written. The old file is still there then, but for the folder.
    pub fn commit(self) -> io::Result<()> {
        self.file.replace(&self.target)
    }

    /// The same, unless there is a file.
    ///
    /// # Errors
    /// `AlreadyExists` if there is one; else as [`commit`](Self::commit).
    pub fn commit_new(self) -> io::Result<()> {
        self.file.place(&self.target)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Replacement {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn replace(path: &Path, access: Access) -> io::Result<()> {
        let mut new = Replacement::new(path, access)?;
        new.write_all(b"new")?;
        new.commit()
    }

    #[test]
    fn permissions_are_as_the_caller_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        replace(&path, Access::AsReplaced).unwrap();
        assert_eq!(mode(&path), 0o644);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, Access::AsReplaced).unwrap();
        assert_eq!(mode(&path), 0o640);
        replace(&path, Access::Owner).unwrap();
        assert_eq!(mode(&path), 0o600);
        replace(&path, Access::Everybody).unwrap();
        assert_eq!(mode(&path), 0o644);
        // Whatever the umask is, it leaves the owner's.
        replace(&path, Access::Umask(0o400)).unwrap();
        assert_eq!(mode(&path), 0o400);
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        let mut new = Replacement::new(&path, Access::Owner).unwrap();
        new.write_all(b"new").unwrap();
        assert_eq!(fs::read(new.path()).unwrap(), b"new");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        drop(new);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let new = Replacement::new(&path, Access::Owner).unwrap();
        assert_eq!(new.commit_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_replaced_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = replace(&folder.path().join("missing/a"), Access::Owner).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let error = replace(Path::new("/"), Access::Owner).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidFilename);
        let place = folder.path().join("folder");
        fs::create_dir(&place).unwrap();
        assert!(replace(&place, Access::Owner).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
