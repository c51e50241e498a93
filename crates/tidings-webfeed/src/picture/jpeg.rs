//! JPEG (ITU-T T.81), JFIF and what Adobe made of it.

use super::{BROKEN_OFF, Bytes, Parts, PictureError};

const PROFILE: &[u8] = b"ICC_PROFILE\0";
const EXIF: &[u8] = b"Exif\0\0";

pub(super) fn read(bytes: &[u8]) -> Result<Parts, PictureError> {
    let mut rest = Bytes(bytes);
    let mut kept = rest.take(2)?.to_vec();
    kept.reserve(bytes.len());
    let mut size = None;
    let mut orientation = None;
    let mut has_data = false;
    loop {
        let marker = marker(&mut rest)?;
        match marker {
            0xd9 => break,
            // These have nothing in them.
            0x01 | 0xd0..=0xd8 => continue,
            _ => {}
        }
        let length = rest.be16()?;
        let data = rest.take(usize::from(length).checked_sub(2).ok_or(BROKEN_OFF)?)?;
        match marker {
            0xc4 | 0xcc | 0xdb | 0xdd | 0xdc => segment(&mut kept, marker, data),
            0xc0..=0xcf if marker != 0xc8 => {
                if size.is_some() {
                    return Err(PictureError::Damaged("it has two sizes"));
                }
                let mut frame = Bytes(data);
                frame.byte()?;
                let (height, width) = (frame.be16()?, frame.be16()?);
                size = Some((u32::from(width), u32::from(height)));
                segment(&mut kept, marker, data);
            }
            0xe0 if data.starts_with(b"JFIF\0") => {
                // Without the small picture in it, which may show what was cut off.
                let mut header: [u8; 14] = Bytes(data).array()?;
                header[12..].fill(0);
                segment(&mut kept, marker, &header);
            }
            0xe1 if data.starts_with(EXIF) && orientation.is_none() => {
                orientation = turned(&data[EXIF.len()..]);
                if let Some(orientation) = orientation {
                    segment(&mut kept, marker, &exif(orientation));
                }
            }
            0xe2 if data.starts_with(PROFILE) => segment(&mut kept, marker, data),
            0xee if data.starts_with(b"Adobe") && data.len() >= 12 => {
                segment(&mut kept, marker, &data[..12]);
            }
            0xda => {
                if size.is_none() {
                    return Err(PictureError::Damaged("it has no size"));
                }
                has_data = true;
                segment(&mut kept, marker, data);
                kept.extend_from_slice(rest.take(scan(rest.0)?)?);
            }
            _ => {}
        }
    }
    kept.extend_from_slice(&[0xff, 0xd9]);
    match size {
        Some((width, height)) if has_data => Ok(Parts { bytes: kept, width, height }),
        _ => Err(PictureError::Damaged("it has no data")),
    }
}

fn marker(rest: &mut Bytes<'_>) -> Result<u8, PictureError> {
    if rest.byte()? != 0xff {
        return Err(PictureError::Damaged("a part of it does not begin"));
    }
    loop {
        // Any number of these may fill a gap.
        match rest.byte()? {
            0xff => {}
            marker => return Ok(marker),
        }
    }
}

fn segment(kept: &mut Vec<u8>, marker: u8, data: &[u8]) {
    // It came with a length of two bytes, and is no longer than it was.
    let length = (data.len() + 2) as u16;
    kept.extend_from_slice(&[0xff, marker]);
    kept.extend_from_slice(&length.to_be_bytes());
    kept.extend_from_slice(data);
}

/// How long the data of a scan is: up to a marker that is none of its own.
fn scan(data: &[u8]) -> Result<usize, PictureError> {
    let is_end = |at: &usize| data.get(at + 1).is_some_and(|next| !matches!(next, 0 | 0xd0..=0xd7));
    memchr::memchr_iter(0xff, data).find(is_end).ok_or(BROKEN_OFF)
}

