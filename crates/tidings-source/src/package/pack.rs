//! A file on its way into a package.

use std::fs::File;
use std::io::{self, Read, Write};

use tidings_base::{PackedFile, Packer};

use super::PackageError;
use super::archive::Archive;
use super::contents::Item;

/// The usual level: more costs much and gains little.
pub(super) const LEVEL: u32 = 6;

/// How much of a long file is read at a time.
const BUFFER: usize = 256 << 10;

/// Reads a file, verifies that it is what it should be, and packs it. It is in memory as a
/// whole, but never more of it than it should have.
pub(super) fn read(packer: &mut Packer, item: &Item) -> Result<PackedFile, PackageError> {
    let read = || {
        // One more, so that a longer file is seen to be one, and the end without asking again.
        let length = usize::try_from(item.expected.length).map_err(io::Error::other)?;
        let mut bytes = vec![0; length.saturating_add(1)];
        let mut filled = 0;
        let mut file = File::open(&item.file)?;
        while filled < bytes.len() {
            match file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            if filled == length {
                break;
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    };
    let bytes = read().map_err(|source| item.unreadable(source))?;
    let mut check = item.expected.check();
    check
        .update(&bytes)
        .and_then(|()| check.finish())
        .map_err(|difference| item.changed(difference))?;
    packer.pack(bytes, item.deflate).map_err(|source| item.unreadable(source))
}

/// What stopped the copying of a long file.
pub(super) enum Stop {
    /// The file.
    Item(PackageError),
    /// The package.
    Out(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Out(error)
    }
}

/// Copies a file into the archive, verifying it on the way, a piece of it in memory at a time.
pub(super) fn stream<W: Write>(item: &Item, archive: &mut Archive<W>) -> Result<(), Stop> {
    let unreadable = |source| Stop::Item(item.unreadable(source));
    let changed = |difference| Stop::Item(item.changed(difference));
    let mut file = File::open(&item.file).map_err(unreadable)?;
    let mut check = item.expected.check();
    archive.stream(&item.name, item.deflate, |out| {
        let mut buffer = Vec::with_capacity(BUFFER);
        loop {
            // Filled up, however the system cuts what it gives: so are equal files compressed
            // to equal bytes.
            buffer.clear();
            let piece = (&mut file).take(BUFFER as u64).read_to_end(&mut buffer);
            if piece.map_err(unreadable)? == 0 {
                return check.finish().map_err(changed);
            }
            check.update(&buffer).map_err(changed)?;
            out.write_all(&buffer)?;
        }
    })
}
