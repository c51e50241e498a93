//! Icons, as they are at `/favicon.ico`.

use super::{BROKEN_OFF, Bytes, Parts, PictureError, png};

const MOST_ENTRIES: u16 = 64;
const LONGEST: usize = 1 << 20;
/// The length of an old bitmap's header, with which it begins.
const BITMAP: [u8; 4] = 40_u32.to_le_bytes();

pub(super) fn read(bytes: &[u8]) -> Result<Parts, PictureError> {
    let mut rest = Bytes(bytes);
    let start = rest.take(4)?;
    let count = rest.le16()?;
    if count == 0 || count > MOST_ENTRIES {
        return Err(PictureError::Damaged("it has no pictures, or too many"));
    }
    let mut kept = [start, &count.to_le_bytes()].concat();
    let mut pictures = Vec::new();
    let mut size = (0, 0);
    for _ in 0..count {
        let [width, height, look @ ..]: [u8; 8] = rest.array()?;
        let (length, from) = (rest.le32()? as usize, rest.le32()? as usize);
        let end = from.checked_add(length).ok_or(BROKEN_OFF)?;
        let picture = clean(bytes.get(from..end).ok_or(BROKEN_OFF)?)?;
        // None stands for one more than the largest.
        let side = |side: u8| if side == 0 { 256 } else { u32::from(side) };
        size = size.max((side(width), side(height)));
        let at = 6 + 16 * usize::from(count) + pictures.len();
        kept.extend_from_slice(&[width, height]);
        kept.extend_from_slice(&look);
        kept.extend_from_slice(&(picture.len() as u32).to_le_bytes());
        kept.extend_from_slice(&(at as u32).to_le_bytes());
        pictures.extend_from_slice(&picture);
        if pictures.len() > LONGEST {
            return Err(PictureError::Damaged("it is too long for an icon"));
        }
    }
    kept.extend_from_slice(&pictures);
    Ok(Parts { bytes: kept, width: size.0, height: size.1 })
}

/// One of its pictures: a PNG, or a bitmap without a header of its own.
fn clean(picture: &[u8]) -> Result<Vec<u8>, PictureError> {
    if picture.starts_with(b"\x89PNG") {
        let parts = png::read(picture)?;
        if parts.width > 1024 || parts.height > 1024 {
            return Err(PictureError::Damaged("it is too large for an icon"));
        }
        return Ok(parts.bytes);
    }
    let is_small = || {
        let mut header = Bytes(picture.get(4..12)?);
        // Its height is twice that of the icon.
        Some(header.le32().ok()? <= 1024 && header.le32().ok()? <= 2048)
    };
    if !picture.starts_with(&BITMAP) || is_small() != Some(true) {
        return Err(PictureError::Damaged("one of its pictures is none"));
    }
    Ok(picture.to_vec())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn icon(pictures: &[&[u8]]) -> Vec<u8> {
        let count = u16::try_from(pictures.len()).unwrap();
        let mut bytes = [&[0, 0, 1, 0][..], &count.to_le_bytes()].concat();
        let mut at = 6 + 16 * pictures.len();
        for picture in pictures {
            bytes.extend_from_slice(&[16, 0, 0, 0, 1, 0, 32, 0]);
            bytes.extend_from_slice(&u32::try_from(picture.len()).unwrap().to_le_bytes());
            bytes.extend_from_slice(&u32::try_from(at).unwrap().to_le_bytes());
            at += picture.len();
        }
        [&bytes[..], &pictures.concat()].concat()
    }

    fn bitmap() -> Vec<u8> {
        [&BITMAP[..], &16_u32.to_le_bytes(), &32_u32.to_le_bytes(), &[7; 40]].concat()
    }

    pub(crate) fn with_secrets() -> Vec<u8> {
        let mut bytes = icon(&[&bitmap(), &png::tests::with_secrets()]);
        bytes.extend_from_slice(b"SECRET behind the end");
        bytes
    }

    #[test]
    fn only_its_pictures_are_left_and_of_them_only_the_picture() {
        let parts = read(&with_secrets()).unwrap();
        assert_eq!((parts.width, parts.height), (16, 256));
        let png = png::read(&png::tests::with_secrets()).unwrap().bytes;
        assert_eq!(parts.bytes, icon(&[&bitmap(), &png]));
    }

    #[test]
    fn one_with_parts_elsewhere_or_too_many_is_damaged() {
        assert!(read(&icon(&[])).is_err());
        assert!(read(&icon(&[b"GIF89a"])).is_err());
        assert!(read(&icon(&[&bitmap()[..]; 65])).is_err());
        let mut elsewhere = icon(&[&bitmap()]);
        elsewhere[18..22].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&elsewhere).is_err());
        let large = [&BITMAP[..], &u32::MAX.to_le_bytes(), &[0xff; 40]].concat();
        assert!(read(&icon(&[&large])).is_err());
    }
}