/// How the picture has to be turned, if it has to be.
fn turned(tiff: &[u8]) -> Option<u8> {
    let is_big = match tiff.get(..4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let number = |at: usize, length: usize| {
        let bytes = tiff.get(at..at.checked_add(length)?)?.iter();
        let join = |sum: usize, byte: &u8| sum << 8 | usize::from(*byte);
        Some(if is_big { bytes.fold(0, join) } else { bytes.rev().fold(0, join) })
    };
    let directory = number(4, 4)?;
    let count = number(directory, 2)?;
    let mut entries = (0..count).map(|entry| directory + 2 + entry * 12);
    let entry = entries.find(|entry| number(*entry, 2) == Some(0x0112))?;
    if number(entry + 2, 2)? != 3 {
        return None;
    }
    let orientation = number(entry + 8, 2)?;
    (2..=8).contains(&orientation).then_some(orientation as u8)
}

/// Exif data that say how the picture has to be turned, and nothing else.
fn exif(orientation: u8) -> Vec<u8> {
    let mut exif = EXIF.to_vec();
    exif.extend_from_slice(b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0");
    exif.extend_from_slice(&[orientation, 0, 0, 0, 0, 0, 0]);
    exif
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn part(marker: u8, data: &[u8]) -> Vec<u8> {
        let mut kept = Vec::new();
        segment(&mut kept, marker, data);
        kept
    }

    fn frame(width: u16, height: u16) -> Vec<u8> {
        let size = [&[8][..], &height.to_be_bytes(), &width.to_be_bytes(), &[1, 1, 0x11, 0]];
        part(0xc0, &size.concat())
    }

    fn data() -> Vec<u8> {
        [&part(0xda, &[1, 1, 0, 0, 63, 0])[..], &[1, 2, 0xff, 0, 3, 0xff, 0xd0, 4]].concat()
    }

    pub(crate) fn with_secrets() -> Vec<u8> {
        let mut tiff = b"II*\0\x08\0\0\0\x02\0".to_vec();
        tiff.extend_from_slice(b"\x10\x01\x02\0\x06\0\0\0\x26\0\0\0");
        tiff.extend_from_slice(b"\x12\x01\x03\0\x01\0\0\0\x06\0\0\0");
        tiff.extend_from_slice(b"\0\0\0\0SECRET");
        [
            vec![0xff, 0xd8],
            part(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01SECRET"),
            part(0xe1, &[EXIF, &tiff].concat()),
            part(0xe1, b"http://ns.adobe.com/xap/1.0/\0SECRET"),
            part(0xe2, b"MPF\0SECRET"),
            part(0xe2, b"ICC_PROFILE\0\x01\x01profile"),
            part(0xed, b"Photoshop 3.0\0SECRET"),
            part(0xee, b"Adobe\0\x64\0\0\0\0\x01SECRET"),
            part(0xfe, b"SECRET"),
            part(0xdb, &[1; 65]),
            vec![0xff],
            frame(7, 5),
            part(0xc4, &[2; 20]),
            data(),
            vec![0xff, 0xd9],
            b"SECRET behind the end".to_vec(),
        ]
        .concat()
    }

    #[test]
    fn only_the_picture_is_left_and_how_it_is_turned() {
        let parts = read(&with_secrets()).unwrap();
        assert_eq!((parts.width, parts.height), (7, 5));
        let expected = [
            vec![0xff, 0xd8],
            part(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            part(0xe1, &exif(6)),
            part(0xe2, b"ICC_PROFILE\0\x01\x01profile"),
            part(0xee, b"Adobe\0\x64\0\0\0\0\x01"),
            part(0xdb, &[1; 65]),
            frame(7, 5),
            part(0xc4, &[2; 20]),
            data(),
            vec![0xff, 0xd9],
        ];
        assert_eq!(parts.bytes, expected.concat());
        // What is left is left again.
        assert_eq!(read(&parts.bytes).unwrap().bytes, parts.bytes);
        assert_eq!(turned(&exif(6)[EXIF.len()..]), Some(6));
    }

    #[test]
    fn a_picture_that_is_not_turned_has_no_exif() {
        assert_eq!(turned(&exif(1)[EXIF.len()..]), None);
        assert_eq!(turned(&exif(9)[EXIF.len()..]), None);
        assert_eq!(turned(b"MM\0*\xff\xff\xff\xff"), None);
        assert_eq!(turned(b"MM\0*\0\0\0\x08\xff\xff"), None);
        assert_eq!(turned(b""), None);
    }

    #[test]
    fn one_without_size_data_or_end_is_damaged() {
        let start = || vec![0xff, 0xd8];
        for parts in [
            [start(), data(), vec![0xff, 0xd9]].concat(),
            [start(), frame(1, 1), vec![0xff, 0xd9]].concat(),
            [start(), frame(1, 1), data()].concat(),
            [start(), frame(1, 1), frame(9, 9), data(), vec![0xff, 0xd9]].concat(),
            [start(), vec![0xff, 0xe1, 0, 1]].concat(),
            [start(), vec![0xff; 9]].concat(),
        ] {
            assert!(matches!(read(&parts), Err(PictureError::Damaged(_))), "{parts:x?}");
        }
    }
}
