//! The cache, read from the front to the back.

use std::fs::File;
use std::io;
use std::path::Path;

use super::input::Input;
use super::record;
use super::{Generation, MAGIC, Remembered, Totals};

/// Reads what was remembered, in the order of the URIs.
pub(crate) struct CacheReader {
    input: Input<File>,
    generation: Generation,
    totals: Totals,
    uri: String,
}

impl CacheReader {
    /// Opens a cache; none if there is none of this form.
    pub(crate) fn open(path: &Path) -> Option<Self> {
        let mut input = Input::new(File::open(path).ok()?);
        let magic: [u8; MAGIC.len()] = input.array().ok()?;
        let generation: Generation = input.array().ok()?;
        let files = u64::from_le_bytes(input.array().ok()?);
        let bytes = u64::from_le_bytes(input.array().ok()?);
        let (totals, uri) = (Totals { files, bytes }, String::new());
        (magic == *MAGIC).then_some(Self { input, generation, totals, uri })
    }

    /// Of what it is.
    pub(crate) fn generation(&self) -> &Generation {
        &self.generation
    }

    /// How much there was.
    pub(crate) fn totals(&self) -> Totals {
        self.totals
    }

    /// The next record; none at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Remembered>> {
        let record = record::read(&mut self.input, &mut self.uri)?;
        Ok(record.map(|record| Remembered { record, end: self.input.count() }))
    }
}
