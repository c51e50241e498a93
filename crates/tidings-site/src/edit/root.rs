//! The content root, which nothing is opened out of.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::folder::Folder;
use super::{EditError, Result};

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The root, open.
pub(super) struct Root {
    handle: OwnedFd,
    path: PathBuf,
}

/// Held for as long as an edit takes.
#[derive(Debug)]
pub(super) struct Lock(#[expect(dead_code, reason = "the lock ends with the file")] File);

impl Root {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let handle = rustix::fs::open(path, FOLDER, Mode::empty())
            .map_err(|error| EditError::io("open", path)(error.into()))?;
        Ok(Self { handle, path: path.to_owned() })
    }

    /// Opens a folder by its path below the root; none if there is none. Links may lead elsewhere
    /// within the root, and not out of it.
    pub(super) fn folder(&self, path: &str) -> Result<Option<Folder>> {
        match beneath(&self.handle, path) {
            Ok(handle) => Ok(Some(Folder::new(handle, self.path.join(path)))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(EditError::os("open", &self.path.join(path))(error)),
        }
    }

    /// The same, with what is missing of it.
    pub(super) fn make(&self, path: &str) -> Result<Folder> {
        // Only the owner may look into what is the program's own.
        let mode = |path: &str| if path.starts_with("state/tidings") { 0o700 } else { 0o777 };
        let mut above: Option<Folder> = None;
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        for end in ends {
            let part = &path[..end];
            let folder = match self.folder(part)? {
                Some(folder) => folder,
                None => {
                    let handle = above.as_ref().map_or(&self.handle, Folder::handle);
                    let name = part.rsplit('/').next().unwrap_or(part);
                    let mode = Mode::from_raw_mode(mode(part));
                    match rustix::fs::mkdirat(handle, name, mode) {
                        // Another one has made it.
                        Ok(()) | Err(Errno::EXIST) => {}
                        Err(error) => {
                            return Err(EditError::os("make", &self.path.join(part))(error));
                        }
                    }
                    // Best effort: what is written into it is made sure of itself.
                    let _ = rustix::fs::fsync(handle);
                    let missing = || EditError::Missing(self.path.join(part).display().to_string());
                    self.folder(part)?.ok_or_else(missing)?
                }
            };
            above = Some(folder);
        }
        above.ok_or_else(|| EditError::Missing(self.path.display().to_string()))
    }

    /// Waits until nobody else edits.
    pub(super) fn lock(&self) -> Result<Lock> {
        let folder = self.make("state/tidings")?;
        let file = folder.lock_file("edit.lock")?;
        rustix::fs::flock(&file, FlockOperation::LockExclusive)
            .map_err(EditError::os("lock", &self.path.join("state/tidings/edit.lock")))?;
        Ok(Lock(file))
    }
}

/// Opens a folder below another, and nothing else.
fn beneath(root: &OwnedFd, path: &str) -> rustix::io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::ResolveFlags;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..100 {
            match rustix::fs::openat2(root, path, FOLDER, Mode::empty(), resolve) {
                // Something was renamed meanwhile, so that it could not be sure.
                Err(Errno::AGAIN | Errno::INTR) => {}
                // An old kernel, or a sandbox that does not know of it.
                Err(Errno::NOSYS | Errno::PERM) => break,
                opened => return opened,
            }
        }
    }
    one_by_one(root, path)
}

/// The same without the system's help: no links at all.
fn one_by_one(root: &OwnedFd, path: &str) -> rustix::io::Result<OwnedFd> {
    let flags = FOLDER | OFlags::NOFOLLOW;
    let mut current: Option<OwnedFd> = None;
    for name in path.split('/') {
        if matches!(name, "" | "." | "..") {
            return Err(Errno::XDEV);
        }
        let above = current.as_ref().unwrap_or(root);
        let opened = rustix::fs::openat(above, name, flags, Mode::empty());
        // What is no folder for that it is a link is said to be no folder.
        let is_link = || {
            let stat = rustix::fs::statat(above, name, AtFlags::SYMLINK_NOFOLLOW);
            stat.map(|stat| FileType::from_raw_mode(stat.st_mode)) == Ok(FileType::Symlink)
        };
        current = Some(match opened {
            Err(Errno::NOTDIR) if is_link() => return Err(Errno::LOOP),
            opened => opened?,
        });
    }
    current.ok_or(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_stay_in_the_root() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/file"), "x").unwrap();
        std::os::unix::fs::symlink(outer.path(), root.join("a/out")).unwrap();
        let handle = Root::open(&root).unwrap().handle;
        for open in [beneath, one_by_one] {
            assert!(open(&handle, "a/b").is_ok());
            assert_eq!(open(&handle, "a/c").err(), Some(Errno::NOENT));
            assert_eq!(open(&handle, "a/file").err(), Some(Errno::NOTDIR));
            for out in ["a/out", "a/out/root", "..", "a/../..", "/", "/tmp"] {
                let error = open(&handle, out).err();
                assert!(matches!(error, Some(Errno::XDEV | Errno::LOOP)), "{out}: {error:?}");
            }
        }
    }
}
