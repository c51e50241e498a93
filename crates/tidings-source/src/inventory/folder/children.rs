//! What is in one folder.

use std::fs::{DirEntry, FileType};
use std::io;
use std::path::Path;

use super::super::name::{decoded, push_encoded};

/// The names in a folder, as they stand in URIs and in that order; folders with the slash behind
/// them. All in one piece of memory: a folder may have millions.
#[derive(Debug, Default)]
pub(super) struct Children {
    names: Vec<u8>,
    /// Where each name begins and how long it is, the next one last.
    places: Vec<(u32, u16)>,
}

impl Children {
    pub(super) fn add(&mut self, name: &std::ffi::OsStr, folder: bool) -> io::Result<()> {
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
    pub(super) fn next(&mut self) -> Option<&str> {
        let (start, length) = self.places.pop()?;
        std::str::from_utf8(&self.names[start as usize..][..usize::from(length)]).ok()
    }
}

/// The file name that stands so in a URI.
pub(super) fn file_name(segment: &str) -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(decoded(segment.strip_suffix('/').unwrap_or(segment)))
}

/// What a name in a folder stands for.
pub(super) enum Kind {
    Folder,
    File,
    Other(&'static str),
}

/// Finds out what a name stands for, links followed as far as they stay in the folder `real`.
pub(super) fn kind(entry: &DirEntry, kind: FileType, real: &Path) -> io::Result<Kind> {
    if kind.is_dir() {
        return Ok(Kind::Folder);
    }
    if kind.is_file() {
        return Ok(Kind::File);
    }
    if !kind.is_symlink() {
        return Ok(Kind::Other("it is neither a file nor a folder"));
    }
    let target = entry.path().canonicalize()?;
    Ok(match target.starts_with(real) {
        false => Kind::Other("it is a link that leads out of the folder"),
        true if target.is_file() => Kind::File,
        // Followed, it could lead around in a circle.
        true => Kind::Other("it is a link to a folder"),
    })
}
