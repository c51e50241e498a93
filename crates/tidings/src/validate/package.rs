//! The manifest inside a package.

use std::io::{Cursor, Read};

use anyhow::{Context, Result, bail};
use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive};

use super::target::BufReadSeek;

/// Takes `manifest.xml` out of a ZIP file, at the top level and nowhere else (section 11.2): at the
/// most so many bytes of it.
pub(super) fn manifest(package: Box<dyn BufReadSeek>, most: u64) -> Result<Cursor<Vec<u8>>> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive =
        ZipArchive::from_seekable(package, &mut buffer).context("it is not a ZIP file")?;
    let mut entries = archive.entries(&mut buffer);
    let mut found = None;
    while let Some(entry) = entries.next_entry().context("its directory is damaged")? {
        if entry.file_path().as_bytes() == b"manifest.xml" {
            if found.is_some() {
                bail!("it has two files manifest.xml");
            }
            found = Some((entry.wayfinder(), entry.compression_method()));
        }
    }
    let Some((place, method)) = found else { bail!("it has no manifest.xml at its top level") };
    let entry = archive.get_entry(place).context("its manifest.xml is damaged")?;
    let raw = entry.reader();
    let mut manifest = Vec::new();
    let read = match method {
        CompressionMethod::STORE => {
            entry.verifying_reader(raw).take(most + 1).read_to_end(&mut manifest)
        }
        CompressionMethod::DEFLATE => entry
            .verifying_reader(DeflateDecoder::new(raw))
            .take(most + 1)
            .read_to_end(&mut manifest),
        other => bail!("its manifest.xml is compressed by method {other:?}, which is not deflate"),
    };
    read.context("its manifest.xml is damaged")?;
    if manifest.len() as u64 > most {
        bail!("its manifest.xml is longer than {most} bytes");
    }
    Ok(Cursor::new(manifest))
}
