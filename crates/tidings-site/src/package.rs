//! A package of the Resource Dump, made while it is sent.

use std::io::{self, BufWriter, Read, Write};

use crc32fast::Hasher as Crc;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, DataDescriptorOutput, ErrorKind, ZipArchiveWriter};
use sha2::{Digest as _, Sha256};
use tidings_document::{Algorithm, Digest, Hash, Writer};

use crate::documents::{Between, Documents};
use crate::journal::Millis;
use crate::listing::Listing;
use crate::page_meta::PageMeta;

/// What is written at a time.
const PIECE: usize = 64 << 10;
/// Pages shrink by much at once, and hardly more with more work.
const LEVEL: Compression = Compression::new(3);

impl Documents<'_> {
    /// Writes a package: what is between these paths now, and a manifest, which comes last, since it has
    /// the digests. `open` gives what is sent at an object's URL; what it does not find is left out.
    pub fn package<R: Read>(
        &self,
        listing: &Listing,
        between: &Between,
        now: Millis,
        out: impl Write,
        mut open: impl FnMut(&PageMeta) -> io::Result<R>,
    ) -> io::Result<()> {
        let out = BufWriter::with_capacity(PIECE, out);
        let mut zip = ZipArchiveWriter::builder().build(out);
        let mut manifest =
            Writer::new(Vec::new(), &self.manifest(now)).map_err(io::Error::other)?;
        let all = listing.between(between.from.as_deref(), between.until.as_deref());
        for (place, meta) in all.enumerate() {
            let mut content = match open(meta) {
                Ok(content) => content,
                // It went away meanwhile, which the Change List tells.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let name = format!("resources/{place:06}");
            let packs = meta.mime.starts_with("text/") || meta.mime.ends_with("xml");
            let method = if packs { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
            let (mut entry, _) =
                zip.new_file(&name).compression_method(method).start().map_err(plain)?;
            let mut sums = Sums::default();
            if packs {
                let mut encoder = DeflateEncoder::new(&mut entry, LEVEL);
                sums.copy(&mut content, &mut encoder)?;
                encoder.finish()?;
            } else {
                sums.copy(&mut content, &mut entry)?;
            }
            let length = sums.length;
            let descriptor = DataDescriptorOutput::new(sums.crc.finalize(), length);
            entry.finish(descriptor).map_err(plain)?;
            let mut said = self.packed(meta, format!("/{name}"), length);
            let digest = Digest::new(Algorithm::Sha256, &sums.sha.finalize());
            said.metadata.hash = digest.map(|digest| Hash::new(&[digest]));
            manifest.write(&said).map_err(io::Error::other)?;
        }
        let (bytes, _) = manifest.finish().map_err(io::Error::other)?;
        let (mut entry, _) = zip.new_file("manifest.xml").start().map_err(plain)?;
        let mut sums = Sums::default();
        sums.copy(&mut bytes.as_slice(), &mut entry)?;
        entry.finish(DataDescriptorOutput::new(sums.crc.finalize(), sums.length)).map_err(plain)?;
        zip.finish().map_err(plain)?.flush()
    }
}

/// What was written of one file.
#[derive(Default)]
struct Sums {
    crc: Crc,
    sha: Sha256,
    length: u64,
}

impl Sums {
    fn copy(&mut self, from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
        let mut buffer = vec![0; PIECE];
        loop {
            let read = from.read(&mut buffer)?;
            if read == 0 {
                return Ok(());
            }
            let bytes = &buffer[..read];
            self.crc.update(bytes);
            self.sha.update(bytes);
            self.length += read as u64;
            to.write_all(bytes)?;
        }
    }
}

fn plain(error: rawzip::Error) -> io::Error {
    match error.into_kind() {
        ErrorKind::IO(error) => error,
        kind => io::Error::other(kind.to_string()),
    }
}
