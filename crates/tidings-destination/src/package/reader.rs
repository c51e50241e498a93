//! The bytes of a member.

use std::io::{self, Read};

use crc32fast::Hasher;
use flate2::bufread::DeflateDecoder;
use rawzip::FileReader;

use super::directory::{Directory, Entry};
use super::raw::{Raw, Stop};
use super::{Fault, PackageError, name};

/// Reads a member and verifies it, and tells what is wrong before it gives the last byte.
pub(super) struct MemberReader<'p> {
    file: &'p FileReader,
    directory: &'p Directory,
    place: usize,
    state: State<'p>,
    sum: Hasher,
    /// How many bytes are still to come.
    left: u64,
}

enum State<'p> {
    /// Nothing was read.
    New,
    Stored(Raw<'p>),
    Deflated(Box<DeflateDecoder<Raw<'p>>>),
    /// All was read and is right.
    Done,
    /// Something was wrong.
    Stopped(Fault),
}

impl<'p> MemberReader<'p> {
    pub(super) fn new(file: &'p FileReader, directory: &'p Directory, place: usize) -> Self {
        let left = directory.entry(place).map_or(0, |entry| entry.length);
        Self { file, directory, place, state: State::New, sum: Hasher::new(), left }
    }

    fn open(&self, entry: &Entry) -> Result<State<'p>, Stop> {
        let raw = Raw::open(self.file, entry, self.directory.name(entry))?;
        Ok(match entry.is_deflated() {
            true => State::Deflated(Box::new(DeflateDecoder::new(raw))),
            false => State::Stored(raw),
        })
    }

    fn next(&mut self, out: &mut [u8]) -> Result<usize, Stop> {
        let entry = self.directory.entry(self.place).ok_or(Fault::Foreign)?;
        if let State::New = self.state {
            self.state = self.open(entry)?;
        }
        // Not more than there should be: what is beyond is looked at below.
        let room = usize::try_from(self.left).map_or(out.len(), |left| left.min(out.len()));
        let out = &mut out[..room];
        let count = match &mut self.state {
            State::Stopped(fault) => return Err((*fault).into()),
            State::Done => return Ok(0),
            _ if out.is_empty() => 0,
            State::Stored(raw) => raw.read(out)?,
            State::Deflated(decoder) => decoder.read(out).map_err(inflating)?,
            State::New => 0,
        };
        if count == 0 && self.left > 0 {
            return Err(Fault::Length.into());
        }
        self.sum.update(&out[..count]);
        self.left -= count as u64;
        if self.left == 0 {
            self.finish(entry)?;
        }
        Ok(count)
    }

    /// The verdict, after the last byte.
    fn finish(&mut self, entry: &Entry) -> Result<(), Stop> {
        let is_whole = match &mut self.state {
            // It is also the end of the stream, and all that was stored was used for it.
            State::Deflated(decoder) => {
                decoder.read(&mut [0]).map_err(inflating)? == 0 && decoder.get_ref().is_at_end()
            }
            State::Stored(raw) => raw.is_at_end(),
            _ => false,
        };
        if !is_whole {
            return Err(Fault::Length.into());
        }
        if self.sum.clone().finalize() != entry.sum {
            return Err(Fault::Sum.into());
        }
        self.state = State::Done;
        Ok(())
    }
}

/// The decoder says in this way that it does not understand its input, or that the input ends; the
/// file's own errors are others.
fn inflating(error: io::Error) -> Stop {
    match error.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => Fault::Deflate.into(),
        io::ErrorKind::UnexpectedEof => Fault::Length.into(),
        _ => error.into(),
    }
}

impl Read for MemberReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        self.next(out).map_err(|stop| match stop {
            Stop::Io(error) => {
                self.state = State::Stopped(Fault::Stopped);
                error
            }
            Stop::Fault(fault) => {
                self.state = State::Stopped(fault);
                let entry = self.directory.entry(self.place);
                let name = entry.map_or_else(String::new, |e| name::shown(self.directory.name(e)));
                io::Error::new(io::ErrorKind::InvalidData, PackageError::Member { name, fault })
            }
        })
    }
}
