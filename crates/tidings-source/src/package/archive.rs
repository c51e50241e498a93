//! The file of a package, with its length and digest.

use std::io::{self, BufWriter, Write};

use sha2::{Digest as _, Sha256};
use tidings_base::ZipWriter;
use tidings_document::{Algorithm, Digest};

use super::pack::LEVEL;

/// How much is gathered before it is hashed and handed on.
const BUFFER: usize = 256 << 10;

/// A package that is being written, forwards only.
pub(super) type Archive<W> = ZipWriter<BufWriter<Hashing<W>>>;

/// Begins a package of about so many files.
pub(super) fn begin<W: Write>(out: W, files: usize) -> Archive<W> {
    let out = Hashing { out, bytes: 0, function: Sha256::new() };
    ZipWriter::new(BufWriter::with_capacity(BUFFER, out), files, LEVEL)
}

/// Ends the package: gives back what it was written to, its length and its SHA-256.
pub(super) fn finish<W: Write>(archive: Archive<W>) -> io::Result<(W, u64, Digest)> {
    let out = archive.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
    let Hashing { out, bytes, function } = out;
    let digest = Digest::new(Algorithm::Sha256, &function.finalize())
        .ok_or_else(|| io::Error::other("a digest of the wrong length"))?;
    Ok((out, bytes, digest))
}

/// Counts and hashes what passes.
pub(super) struct Hashing<W> {
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
