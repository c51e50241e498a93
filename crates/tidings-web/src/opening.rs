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

/// The same of the first part of a body: where that breaks off, what was had so far is all there is.
pub(crate) fn opening_of_part(part: &[u8], most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if part.starts_with(b"\x1f\x8b") {
        // An error is the end of the part, and what came before it is there.
        let _ = MultiGzDecoder::new(part).take(most).read_to_end(&mut bytes);
    } else {
        bytes.extend(part.iter().take(usize::try_from(most).unwrap_or(usize::MAX)));
    }
    bytes
}
