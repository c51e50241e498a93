//! The folder that everything is in, and the only way out of it: none.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, statat,
};
use rustix::io::Errno;

use crate::object_id::ObjectId;
use crate::page_meta::Stamp;
use crate::place::Place;

/// A content root. Its folder is looked up anew each time: it may be moved away, and come again.
#[derive(Debug, Clone)]
pub struct ContentRoot {
    path: PathBuf,
    /// The open folders that all names are looked up in; none where each is looked up anew.
    held: Option<Arc<HeldFolders>>,
}

/// The folders of a content root as they were at one moment, whatever becomes of their names.
#[derive(Debug)]
struct HeldFolders {
    root: OwnedFd,
    folders: [(&'static str, Option<OwnedFd>); 3],
}

/// The kernel resolves names so that nothing outside can be reached, whatever links there are, and
/// however they change meanwhile.
const WITHIN: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

impl ContentRoot {
    /// One at that path.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path, held: None }
    }

    /// The same root with its folders open. A look at many files goes through one: if the root is moved
    /// away meanwhile, the look still sees the folders that it began with, and takes nothing for deleted.
    pub(crate) fn hold(&self) -> io::Result<Self> {
        let root = self.handle()?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open = |name| {
            let found = match openat2(&root, name, flags, Mode::empty(), WITHIN) {
                Ok(folder) => Some(folder),
                Err(error) if is_gone(&error.into()) => None,
                Err(error) => return Err(io::Error::from(error)),
            };
            Ok((name, found))
        };
        let folders = [open("content")?, open("pages")?, open("state")?];
        let held = HeldFolders { root, folders };
        Ok(Self { path: self.path.clone(), held: Some(Arc::new(held)) })
    }

    /// Which folder of this name a held root has, by device and number; none if it has none.
    pub(crate) fn held_folder(&self, name: &str) -> Option<(u64, u64)> {
        let folders = &self.held.as_ref()?.folders;
        let (_, folder) = folders.iter().find(|(known, _)| *known == name)?;
        let found = fstat(folder.as_ref()?).ok()?;
        Some((found.st_dev, found.st_ino))
    }

    /// A path that leads to a folder of a held root also if the root has another name by now.
    pub(crate) fn path_to_watch(&self, folder: &str) -> PathBuf {
        let by_name = || self.path.join(folder);
        let Some(held) = &self.held else { return by_name() };
        let (first, rest) = folder.split_once('/').unwrap_or((folder, ""));
        let (handle, rest) = match held.folders.iter().find(|(name, _)| *name == first) {
            Some((_, Some(handle))) => (handle, rest),
            _ => (&held.root, folder),
        };
        let path = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
        // Not every sandbox has /proc.
        if path.exists() { path.join(rest) } else { by_name() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn handle(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat(CWD, &self.path, flags, Mode::empty())?)
    }

    /// The folder that a path begins with, and the rest. Links are followed within that folder alone: who
    /// may write pages is not to have them lead to the accounts.
    fn beneath<'p>(&self, path: &'p str) -> io::Result<(OwnedFd, &'p str)> {
        let (first, rest) = path.split_once('/').unwrap_or((path, "."));
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        // A folder in the root itself, as a rule, and no link: then one look is enough. It is not kept
        // open, which would keep its disk from being taken away.
        if let Some(held) = &self.held {
            return match held.folders.iter().find(|(name, _)| *name == first) {
                Some((_, Some(folder))) => Ok((folder.try_clone()?, rest)),
                Some((_, None)) => Err(Errno::NOENT.into()),
                None => Ok((openat2(&held.root, first, flags, Mode::empty(), WITHIN)?, rest)),
            };
        }
        let is_name = !matches!(first, "" | "." | "..");
        if is_name
            && let Ok(folder) =
                openat(CWD, self.path.join(first), flags | OFlags::NOFOLLOW, Mode::empty())
        {
            return Ok((folder, rest));
        }
        Ok((openat2(self.handle()?, first, flags, Mode::empty(), WITHIN)?, rest))
    }

    /// Which folder it is, by device and number; none if it is not there.
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        let found = match &self.held {
            Some(held) => fstat(&held.root),
            None => statat(CWD, &self.path, AtFlags::empty()),
        };
        let found = found.ok()?;
        Some((found.st_dev, found.st_ino))
    }

