//! The ZIP file.

use std::io::{self, BufWriter, Write};

use crc32fast::Hasher as Crc;
use flate2::write::DeflateEncoder;
use rawzip::time::UtcDateTime;
use rawzip::{
    CompressionMethod, DataDescriptorOutput, ErrorKind, ZipArchiveWriter, ZipEntryWriter,
};
use sha2::{Digest as _, Sha256};
use tidings_document::{Algorithm, Digest};

use super::pack::{LEVEL, Packed};

/// How much is gathered before it is hashed and handed on.
const BUFFER: usize = 256 << 10;

/// The time of every file in a package: the first that the format knows. When a resource was modified
/// the manifest says; here it would only make equal packages differ.
const TIME: UtcDateTime = match UtcDateTime::from_components(1980, 1, 1, 0, 0, 0, 0) {
    Some(time) => time,
    None => unreachable!(),
};

/// A plain file that everybody may read.
const MODE: u32 = 0o100_644;

/// A ZIP file that is being written, forwards only. It is ZIP64 where its files, their number or its
/// length ask for that.
pub(super) struct Archive<W: Write> {
    zip: ZipArchiveWriter<BufWriter<Hashing<W>>>,
}

impl<W: Write> Archive<W> {
    pub(super) fn new(out: W, files: usize) -> Self {
        let out = Hashing { out, bytes: 0, function: Sha256::new() };
        let out = BufWriter::with_capacity(BUFFER, out);
        Self { zip: ZipArchiveWriter::builder().with_capacity(files).build(out) }
    }

    /// Adds a file that is packed already.
    pub(super) fn put(&mut self, name: &str, packed: &Packed) -> io::Result<()> {
        let mut entry = self.begin(name, packed.deflated)?;
        entry.write_all(&packed.bytes)?;
        entry.finish(DataDescriptorOutput::new(packed.crc, packed.length)).map_err(plain)?;
        Ok(())
    }

    /// Adds a file piece by piece: `fill` is given where to write it.
    pub(super) fn stream<E: From<io::Error>>(
        &mut self,
        name: &str,
        deflated: bool,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut entry = self.begin(name, deflated)?;
        let counted = |out: &mut dyn Write| {
            let mut out = Summed { out, crc: Crc::new(), length: 0 };
            fill(&mut out).map(|()| DataDescriptorOutput::new(out.crc.finalize(), out.length))
        };
        let descriptor = if deflated {
            let mut encoder = DeflateEncoder::new(&mut entry, LEVEL);
            let descriptor = counted(&mut encoder)?;
            encoder.finish()?;
            descriptor
        } else {
            counted(&mut entry)?
        };
        entry.finish(descriptor).map_err(plain)?;
        Ok(())
    }

    /// Ends the file: gives back what it was written to, its length and its SHA-256.
    pub(super) fn finish(self) -> io::Result<(W, u64, Digest)> {
        let out = self.zip.finish().map_err(plain)?;
        let Hashing { mut out, bytes, function } =
            out.into_inner().map_err(io::IntoInnerError::into_error)?;
        out.flush()?;
        let digest = Digest::new(Algorithm::Sha256, &function.finalize())
            .ok_or_else(|| io::Error::other("a digest of the wrong length"))?;
        Ok((out, bytes, digest))
    }

    fn begin(
        &mut self,
        name: &str,
        deflated: bool,
    ) -> io::Result<ZipEntryWriter<'_, BufWriter<Hashing<W>>>> {
        let method = if deflated { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
        let file = self.zip.new_file(name).compression_method(method);
        let (entry, _) = file.last_modified(TIME).unix_permissions(MODE).start().map_err(plain)?;
        Ok(entry)
    }
}

/// The error below, where there is one: that the disk is full is for the caller to see.
fn plain(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::IO(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

/// Counts and hashes what passes.
struct Hashing<W> {
    out: W,
    bytes: u64,
    function: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.bytes += count as u64;
        self.function.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Keeps the sum and the length that the format wants of what is not yet compressed.
struct Summed<'w> {
    out: &'w mut dyn Write,
    crc: Crc,
    length: u64,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.crc.update(&bytes[..count]);
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::pack::Packer;

    #[test]
    fn more_files_than_sixteen_bits_count() {
        let mut archive = Archive::new(Vec::new(), 0);
        let mut packer = Packer::new();
        for number in 0..70_000 {
            let packed = packer.pack(number.to_string().into_bytes(), false).unwrap();
            archive.put(&format!("{number}"), &packed).unwrap();
        }
        let (bytes, length, _) = archive.finish().unwrap();
        assert_eq!(bytes.len() as u64, length);
        let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
        assert_eq!(archive.entries().count(), 70_000);
        assert_eq!(archive.entries_hint(), 70_000);
    }
}
