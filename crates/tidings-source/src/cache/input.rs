//! Bytes that are read from the front to the back.

use std::io::{self, Read};

use super::record::damaged;

/// How much is read at a time.
const BUFFER: usize = 256 << 10;

/// No text is longer.
const LONGEST: u64 = 1 << 20;

/// A buffer over a file, from which the pieces of records are taken without being copied.
pub(super) struct Input<R> {
    inner: R,
    buffer: Vec<u8>,
    /// What of the buffer was not taken yet.
    start: usize,
    end: usize,
    /// How many bytes were taken.
    count: u64,
}

impl<R: Read> Input<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, buffer: vec![0; BUFFER], start: 0, end: 0, count: 0 }
    }

    /// How many bytes were taken.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The next bytes, so many of them.
    pub(super) fn bytes(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.end - self.start < count {
            self.fill(count)?;
        }
        let start = self.start;
        self.start += count;
        self.count += count as u64;
        Ok(&self.buffer[start..self.start])
    }

    fn fill(&mut self, count: usize) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        if self.buffer.len() < count {
            self.buffer.resize(count, 0);
        }
        while self.end < count {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(super) fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> io::Result<u8> {
        Ok(self.bytes(1)?[0])
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

    /// A text, after its length.
    pub(super) fn text(&mut self) -> io::Result<&str> {
        let length = self.number()?;
        let length = usize::try_from(length).ok().filter(|_| length <= LONGEST);
        let bytes = self.bytes(length.ok_or_else(damaged)?)?;
        std::str::from_utf8(bytes).map_err(|_| damaged())
    }
}
