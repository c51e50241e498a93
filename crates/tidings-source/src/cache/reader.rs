//! The cache, read from the front to the back.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::record::{self, Record, damaged};
use super::{Generation, MAGIC};

/// How much is read at a time.
const BUFFER: usize = 256 << 10;

/// Reads what was remembered, in the order of the URIs.
pub(crate) struct CacheReader {
    input: Counted<BufReader<File>>,
    generation: Generation,
    uri: Vec<u8>,
}

impl CacheReader {
    /// Opens a cache; none if there is none of this form.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let mut input = Counted { inner: BufReader::with_capacity(BUFFER, file), count: 0 };
        let (mut magic, mut generation) = ([0; MAGIC.len()], Generation::default());
        input.read_exact(&mut magic).and_then(|()| input.read_exact(&mut generation)).ok()?;
        (magic == *MAGIC).then_some(Self { input, generation, uri: Vec::new() })
    }

    /// Of what it is.
    pub(crate) fn generation(&self) -> &Generation {
        &self.generation
    }

    /// The next record, and the place behind it; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<(Record, u64)>> {
        let before = self.uri.clone();
        let record = record::read(&mut self.input, &mut self.uri)?;
        if record.is_some() && !before.is_empty() && self.uri <= before {
            return Err(damaged());
        }
        Ok(record.map(|record| (record, self.input.count)))
    }
}

/// Counts what is read.
struct Counted<R> {
    inner: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.count += count as u64;
        Ok(count)
    }
}
