//! The beginning of a body, as text is looked for in it.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;

/// The first bytes of a body, at the most so many; gzip is undone first. It is known by its first
/// bytes, as the document reader knows it, because servers announce it when it is not there and send
/// it unannounced.
pub(crate) fn opening(mut reader: impl BufRead, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if reader.fill_buf()?.starts_with(b"\x1f\x8b") {
        MultiGzDecoder::new(reader).take(most).read_to_end(&mut bytes)?;
    } else {
        reader.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
