//! A file of an open folder that has no place yet.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use crate::Access;

/// The beginning of the names of temporary files; 16 hexadecimal digits follow. Whoever lists files knows
/// by it what a crash left.
pub const TEMPORARY_PREFIX: &str = ".tidings-";

/// A new file in an open folder, under a temporary name. It is removed when it is dropped, unless it was
/// put into its place.
///
/// The folder is looked up once, when it is opened: no link that is planted meanwhile leads elsewhere.
#[derive(Debug)]
pub struct NewFile {
    folder: OwnedFd,
    name: String,
    file: File,
    access: Access,
    is_synced: bool,
    is_placed: bool,
}

impl NewFile {
    /// Creates a file whose name begins with `prefix`.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(folder: impl AsFd, prefix: &str, access: Access) -> io::Result<Self> {
        let folder = folder.as_fd().try_clone_to_owned()?;
        let name = format!("{prefix}{:016x}", getrandom::u64().map_err(io::Error::from)?);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(access.creation_mode());
        let file = rustix::fs::openat(&folder, name.as_str(), flags, mode)?.into();
        Ok(Self { folder, name, file, access, is_synced: false, is_placed: false })
    }

    /// Its temporary name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file itself, as for its times and permissions.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its permissions and brings it onto the disk, which placing it does as well: of several
    /// files that belong together all should be on the disk before the first is placed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn sync(&mut self) -> io::Result<()> {
        self.sync_as(None)
    }

    fn sync_as(&mut self, replaced: Option<u32>) -> io::Result<()> {
        if !self.is_synced {
            self.access.apply(&self.file, replaced)?;
            self.file.sync_all()?;
            self.is_synced = true;
        }
        Ok(())
    }

    /// Gives it that name, whether or not a file has it, and makes that durable.
    ///
    /// # Errors
    /// If the file or the folder cannot be written.
    pub fn replace(mut self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = name.as_ref();
        let replaced = rustix::fs::statat(&self.folder, name, AtFlags::empty());
        self.sync_as(replaced.ok().map(|stat| stat.st_mode))?;
        rustix::fs::renameat(&self.folder, self.name.as_str(), &self.folder, name)?;
        self.finish()
    }

    /// Gives it that name unless something has it, and makes that durable.
    ///
    /// # Errors
    /// `AlreadyExists` if something has the name; else if the file or the folder cannot be written.
    pub fn place(mut self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.sync_as(None)?;
        rename_new(&self.folder, &self.name, &self.folder, name)?;
        self.finish()
    }

    fn finish(mut self) -> io::Result<()> {
        self.is_placed = true;
        Ok(rustix::fs::fsync(&self.folder)?)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_synced = false;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for NewFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_placed {
            let _ = rustix::fs::unlinkat(&self.folder, self.name.as_str(), AtFlags::empty());
        }
    }
}

/// Gives a file another name, in the same folder or another of the file system, unless something has that
/// name: `Errno::EXIST`. It does not make it durable.
///
/// Where the file system cannot promise that, a second name does; where there are no second names, the
/// name is looked for before.
///
/// # Errors
/// If something has the name, or the folders cannot be written.
pub fn rename_new(
    from: impl AsFd,
    name: impl AsRef<OsStr>,
    to: impl AsFd,
    new_name: impl AsRef<OsStr>,
) -> rustix::io::Result<()> {
    let (from, to) = (from.as_fd(), to.as_fd());
    let (name, new_name) = (name.as_ref(), new_name.as_ref());
    match rustix::fs::renameat_with(from, name, to, new_name, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        renamed => return renamed,
    }
    match rustix::fs::linkat(from, name, to, new_name, AtFlags::empty()) {
        Ok(()) => return rustix::fs::unlinkat(from, name, AtFlags::empty()),
        Err(Errno::PERM | Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
        Err(error) => return Err(error),
    }
    match rustix::fs::statat(to, new_name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => rustix::fs::renameat(from, name, to, new_name),
        found => found.and(Err(Errno::EXIST)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn new(folder: &Path, text: &str) -> NewFile {
        let handle = File::open(folder).unwrap();
        let mut file = NewFile::create(&handle, TEMPORARY_PREFIX, Access::Owner).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn a_file_that_is_dropped_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = new(folder.path(), "x");
        let name = file.name().to_owned();
        assert_eq!(names(folder.path()), std::slice::from_ref(&name));
        let digits = name.strip_prefix(TEMPORARY_PREFIX).unwrap();
        assert!(digits.len() == 16 && u64::from_str_radix(digits, 16).is_ok(), "{name}");
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn only_replace_takes_a_name_that_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        new(folder.path(), "one").place("a").unwrap();
        let error = new(folder.path(), "two").place("a").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"one");
        new(folder.path(), "two").replace("a").unwrap();
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"two");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_folder_that_moved_is_still_the_folder() {
        let outer = tempfile::tempdir().unwrap();
        let (before, after) = (outer.path().join("before"), outer.path().join("after"));
        fs::create_dir(&before).unwrap();
        let file = new(&before, "x");
        fs::rename(&before, &after).unwrap();
        std::os::unix::fs::symlink("/nowhere", &before).unwrap();
        file.place("a").unwrap();
        assert_eq!(names(&after), ["a"]);
    }

    #[test]
    fn a_rename_between_folders_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["one", "other"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let [one, other] =
            ["one", "other"].map(|name| File::open(folder.path().join(name)).unwrap());
        fs::write(folder.path().join("one/a"), "a").unwrap();
        rename_new(&one, "a", &other, "b").unwrap();
        fs::write(folder.path().join("one/a"), "new").unwrap();
        assert_eq!(rename_new(&one, "a", &other, "b"), Err(Errno::EXIST));
        assert_eq!(fs::read(folder.path().join("other/b")).unwrap(), b"a");
    }
}
