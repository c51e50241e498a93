//! PNG (third edition), still and animated.

use super::{Bytes, Parts, PictureError};

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// The chunks that are the picture, and how its colours are meant.
const KEPT: [&[u8; 4]; 16] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT",
    b"bKGD", b"pHYs", b"cICP", b"acTL", b"fcTL", b"fdAT",
];

pub(super) fn read(bytes: &[u8]) -> Result<Parts, PictureError> {
    let mut rest = Bytes(bytes);
    if rest.array()? != SIGNATURE {
        return Err(PictureError::Kind);
    }
    let mut kept = Vec::with_capacity(bytes.len());
    kept.extend_from_slice(&SIGNATURE);
    let mut size = None;
    let mut has_data = false;
    loop {
        let whole = rest.0;
        let length = rest.be32()?;
        let kind: [u8; 4] = rest.array()?;
        let mut data = Bytes(rest.take(length as usize)?);
        // The sum is passed on as it is: browsers look at it.
        rest.take(4)?;
        match (&kind, size) {
            (b"IHDR", None) if length == 13 => size = Some((data.be32()?, data.be32()?)),
            (b"IHDR", _) | (_, None) => return Err(PictureError::Damaged("it has no header")),
            _ => {}
        }
        has_data |= &kind == b"IDAT";
        if KEPT.contains(&&kind) {
            kept.extend_from_slice(&whole[..whole.len() - rest.0.len()]);
        }
        if &kind == b"IEND" {
            break;
        }
    }
    match size {
        Some((width, height)) if has_data => Ok(Parts { bytes: kept, width, height }),
        _ => Err(PictureError::Damaged("it has no data")),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], kind, data, b"crc!"].concat()
    }

    pub(crate) fn header(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [&SIGNATURE[..], &chunk(b"IHDR", &[&size[..], &[8, 2, 0, 0, 0]].concat())].concat()
    }

    pub(crate) fn with_secrets() -> Vec<u8> {
        [
            header(3, 2),
            chunk(b"tEXt", b"Author\0SECRET"),
            chunk(b"zTXt", b"SECRET"),
            chunk(b"iTXt", b"SECRET"),
            chunk(b"eXIf", b"SECRET"),
            chunk(b"tIME", b"SECRET!"),
            chunk(b"prVt", b"SECRET"),
            chunk(b"gAMA", b"\0\0\xb1\x8f"),
            chunk(b"IDAT", b"pixels"),
            chunk(b"IEND", b""),
            b"SECRET behind the end".to_vec(),
        ]
        .concat()
    }

    #[test]
    fn only_the_picture_is_left() {
        let parts = read(&with_secrets()).unwrap();
        assert_eq!((parts.width, parts.height), (3, 2));
        let expected = [
            header(3, 2),
            chunk(b"gAMA", b"\0\0\xb1\x8f"),
            chunk(b"IDAT", b"pixels"),
            chunk(b"IEND", b""),
        ];
        assert_eq!(parts.bytes, expected.concat());
    }

    #[test]
    fn one_without_header_data_or_end_is_damaged() {
        let data = chunk(b"IDAT", b"pixels");
        let end = chunk(b"IEND", b"");
        for parts in [
            [&SIGNATURE[..], &data, &end].concat(),
            [header(1, 1), end.clone()].concat(),
            [header(1, 1), data.clone()].concat(),
            [header(1, 1), header(1, 1)[8..].to_vec(), data, end].concat(),
            [&header(1, 1)[..], &[0xff; 12]].concat(),
        ] {
            assert!(matches!(read(&parts), Err(PictureError::Damaged(_))));
        }
    }
}
