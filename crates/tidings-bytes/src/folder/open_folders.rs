//! The folders of a store, opened one below the other.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::ByteStoreError;

/// How many folders are kept open.
const MAX_OPEN_FOLDERS: usize = 256;

/// Why a folder could not be entered.
#[derive(Debug)]
pub(super) enum PathConflict {
    /// The segment of that number is a file.
    FileAt(usize),
    /// The name itself is a folder.
    IsFolder,
    /// There is a link, which is never followed.
    Link,
    Io(io::Error),
}

/// Folders below the root, by their paths.
pub(super) struct OpenFolders {
    root: Arc<OwnedFd>,
    open: HashMap<String, Arc<OwnedFd>>,
    /// The folder that was not there when it was last looked for: many files of a new folder ask for it.
    missing: Option<String>,
}

const FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl OpenFolders {
    pub(super) fn new(path: &Path) -> Result<Self, ByteStoreError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| ByteStoreError::io("could not open", path)(error.into()))?;
        Ok(Self { root: Arc::new(root), open: HashMap::new(), missing: None })
    }

    pub(super) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    /// The folder of a path, and the name in it. If it is to be there, it is made.
    pub(super) fn of<'p>(
        &mut self,
        path: &'p str,
        make: bool,
    ) -> Result<(Arc<OwnedFd>, &'p str), PathConflict> {
        let Some((folder, name)) = path.rsplit_once('/') else {
            return Ok((Arc::clone(&self.root), path));
        };
        if let Some(open) = self.open.get(folder) {
            return Ok((Arc::clone(open), name));
        }
        if !make && self.missing.as_deref() == Some(folder) {
            return Err(PathConflict::Io(io::ErrorKind::NotFound.into()));
        }
        let mut current = Arc::clone(&self.root);
        for (place, segment) in folder.split('/').enumerate() {
            let entered = enter(current.as_fd(), segment, make).map_err(|error| {
                if error == Errno::NOENT {
                    self.missing = Some(folder.to_owned());
                }
                Self::conflict(current.as_fd(), segment, place, error)
            });
            current = Arc::new(entered?);
        }
        self.missing = None;
        if self.open.len() >= MAX_OPEN_FOLDERS {
            self.open.clear();
        }
        self.open.insert(folder.to_owned(), Arc::clone(&current));
        Ok((current, name))
    }

    fn conflict(parent: BorrowedFd<'_>, segment: &str, place: usize, error: Errno) -> PathConflict {
        if error != Errno::NOTDIR && error != Errno::LOOP {
            return PathConflict::Io(error.into());
        }
        let stat = rustix::fs::statat(parent, segment, AtFlags::SYMLINK_NOFOLLOW);
        match stat.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
            Ok(FileType::RegularFile) => PathConflict::FileAt(place),
            Ok(FileType::Symlink) => PathConflict::Link,
            _ => PathConflict::Io(error.into()),
        }
    }

    /// Removes the folders of a path from below, as far as they are empty.
    pub(super) fn prune(&mut self, path: &str) {
        let mut folder = path;
        while let Some((above, _)) = folder.rsplit_once('/') {
            let Ok((parent, name)) = self.of(above, false) else { break };
            // The descriptor of a folder that is gone would take no file any more.
            self.open.remove(above);
            if rustix::fs::unlinkat(parent.as_fd(), name, AtFlags::REMOVEDIR).is_err() {
                break;
            }
            folder = above;
        }
    }
}

fn enter(parent: BorrowedFd<'_>, segment: &str, make: bool) -> Result<OwnedFd, Errno> {
    match rustix::fs::openat(parent, segment, FLAGS, Mode::empty()) {
        Err(Errno::NOENT) if make => {
            match rustix::fs::mkdirat(parent, segment, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
            rustix::fs::openat(parent, segment, FLAGS, Mode::empty())
        }
        result => result,
    }
}