    /// Whether it is there, with anything to serve in it.
    #[must_use]
    pub fn is_there(&self) -> bool {
        let Ok(handle) = self.handle() else { return false };
        let is_folder = |name: &str| {
            let found = statat(&handle, name, AtFlags::empty());
            found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory)
        };
        is_folder("content") || is_folder("pages")
    }

    /// Opens a file. What is no file, or not within, cannot be.
    pub fn open(&self, path: &str) -> io::Result<(File, Stamp)> {
        // A pipe would else wait for somebody to write.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let (folder, path) = self.beneath(path)?;
        let file = openat2(folder, path, flags, Mode::empty(), WITHIN)?;
        let found = fstat(&file)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        }
        Ok((file.into(), stamp(&found)))
    }

    /// Opens a folder, to list it.
    pub(crate) fn open_folder(&self, path: &str) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let (folder, path) = self.beneath(path)?;
        Ok(openat2(folder, path, flags, Mode::empty(), WITHIN)?)
    }

    /// What a file is like now; none if there is none within, or if that cannot be found out.
    #[must_use]
    pub fn stamp(&self, path: &str) -> Option<Stamp> {
        self.look(path).ok().flatten()
    }

    /// What a file is like now; none if there is none within. That it cannot be found out, such as where
    /// too many files are open, does not mean that it is gone.
    pub(crate) fn look(&self, path: &str) -> io::Result<Option<Stamp>> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let found = self.beneath(path).and_then(|(folder, path)| {
            let file = openat2(folder, path, flags, Mode::empty(), WITHIN)?;
            Ok(fstat(&file)?)
        });
        match found {
            Ok(found) => {
                let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
                Ok(is_file.then(|| stamp(&found)))
            }
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a name is a link to a file that has another name, too: such a file is not new.
    pub(crate) fn is_link(&self, path: &str) -> bool {
        let Some((folder, name)) = path.rsplit_once('/') else { return false };
        let found = self.beneath(folder).and_then(|(top, rest)| {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let folder = openat2(top, rest, flags, Mode::empty(), WITHIN)?;
            Ok(statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?)
        });
        found.is_ok_and(|found| {
            found.st_nlink > 1 || FileType::from_raw_mode(found.st_mode) == FileType::Symlink
        })
    }

    /// Whether there is a folder within, which a link to one is not. That it cannot be found out does not
    /// mean that there is none.
    pub(crate) fn has_folder(&self, path: &str) -> io::Result<bool> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = self
            .beneath(path)
            .and_then(|(folder, path)| Ok(openat2(folder, path, flags, Mode::empty(), WITHIN)?));
        match found {
            Ok(_) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The first bytes of a file, with what it is like.
    pub fn read(&self, path: &str, most: usize) -> io::Result<(Vec<u8>, Stamp)> {
        let (file, stamp) = self.open(path)?;
        let room = usize::try_from(stamp.length).unwrap_or(most).min(most);
        let mut bytes = Vec::with_capacity(room + 1);
        file.take(most as u64).read_to_end(&mut bytes)?;
        Ok((bytes, stamp))
    }
}

/// Whether an error says that nothing is there: not there, below a file, or a link that leads out or
/// round in a circle.
pub(crate) fn is_gone(error: &io::Error) -> bool {
    let gone = [Errno::NOENT, Errno::NOTDIR, Errno::XDEV, Errno::LOOP];
    error.raw_os_error().is_some_and(|code| gone.iter().any(|it| it.raw_os_error() == code))
}

pub(crate) fn stamp(found: &rustix::fs::Stat) -> Stamp {
    Stamp {
        seconds: found.st_mtime,
        // Below a thousand millions, and a length is not negative.
        nanos: found.st_mtime_nsec as u32,
        length: found.st_size as u64,
        changed_seconds: found.st_ctime,
        changed_nanos: found.st_ctime_nsec as u32,
        inode: found.st_ino,
    }
}

impl Place {
    /// The blob's path from the content root.
    #[must_use]
    pub fn path(&self, id: ObjectId) -> String {
        match self {
            Self::Version { number } => format!("content/{:02x}/{id}.{number}", id.0 & 0xff),
            Self::File { path } => format!("pages/{path}"),
        }
    }
}
