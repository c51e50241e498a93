//! GIF (89a).

use super::{BROKEN_OFF, Bytes, Parts, PictureError};

pub(super) fn read(bytes: &[u8]) -> Result<Parts, PictureError> {
    let mut rest = Bytes(bytes);
    let mut kept = Vec::with_capacity(bytes.len());
    kept.extend_from_slice(rest.take(6)?);
    let screen: [u8; 7] = rest.array()?;
    kept.extend_from_slice(&screen);
    kept.extend_from_slice(rest.take(table(screen[4]))?);
    let mut size = Bytes(&screen);
    let (mut width, mut height) = (u32::from(size.le16()?), u32::from(size.le16()?));
    let mut has_data = false;
    // Many lack the byte that says that they end.
    while let Ok(block) = rest.byte() {
        match block {
            0x3b => break,
            0x2c => {
                let start: [u8; 9] = rest.array()?;
                // Browsers make a canvas as large as the frames are.
                let mut place = Bytes(&start);
                let [left, top, wide, high] =
                    [place.le16()?, place.le16()?, place.le16()?, place.le16()?].map(u32::from);
                (width, height) = (width.max(left + wide), height.max(top + high));
                kept.push(block);
                kept.extend_from_slice(&start);
                kept.extend_from_slice(rest.take(table(start[8]))?);
                kept.push(rest.byte()?);
                kept.extend_from_slice(blocks(&mut rest)?);
                has_data = true;
            }
            0x21 => extension(&mut rest, &mut kept)?,
            _ => return Err(PictureError::Damaged("it has a part that no GIF has")),
        }
    }
    if !has_data {
        return Err(PictureError::Damaged("it has no data"));
    }
    kept.push(0x3b);
    Ok(Parts { bytes: kept, width, height })
}

/// How long a table of colours is.
fn table(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) }
}

/// How long a frame is shown, and how often all are; not what somebody has to say.
fn extension(rest: &mut Bytes<'_>, kept: &mut Vec<u8>) -> Result<(), PictureError> {
    let kind = rest.byte()?;
    let data = blocks(rest)?;
    match kind {
        0xf9 if data.len() == 6 && data[0] == 4 => {
            kept.extend_from_slice(&[0x21, kind]);
            kept.extend_from_slice(data);
        }
        0xff if data.starts_with(b"\x0bNETSCAPE2.0") || data.starts_with(b"\x0bANIMEXTS1.0") => {
            if let Some([3, 1, low, high]) = data.get(12..16) {
                kept.extend_from_slice(&[0x21, kind]);
                kept.extend_from_slice(&data[..12]);
                kept.extend_from_slice(&[3, 1, *low, *high, 0]);
            }
        }
        _ => {}
    }
    Ok(())
}

/// Pieces, each with its length before it, up to one of no length.
fn blocks<'a>(rest: &mut Bytes<'a>) -> Result<&'a [u8], PictureError> {
    let mut length = 0;
    loop {
        let next = usize::from(*rest.0.get(length).ok_or(BROKEN_OFF)?);
        length += 1 + next;
        if next == 0 {
            return rest.take(length);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const HEADER: &[u8] = b"GIF89a\x04\0\x03\0\x80\0\0RGBrgb";
    const LOOP: &[u8] = b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0";
    const TIMING: &[u8] = b"\x21\xf9\x04\0\x0a\0\0\0";
    const FRAME: &[u8] = b"\x2c\0\0\0\0\x04\0\x03\0\0\x02\x02\x4c\x01\0";

    pub(crate) fn with_secrets() -> Vec<u8> {
        [
            HEADER,
            b"\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\x06SECRET\0",
            b"\x21\xff\x0bXMP DataXMP\x06SECRET\0",
            b"\x21\xfe\x06SECRET\0",
            b"\x21\x01\x0c............\x06SECRET\0",
            TIMING,
            FRAME,
            b"\x3bSECRET behind the end",
        ]
        .concat()
    }

    #[test]
    fn only_the_picture_is_left() {
        let parts = read(&with_secrets()).unwrap();
        assert_eq!((parts.width, parts.height), (4, 3));
        assert_eq!(parts.bytes, [HEADER, LOOP, TIMING, FRAME, b"\x3b"].concat());
    }

    #[test]
    fn one_that_does_not_say_that_it_ends_is_whole() {
        assert_eq!(
            read(&[HEADER, FRAME].concat()).unwrap().bytes,
            [HEADER, FRAME, b"\x3b"].concat()
        );
        assert!(read(HEADER).is_err());
        assert!(read(&[HEADER, b"\x21\xfe\x06SEC"].concat()).is_err());
        assert!(read(&[HEADER, b"\x99"].concat()).is_err());
    }
}
