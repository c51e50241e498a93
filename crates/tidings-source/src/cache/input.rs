//! Bytes that are taken from the front to the back.

use std::io;

use super::record::damaged;

/// Bytes of which the pieces of a record are taken.
pub(super) struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.0.len()
    }

    /// The next bytes, so many of them.
    pub(super) fn bytes(&mut self, count: usize) -> io::Result<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(super) fn byte(&mut self) -> io::Result<u8> {
        let (byte, rest) = self.0.split_first().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*byte)
    }

    /// A number in as many bytes as it needs, seven bits in each.
    pub(super) fn number(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    /// Bytes after their number.
    pub(super) fn counted(&mut self) -> io::Result<&'b [u8]> {
        let length = usize::try_from(self.number()?).map_err(|_| damaged())?;
        self.bytes(length)
    }

    pub(super) fn text(&mut self) -> io::Result<&'b str> {
        std::str::from_utf8(self.counted()?).map_err(|_| damaged())
    }
}
