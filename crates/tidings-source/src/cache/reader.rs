//! The cache, read from the front to the back.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::input::Input;
use super::record::{EncodedRecord, SUM, damaged};
use super::{CachedFile, Generation, MAGIC, Totals};

/// How much is read at a time.
const BUFFER: usize = 256 << 10;

/// No record is longer.
const LONGEST: usize = 4 << 20;

/// Reads what was remembered, in the order of the URIs.
pub(crate) struct CacheReader {
    file: File,
    generation: Generation,
    totals: Totals,
    buffer: Vec<u8>,
    /// What of the buffer is still to be read.
    start: usize,
    filled: usize,
    /// The record that it is at: its set, its URI, and where in the buffer the rest is.
    set: usize,
    uri: String,
    body: std::ops::Range<usize>,
    /// The place in the file behind it.
    end: u64,
}

impl CacheReader {
    /// Opens a cache; none if there is none of this form.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let mut head = [0; super::HEAD];
        file.read_exact(&mut head).ok()?;
        let mut input = Input::new(&head);
        let magic: [u8; MAGIC.len()] = input.array().ok()?;
        let generation: Generation = input.array().ok()?;
        let files = u64::from_le_bytes(input.array().ok()?);
        let bytes = u64::from_le_bytes(input.array().ok()?);
        (magic == *MAGIC).then_some(Self {
            file,
            generation,
            totals: Totals { files, bytes },
            buffer: vec![0; BUFFER],
            start: 0,
            filled: 0,
            set: 0,
            uri: String::new(),
            body: 0..0,
            end: super::HEAD as u64,
        })
    }

    /// Of what it is.
    pub(crate) fn generation(&self) -> &Generation {
        &self.generation
    }

    /// How much there was.
    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    /// Goes on to the next record; false at the end.
    pub(crate) fn advance(&mut self) -> io::Result<bool> {
        loop {
            match self.parse() {
                Ok(found) => return Ok(found),
                // Perhaps there is only more of it to be read.
                Err(error) if !self.fill()? => return Err(error),
                Err(_) => {}
            }
        }
    }

    fn parse(&mut self) -> io::Result<bool> {
        let mut input = Input::new(&self.buffer[self.start..self.filled]);
        let whole = input.left();
        let Some(set) = input.number()?.checked_sub(1) else { return Ok(false) };
        let shared = usize::try_from(input.number()?).map_err(|_| damaged())?;
        let own = input.text()?;
        let (body, sum) = input.counted()?.split_last_chunk::<SUM>().ok_or_else(damaged)?;
        let set = usize::try_from(set).map_err(|_| damaged())?;
        // In the order of the URIs: what follows the shared part is greater than it was.
        let before = self.uri.as_bytes().get(shared..).ok_or_else(damaged)?;
        if !self.uri.is_char_boundary(shared) || (!self.uri.is_empty() && own.as_bytes() <= before)
        {
            return Err(damaged());
        }
        let shared_part = &self.uri.as_bytes()[..shared];
        if super::record::sum(set, [shared_part, own.as_bytes()], body) != *sum {
            return Err(damaged());
        }
        self.uri.truncate(shared);
        self.uri.push_str(own);
        self.set = set;
        let length = body.len();
        let taken = whole - input.left();
        self.start += taken;
        self.end += taken as u64;
        let end = self.start - SUM;
        self.body = end - length..end;
        Ok(true)
    }

    /// Reads more into the buffer; false if there is no more.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.copy_within(self.start..self.filled, 0);
        (self.start, self.filled) = (0, self.filled - self.start);
        if self.filled == self.buffer.len() {
            if self.filled >= LONGEST {
                return Ok(false);
            }
            self.buffer.resize(self.filled * 2, 0);
        }
        loop {
            match self.file.read(&mut self.buffer[self.filled..]) {
                Ok(count) => {
                    self.filled += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The URI of the record that it is at.
    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }

    /// The record that it is at.
    pub(crate) fn file(&self) -> CachedFile<'_> {
        let body = EncodedRecord::new(&self.buffer[self.body.clone()]);
        CachedFile { set: self.set, uri: &self.uri, body, end: self.end }
    }
}
