//! ZIP files, written forwards only.

use std::io::{self, Write};

use crc32fast::Hasher as Crc;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::time::UtcDateTime;
use rawzip::{
    CompressionMethod, DataDescriptorOutput, ErrorKind, ZipArchiveWriter, ZipEntryWriter,
};

/// The time of every file: the first that the format knows. A real one would only make equal archives
/// differ.
const TIME: UtcDateTime = match UtcDateTime::from_components(1980, 1, 1, 0, 0, 0, 0) {
    Some(time) => time,
    None => unreachable!(),
};

/// A plain file that everybody may read.
const MODE: u32 = 0o100_644;

/// A ZIP file that is being written. It is ZIP64 where its files, their number or its length ask for that.
/// Equal input gives equal bytes. What it is written to should gather bytes: headers are short.
pub struct ZipWriter<W: Write> {
    zip: ZipArchiveWriter<W>,
    level: Compression,
}

/// A file as it stands in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedFile {
    /// Its bytes, compressed or not.
    pub bytes: Vec<u8>,
    /// True if they are deflated.
    pub is_deflated: bool,
    /// The CRC-32 of the file itself.
    pub crc: u32,
    /// The length of the file itself.
    pub length: u64,
}

/// Packs one file after the other in memory.
#[derive(Debug)]
pub struct Packer {
    encoder: DeflateEncoder<Vec<u8>>,
}

impl Packer {
    /// Compresses with that level, 0 to 9.
    #[must_use]
    pub fn new(level: u32) -> Self {
        Self { encoder: DeflateEncoder::new(Vec::new(), Compression::new(level)) }
    }

    /// Packs these bytes, compressed if that is asked for and makes them fewer.
    ///
    /// # Errors
    /// Never in practice: it writes into memory.
    pub fn pack(&mut self, bytes: Vec<u8>, deflate: bool) -> io::Result<PackedFile> {
        let (crc, length) = (crc32fast::hash(&bytes), bytes.len() as u64);
        if deflate {
            self.encoder.write_all(&bytes)?;
            let fewer = self.encoder.reset(Vec::new())?;
            if fewer.len() < bytes.len() {
                return Ok(PackedFile { bytes: fewer, is_deflated: true, crc, length });
            }
        }
        Ok(PackedFile { bytes, is_deflated: false, crc, length })
    }
}

impl<W: Write> ZipWriter<W> {
    /// Begins an archive of about `files` files, which are compressed with that level, 0 to 9.
    pub fn new(out: W, files: usize, level: u32) -> Self {
        let zip = ZipArchiveWriter::builder().with_capacity(files).build(out);
        Self { zip, level: Compression::new(level) }
    }

    /// Adds a file that is packed already.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&mut self, name: &str, packed: &PackedFile) -> io::Result<()> {
        let mut entry = self.begin(name, packed.is_deflated)?;
        entry.write_all(&packed.bytes)?;
        entry.finish(DataDescriptorOutput::new(packed.crc, packed.length)).map_err(plain)?;
        Ok(())
    }

    /// Adds a file piece by piece: `fill` is given where to write it.
    ///
    /// # Errors
    /// If it cannot be written, and whatever `fill` fails by.
    pub fn stream<E: From<io::Error>>(
        &mut self,
        name: &str,
        deflate: bool,
        fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), E> {
        let level = self.level;
        let mut entry = self.begin(name, deflate)?;
        let counted = |out: &mut dyn Write| {
            let mut out = Counted { out, crc: Crc::new(), length: 0 };
            fill(&mut out).map(|()| DataDescriptorOutput::new(out.crc.finalize(), out.length))
        };
        let descriptor = if deflate {
            let mut encoder = DeflateEncoder::new(&mut entry, level);
            let descriptor = counted(&mut encoder)?;
            encoder.finish()?;
            descriptor
        } else {
            counted(&mut entry)?
        };
        entry.finish(descriptor).map_err(plain)?;
        Ok(())
    }

    /// Ends the archive, and gives back where it was written to.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        let mut out = self.zip.finish().map_err(plain)?;
        out.flush()?;
        Ok(out)
    }

    fn begin(&mut self, name: &str, deflate: bool) -> io::Result<ZipEntryWriter<'_, W>> {
        let method = if deflate { CompressionMethod::DEFLATE } else { CompressionMethod::STORE };
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

/// Keeps the sum and the length that the format wants of what is not yet compressed.
struct Counted<'w> {
    out: &'w mut dyn Write,
    crc: Crc,
    length: u64,
}

impl Write for Counted<'_> {
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
    use std::io::Read as _;

    use super::*;

    #[test]
    fn more_files_than_sixteen_bits_count() {
        let mut zip = ZipWriter::new(Vec::new(), 0, 6);
        let mut packer = Packer::new(6);
        for number in 0..70_000 {
            let packed = packer.pack(number.to_string().into_bytes(), false).unwrap();
            zip.put(&format!("{number}"), &packed).unwrap();
        }
        let bytes = zip.finish().unwrap();
        let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
        assert_eq!(archive.entries().count(), 70_000);
        assert_eq!(archive.entries_hint(), 70_000);
    }

    fn small() -> Vec<u8> {
        let mut zip = ZipWriter::new(Vec::new(), 2, 6);
        let text = b"abc".repeat(1_000);
        let packed = Packer::new(6).pack(text.clone(), true).unwrap();
        assert!(packed.is_deflated && packed.length == 3_000 && packed.bytes.len() < 100);
        zip.put("packed", &packed).unwrap();
        for deflate in [true, false] {
            let fill = |out: &mut dyn Write| out.write_all(&text);
            zip.stream(&format!("streamed {deflate}"), deflate, fill).unwrap();
        }
        zip.finish().unwrap()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let bytes = small();
        assert_eq!(bytes, small());
        let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
        let mut names = Vec::new();
        for entry in archive.entries() {
            let entry = entry.unwrap();
            names.push(String::from_utf8(entry.file_path().as_ref().to_vec()).unwrap());
            let is_deflated = entry.compression_method() == CompressionMethod::DEFLATE;
            let file = archive.get_entry(entry.wayfinder()).unwrap();
            let mut text = Vec::new();
            match is_deflated {
                true => {
                    let input = flate2::read::DeflateDecoder::new(file.data());
                    file.verifying_reader(input).read_to_end(&mut text).unwrap();
                }
                false => _ = file.verifying_reader(file.data()).read_to_end(&mut text).unwrap(),
            }
            assert_eq!(text, b"abc".repeat(1_000));
        }
        assert_eq!(names, ["packed", "streamed true", "streamed false"]);
    }

    #[test]
    fn incompressible_bytes_stay_as_they_are() {
        let packed = Packer::new(6).pack(b"x".to_vec(), true).unwrap();
        assert!(!packed.is_deflated && packed.bytes == b"x");
    }

    #[test]
    fn a_full_disk_is_the_error() {
        let mut full = [0_u8; 10];
        let mut zip = ZipWriter::new(&mut full[..], 1, 6);
        let error = zip.stream("a", false, |out| out.write_all(b"x")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
    }
}
