//! More entries than one document may hold.

use std::io::{self, Write};

use super::{Capacity, WriteError, Writer, Written};
use crate::{Entry, Head, TimeUse, rule};

/// One document of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<W> {
    /// What it was written to.
    pub out: W,
    /// How much it holds.
    pub written: Written,
}

/// Writes as many documents as the entries need, all with the same head, each full before the next
/// is begun. `open` is asked for the place of part 0, 1, 2 …, and only for parts that are written.
///
/// Not for changes: each document of these has an interval of its own. Grouping the parts in an
/// index is left to the caller, who knows their URIs.
pub struct SplitWriter<'h, W, O> {
    head: &'h Head<'h>,
    capacity: Capacity,
    open: O,
    current: Option<Writer<W>>,
    parts: Vec<Part<W>>,
}

impl<'h, W: Write, O: FnMut(usize) -> io::Result<W>> SplitWriter<'h, W, O> {
    /// Checks the head. Nothing is opened before the first entry, or [`SplitWriter::finish`].
    pub fn new(head: &'h Head<'h>, capacity: Capacity, open: O) -> Result<Self, WriteError> {
        Writer::new(io::sink(), head)?;
        if head.capability().is_some_and(|capability| capability.times() == TimeUse::Interval) {
            let detail = "several documents of one interval".into();
            return Err(WriteError::Refused {
                rule: rule::resourcesync::CHANGELISTINDEX_OPEN,
                detail,
            });
        }
        Ok(Self { head, capacity, open, current: None, parts: Vec::new() })
    }

    /// Writes one entry, into a new document if the current one is full.
    pub fn write(&mut self, entry: &Entry<'_>) -> Result<(), WriteError> {
        match self.current.as_mut().map(|writer| writer.write(entry)) {
            None => {}
            Some(Err(WriteError::Full)) => {}
            Some(result) => return result,
        }
        // Nothing is opened for an entry that would be refused.
        Writer::new(io::sink(), self.head)?.write(entry)?;
        self.close()?;
        self.begin()?.write(entry)
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
