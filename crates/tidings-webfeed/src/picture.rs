//! A picture, without what it tells about who made it.
//!
//! Nothing is decoded. A picture is taken apart into the parts that its format has, those that are known
//! to be the picture are put together again, and all others are left: where it was taken and with what,
//! by whom, with which program, what it showed before it was cut, and what somebody hid behind its end.

mod gif;
mod ico;
mod jpeg;
mod png;
mod resize;
mod webp;

pub(crate) use resize::resize;

/// A picture that may be handed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its bytes, without metadata.
    pub bytes: Vec<u8>,
    /// Its media type, as its bytes say it.
    pub media_type: &'static str,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// Why something is not handed on as a picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// It is something else, or of a kind that cannot be made safe.
    #[error("it is no PNG, JPEG, GIF, WebP or icon")]
    Kind,
    /// It breaks off, or its parts do not fit.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// It would take too much memory to show.
    #[error("it has {width} × {height} pixels, and more than {most} are not shown")]
    TooLarge {
        /// In pixels.
        width: u32,
        /// In pixels.
        height: u32,
        /// The limit.
        most: u64,
    },
}

impl Picture {
    /// How many pixels a picture may have: it takes four bytes for each to show it.
    pub const MOST_PIXELS: u64 = 50_000_000;

    /// How many bytes a picture may have.
    pub const MAX_BYTES: u64 = 8 << 20;

    /// Takes a picture apart and puts it together again from the parts that are the picture.
    pub fn read(bytes: &[u8]) -> Result<Self, PictureError> {
        let (parts, media_type) = match bytes {
            [0xff, 0xd8, 0xff, ..] => (jpeg::read(bytes)?, "image/jpeg"),
            [0x89, b'P', b'N', b'G', ..] => (png::read(bytes)?, "image/png"),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => (gif::read(bytes)?, "image/gif"),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
                (webp::read(bytes)?, "image/webp")
            }
            [0, 0, 1, 0, ..] => (ico::read(bytes)?, "image/x-icon"),
            _ => return Err(PictureError::Kind),
        };
        let Parts { bytes, width, height } = parts;
        if width == 0 || height == 0 {
            return Err(PictureError::Damaged("it has no pixels"));
        }
        if u64::from(width) * u64::from(height) > Self::MOST_PIXELS {
            return Err(PictureError::TooLarge { width, height, most: Self::MOST_PIXELS });
        }
        Ok(Self { bytes, media_type, width, height })
    }
}

/// What is left of a picture.
struct Parts {
    bytes: Vec<u8>,
    width: u32,
    height: u32,
}

const BROKEN_OFF: PictureError = PictureError::Damaged("it breaks off");

/// Bytes, from the front to the back.
#[derive(Debug, Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], PictureError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(BROKEN_OFF)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PictureError> {
        self.take(N)?.try_into().map_err(|_| BROKEN_OFF)
    }

    fn byte(&mut self) -> Result<u8, PictureError> {
        Ok(self.array::<1>()?[0])
    }

    fn be16(&mut self) -> Result<u16, PictureError> {
        self.array().map(u16::from_be_bytes)
    }

    fn be32(&mut self) -> Result<u32, PictureError> {
        self.array().map(u32::from_be_bytes)
    }

    fn le16(&mut self) -> Result<u16, PictureError> {
        self.array().map(u16::from_le_bytes)
    }

    fn le24(&mut self) -> Result<u32, PictureError> {
        let [low, middle, high] = self.array()?;
        Ok(u32::from_le_bytes([low, middle, high, 0]))
    }

    fn le32(&mut self) -> Result<u32, PictureError> {
        self.array().map(u32::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [(&'static str, Vec<u8>); 5] {
        [
            ("image/gif", gif::tests::with_secrets()),
            ("image/jpeg", jpeg::tests::with_secrets()),
            ("image/png", png::tests::with_secrets()),
            ("image/webp", webp::tests::with_secrets()),
            ("image/x-icon", ico::tests::with_secrets()),
        ]
    }

    #[test]
    fn what_a_picture_tells_besides_is_gone_and_the_rest_stays_the_same() {
        for (media_type, bytes) in all() {
            let picture = Picture::read(&bytes).unwrap();
            assert_eq!(picture.media_type, media_type);
            assert!(memchr::memmem::find(&bytes, b"SECRET").is_some());
            assert!(memchr::memmem::find(&picture.bytes, b"SECRET").is_none(), "{media_type}");
            assert_eq!(Picture::read(&picture.bytes).unwrap(), picture);
        }
    }

    #[test]
    fn pictures_that_break_off_anywhere_or_have_a_wrong_byte_do_no_harm() {
        for (media_type, bytes) in all() {
            for length in 0..bytes.len() {
                if let Ok(picture) = Picture::read(&bytes[..length]) {
                    assert!(picture.bytes.len() <= length + 1, "{media_type} {length}");
                }
            }
            for at in 0..bytes.len() {
                for wrong in [0, 1, 0x7f, 0x80, 0xff] {
                    let mut bytes = bytes.clone();
                    bytes[at] = wrong;
                    let _ = Picture::read(&bytes);
                }
            }
        }
    }

    #[test]
    fn other_kinds_are_not_handed_on() {
        for bytes in [
            &b""[..],
            b"BM\0\0\0\0",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b"<?xml version='1.0'?><svg/>",
            b"II*\0\x08\0\0\0",
            b"\0\0\0\x20ftypavif",
            b"<html><script>",
            b"%PDF-1.7",
            b"RIFF\0\0\0\0WAVEfmt ",
        ] {
            assert_eq!(Picture::read(bytes), Err(PictureError::Kind), "{bytes:?}");
        }
    }

    #[test]
    fn one_that_would_take_too_much_memory_is_too_large() {
        let png = |width, height| {
            let end = [png::tests::chunk(b"IDAT", b""), png::tests::chunk(b"IEND", b"")].concat();
            Picture::read(&[png::tests::header(width, height), end].concat())
        };
        assert!(png(10_000, 5_000).is_ok());
        assert!(matches!(png(10_001, 5_000), Err(PictureError::TooLarge { .. })));
        assert!(matches!(png(u32::MAX, u32::MAX), Err(PictureError::TooLarge { .. })));
        assert!(matches!(png(0, 9), Err(PictureError::Damaged(_))));
    }
}
