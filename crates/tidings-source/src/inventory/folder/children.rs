//! What is in one folder.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, open, openat, statat};

use super::super::name::{decoded, push_encoded};

/// A folder that is open: its files are asked for by their names alone, which is faster than by the
/// whole path.
pub(super) struct OpenFolder {
    handle: OwnedFd,
    pub(super) path: PathBuf,
}

impl OpenFolder {
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { handle: open(&path, flags, Mode::empty())?, path })
    }

    /// What the system says of a file in it, links followed.
    pub(super) fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(statat(&self.handle, name, AtFlags::empty())?)
    }

    /// Opens a file in it.
    pub(super) fn file(&self, name: &OsStr) -> io::Result<File> {
        // Without waiting: what has become a pipe meanwhile would keep us for ever.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        Ok(openat(&self.handle, name, flags, Mode::empty())?.into())
    }

    /// Shows each name in it, but for those of itself and the folder above.
    pub(super) fn each(
        &self,
        mut each: impl FnMut(&OsStr, FileType) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut entries = Dir::read_from(&self.handle)?;
        while let Some(entry) = entries.read() {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Not every file system tells.
                FileType::Unknown => {
                    let stat = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
                    stat.map_or(FileType::Unknown, |stat| FileType::from_raw_mode(stat.st_mode))
                }
                kind => kind,
            };
            each(name, kind)?;
        }
        Ok(())
    }

    /// What a name in it stands for, links followed as far as they stay in the folder `real`.
    pub(super) fn kind(&self, name: &OsStr, kind: FileType, real: &Path) -> io::Result<Kind> {
        match kind {
            FileType::Directory => return Ok(Kind::Folder),
            FileType::RegularFile => return Ok(Kind::File),
            FileType::Symlink => {}
            _ => return Ok(Kind::Other("it is neither a file nor a folder")),
        }
        let target = self.path.join(name).canonicalize()?;
        Ok(match target.starts_with(real) {
            false => Kind::Other("it is a link that leads out of the folder"),
            true if target.is_file() => Kind::File,
            // Followed, it could lead around in a circle.
            true => Kind::Other("it is a link to a folder"),
        })
    }
}

/// What a name in a folder stands for.
pub(super) enum Kind {
    Folder,
    File,
    Other(&'static str),
}

/// The names in a folder, as they stand in URIs and in that order; folders with the slash behind
/// them. All in one piece of memory: a folder may have millions.
#[derive(Debug, Default)]
pub(super) struct Children {
    names: Vec<u8>,
    /// Where each name begins and how long it is, the next one last.
    places: Vec<(u32, u16)>,
}

impl Children {
    pub(super) fn add(&mut self, name: &OsStr, folder: bool) -> io::Result<()> {
        let start = self.names.len();
        push_encoded(&mut self.names, name);
        if folder {
            self.names.push(b'/');
        }
        let length = self.names.len() - start;
        let place = u32::try_from(start).ok().zip(u16::try_from(length).ok());
        self.places.push(place.ok_or_else(|| io::Error::other("there is too much in it"))?);
        Ok(())
    }

    pub(super) fn sort(&mut self) {
        let names = &self.names;
        let name = |(start, length): (u32, u16)| &names[start as usize..][..usize::from(length)];
        self.places.sort_unstable_by(|one, other| name(*other).cmp(name(*one)));
    }

    /// The next name, as it stands in a URI.
    pub(super) fn peek(&self) -> Option<&str> {
        let &(start, length) = self.places.last()?;
        std::str::from_utf8(&self.names[start as usize..][..usize::from(length)]).ok()
    }

    /// Goes past the next name.
    pub(super) fn pop(&mut self) {
        self.places.pop();
    }
}

/// The file name that stands so in a URI.
pub(super) fn file_name(segment: &str) -> OsString {
    OsString::from_vec(decoded(segment.strip_suffix('/').unwrap_or(segment)))
}
