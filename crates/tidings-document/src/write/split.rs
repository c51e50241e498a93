//! More entries than one document may hold.

use std::io::{self, Write};

use super::{Capacity, WriteError, Writer, Written};
use crate::{Entry, Head};

/// One document of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<W> {
    /// What it was written to.
    pub out: W,
    /// How much it holds.
    pub written: Written,
}

/// Writes as many documents as the entries need, all with the same head, each full before the next
/// is begun. `open` is asked for the place of part 0, 1, 2 ….
///
/// Grouping the parts in an index is left to the caller, who knows their URIs.
pub struct SplitWriter<'h, W, O> {
    head: &'h Head<'h>,
    capacity: Capacity,
    open: O,
    current: Option<Writer<W>>,
    parts: Vec<Part<W>>,
}

impl<'h, W: Write, O: FnMut(usize) -> io::Result<W>> SplitWriter<'h, W, O> {
    /// Nothing is opened before the first entry, or [`SplitWriter::finish`].
    pub fn new(head: &'h Head<'h>, capacity: Capacity, open: O) -> Self {
        Self { head, capacity, open, current: None, parts: Vec::new() }
    }

    /// Writes one entry, into a new document if the current one is full.
    pub fn write(&mut self, entry: &Entry<'_>) -> Result<(), WriteError> {
        let writer = match &mut self.current {
            Some(writer) => match writer.write(entry) {
                Err(WriteError::Full) => {
                    self.close()?;
                    self.begin()?
                }
                result => return result,
            },
            None => self.begin()?,
        };
        writer.write(entry)
    }

    /// Ends the last document and lists them all. There is at least one, if an empty one.
    pub fn finish(mut self) -> Result<Vec<Part<W>>, WriteError> {
        if self.current.is_none() {
            self.begin()?;
        }
        self.close()?;
        Ok(self.parts)
    }

    fn begin(&mut self) -> Result<&mut Writer<W>, WriteError> {
        let out = (self.open)(self.parts.len())?;
        Ok(self.current.insert(Writer::with_capacity(out, self.head, self.capacity)?))
    }

    fn close(&mut self) -> Result<(), WriteError> {
        if let Some(writer) = self.current.take() {
            let (out, written) = writer.finish()?;
            self.parts.push(Part { out, written });
        }
        Ok(())
    }
}
