//! WebP (RFC 9649).

use super::{Bytes, Parts, PictureError};

/// Exif and XMP data are there.
const METADATA: u8 = 0b1100;

pub(super) fn read(bytes: &[u8]) -> Result<Parts, PictureError> {
    let mut rest = Bytes(bytes);
    rest.take(4)?;
    let length = rest.le32()?;
    let mut rest = Bytes(rest.take(length as usize)?);
    rest.take(4)?;
    let mut kept = Vec::with_capacity(bytes.len());
    kept.extend_from_slice(b"RIFF\0\0\0\0WEBP");
    let mut size = None;
    let mut has_data = false;
    while !rest.0.is_empty() {
        let (kind, data) = chunk(&mut rest)?;
        match &kind {
            b"VP8X" => {
                let mut header: [u8; 10] = Bytes(data).array()?;
                header[0] &= !METADATA;
                let mut canvas = Bytes(&header[4..]);
                size = size.or(Some((canvas.le24()? + 1, canvas.le24()? + 1)));
                put(&mut kept, kind, &header);
            }
            b"VP8 " | b"VP8L" => {
                let own = size_of(kind, data)?;
                // One that is larger than its canvas is not told to be small.
                let (width, height) = *size.get_or_insert(own);
                if own.0 > width || own.1 > height {
                    return Err(PictureError::Damaged("it is larger than it says"));
                }
                has_data = true;
                put(&mut kept, kind, data);
            }
            b"ANMF" => {
                has_data = true;
                put(&mut kept, kind, &frame(data)?);
            }
            b"ANIM" | b"ALPH" | b"ICCP" => put(&mut kept, kind, data),
            _ => {}
        }
    }
    // It is no longer than it was, and that was four bytes.
    let length = (kept.len() - 8) as u32;
    kept[4..8].copy_from_slice(&length.to_le_bytes());
    match size {
        Some((width, height)) if has_data => Ok(Parts { bytes: kept, width, height }),
        _ => Err(PictureError::Damaged("it has no data")),
    }
}

fn chunk<'a>(rest: &mut Bytes<'a>) -> Result<([u8; 4], &'a [u8]), PictureError> {
    let kind = rest.array()?;
    let length = rest.le32()? as usize;
    let data = rest.take(length)?;
    // Some leave out the last byte that fills a gap.
    if length % 2 == 1 && !rest.0.is_empty() {
        rest.byte()?;
    }
    Ok((kind, data))
}

fn put(kept: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    kept.extend_from_slice(&kind);
    kept.extend_from_slice(&(data.len() as u32).to_le_bytes());
    kept.extend_from_slice(data);
    if data.len() % 2 == 1 {
        kept.push(0);
    }
}

/// A frame of an animation, which has chunks of its own.
fn frame(data: &[u8]) -> Result<Vec<u8>, PictureError> {
    let mut rest = Bytes(data);
    let mut kept = rest.take(16)?.to_vec();
    while !rest.0.is_empty() {
        let (kind, data) = chunk(&mut rest)?;
        if matches!(&kind, b"ALPH" | b"VP8 " | b"VP8L") {
            put(&mut kept, kind, data);
        }
    }
    Ok(kept)
}

fn size_of(kind: [u8; 4], data: &[u8]) -> Result<(u32, u32), PictureError> {
    let mut rest = Bytes(data);
    if &kind == b"VP8L" {
        if rest.byte()? != 0x2f {
            return Err(PictureError::Damaged("it has no size"));
        }
        let bits = rest.le32()?;
        return Ok(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1));
    }
    rest.take(3)?;
    if rest.array()? != [0x9d, 0x01, 0x2a] {
        return Err(PictureError::Damaged("it has no size"));
    }
    Ok((u32::from(rest.le16()? & 0x3fff), u32::from(rest.le16()? & 0x3fff)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const PIXELS: &[u8] = b"\0\0\0\x9d\x01\x2a\x09\0\x08\0pixels!";

    fn riff(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut kept = b"RIFF\0\0\0\0WEBP".to_vec();
        for (kind, data) in chunks {
            put(&mut kept, **kind, data);
        }
        let length = u32::try_from(kept.len() - 8).unwrap();
        kept[4..8].copy_from_slice(&length.to_le_bytes());
        kept
    }

    pub(crate) fn with_secrets() -> Vec<u8> {
        let mut bytes = riff(&[
            (b"VP8X", b"\x2c\0\0\0\x08\0\0\x07\0\0"),
            (b"ICCP", b"profile"),
            (b"VP8 ", PIXELS),
            (b"EXIF", b"SECRET!"),
            (b"XMP ", b"SECRET"),
            (b"priv", b"SECRET"),
        ]);
        bytes.extend_from_slice(b"SECRET behind the end");
        bytes
    }

    #[test]
    fn only_the_picture_is_left_and_the_header_knows_it() {
        let parts = read(&with_secrets()).unwrap();
        assert_eq!((parts.width, parts.height), (9, 8));
        let expected = riff(&[
            (b"VP8X", b"\x20\0\0\0\x08\0\0\x07\0\0"),
            (b"ICCP", b"profile"),
            (b"VP8 ", PIXELS),
        ]);
        assert_eq!(parts.bytes, expected);
    }

    #[test]
    fn a_simple_one_says_its_size_itself() {
        assert_eq!(read(&riff(&[(b"VP8 ", PIXELS)])).unwrap().width, 9);
        let lossless = riff(&[(b"VP8L", b"\x2f\x08\xc0\x01\0pixels")]);
        let parts = read(&lossless).unwrap();
        assert_eq!((parts.width, parts.height, &parts.bytes), (9, 8, &lossless));
    }

    #[test]
    fn frames_keep_their_pixels_and_nothing_else() {
        let frame = |chunks: &[(&[u8; 4], &[u8])]| [&[0; 16][..], &riff(chunks)[12..]].concat();
        let header = (b"VP8X", &b"\x02\0\0\0\x08\0\0\x07\0\0"[..]);
        let before = frame(&[(b"VP8 ", PIXELS), (b"EXIF", b"SECRET")]);
        let after = frame(&[(b"VP8 ", PIXELS)]);
        let parts = read(&riff(&[header, (b"ANIM", b"\0\0\0\0\0\0"), (b"ANMF", &before)])).unwrap();
        let expected = riff(&[header, (b"ANIM", b"\0\0\0\0\0\0"), (b"ANMF", &after)]);
        assert_eq!(parts.bytes, expected);
    }

    #[test]
    fn one_whose_picture_is_larger_than_its_canvas_is_damaged() {
        let small = riff(&[(b"VP8X", b"\0\0\0\0\0\0\0\0\0\0"), (b"VP8 ", PIXELS)]);
        assert!(read(&small).is_err());
        assert!(read(&riff(&[(b"VP8X", b"\0\0\0\0\0\0\0\0\0\0")])).is_err());
        assert!(read(&riff(&[(b"VP8 ", b"short")])).is_err());
    }
}
