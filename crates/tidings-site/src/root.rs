//! The folder that everything is in, and the only way out of it: none.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

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
}

/// The kernel resolves names so that nothing outside can be reached, whatever links there are, and
/// however they change meanwhile.
const WITHIN: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

impl ContentRoot {
    /// One at that path.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self { path }
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
        let found = statat(CWD, &self.path, AtFlags::empty()).ok()?;
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

    /// Whether there is a folder within, which a link to one is not.
    pub(crate) fn is_folder(&self, path: &str) -> bool {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.beneath(path)
            .is_ok_and(|(folder, path)| openat2(folder, path, flags, Mode::empty(), WITHIN).is_ok())
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
