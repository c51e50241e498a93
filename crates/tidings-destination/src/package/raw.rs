//! The bytes of a member as they are in the package.

use std::io::{self, BufRead, Read};

use rawzip::{FileReader, ReaderAt};

use super::directory::Entry;
use super::{Fault, header};

/// How much is read at once.
const BUFFER: u64 = 64 << 10;

/// How much of the fields after the name is read with a header, if nothing but the header is asked
/// for: most have less.
const FIELDS: u64 = 64;

/// Why a member is not read: something is wrong with it, or with the disk.
pub(super) enum Stop {
    Fault(Fault),
    Io(io::Error),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The bytes of a member, compressed or not, and no byte of another one.
pub(super) struct Raw<'p> {
    file: &'p FileReader,
    buffer: Vec<u8>,
    /// What of the buffer was taken.
    taken: usize,
    /// Where in the file the buffer ends.
    place: u64,
    /// Where in the file the member ends.
    end: u64,
}

impl<'p> Raw<'p> {
    /// Reads the header and, with it, as much of the member as the buffer has room for: of a small
    /// one, all.
    pub(super) fn open(file: &'p FileReader, entry: &Entry, name: &[u8]) -> Result<Self, Stop> {
        Self::begin(file, entry, name, BUFFER)
    }

    /// Looks at the header only.
    pub(super) fn check(file: &'p FileReader, entry: &Entry, name: &[u8]) -> Result<(), Stop> {
        Self::begin(file, entry, name, FIELDS).map(drop)
    }

    fn begin(file: &'p FileReader, entry: &Entry, name: &[u8], beyond: u64) -> Result<Self, Stop> {
        let room = entry.end.saturating_sub(entry.start);
        let header = (header::FIXED + name.len()) as u64;
        let mut raw =
            Self { file, buffer: Vec::new(), taken: 0, place: entry.start, end: entry.end };
        raw.fill(room.min(header + beyond))?;
        let fixed = raw.buffer.first_chunk().ok_or(Fault::Outside)?;
        let length = header::length(fixed)?;
        let start = entry.start + length as u64;
        let end = start.saturating_add(entry.stored);
        // Here the length of the header is known, so that nothing can lie over the next member.
        if end > entry.end {
            return Err(Fault::Outside.into());
        }
        if length > raw.buffer.len() {
            raw.place = entry.start;
            raw.fill(length as u64)?;
        }
        header::check(&raw.buffer[..length], entry, name)?;
        if header::has_descriptor(entry) {
            raw.check_descriptor(entry, end)?;
        }
        raw.taken = length;
        raw.end = end;
        Ok(raw)
    }

    /// True if nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.place - (self.buffer.len() - self.taken) as u64 >= self.end
    }

    /// Reads so many bytes at the place, instead of what is in the buffer.
    fn fill(&mut self, count: u64) -> io::Result<()> {
        let count = usize::try_from(count).map_err(io::Error::other)?;
        self.buffer.resize(count, 0);
        self.taken = 0;
        self.file.read_exact_at(&mut self.buffer, self.place)?;
        self.place += count as u64;
        Ok(())
    }

    fn check_descriptor(&self, entry: &Entry, at: u64) -> Result<(), Stop> {
        let length = (entry.end - at).min(header::DESCRIPTOR as u64) as usize;
        let inside = usize::try_from(at - entry.start).ok();
        let descriptor = inside.and_then(|at| self.buffer.get(at..at.checked_add(length)?));
        if let Some(descriptor) = descriptor {
            return Ok(header::check_descriptor(descriptor, entry)?);
        }
        let mut descriptor = [0; header::DESCRIPTOR];
        self.file.read_exact_at(&mut descriptor[..length], at)?;
        Ok(header::check_descriptor(&descriptor[..length], entry)?)
    }
}

impl BufRead for Raw<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken == self.buffer.len() && self.place < self.end {
            let count = (self.end - self.place).min(BUFFER);
            self.fill(count)?;
        }
        // The first piece may go beyond the member.
        let beyond =
            usize::try_from(self.place.saturating_sub(self.end)).map_err(io::Error::other)?;
        let end = self.buffer.len().saturating_sub(beyond);
        Ok(self.buffer.get(self.taken..end).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.taken += count;
    }
}

impl Read for Raw<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}
