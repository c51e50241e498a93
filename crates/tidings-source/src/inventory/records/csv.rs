//! Records as comma-separated values.
//!
//! The state machine of `csv-core` is driven here directly: the reader above it holds a record whole,
//! and one quote that is never closed makes a record of all that follows.

use std::io::{self, BufRead};
use std::str;

use csv_core::ReadRecordResult;

use super::fields::Fields;
use super::{MAX_RECORD_BYTES, RecordError, unreadable};
use crate::PublishError;

/// How many fields a record may have.
const MOST_FIELDS: usize = 4096;

/// Shows the fields of each record below the header, or why it has none, with the number of the line
/// on which it begins.
pub(super) fn each(
    input: impl BufRead,
    mut record: impl FnMut(u64, Result<Fields, RecordError>) -> Result<(), PublishError>,
) -> Result<(), PublishError> {
    let mut rows = Rows::new(input);
    let header = header(&mut rows)?;
    while let Some(row) = rows.next().map_err(|error| unreadable(rows.line)(error))? {
        record(rows.number, row.and_then(|()| rows.fields(&header)))?;
    }
    Ok(())
}

/// The names of the fields, in lower case.
fn header<R: BufRead>(rows: &mut Rows<R>) -> Result<Vec<String>, PublishError> {
    let wrong = |reason: &str| {
        let source = io::Error::new(io::ErrorKind::InvalidData, reason);
        PublishError::io("could not read", "the header")(source)
    };
    let row = rows.next().map_err(unreadable(1))?;
    row.ok_or_else(|| wrong("it is not there"))?.map_err(|reason| wrong(&reason.to_string()))?;
    let names: Result<Vec<_>, _> =
        rows.cells().map(|cell| Ok(str::from_utf8(cell)?.trim().to_ascii_lowercase())).collect();
    let names = names.map_err(|_: str::Utf8Error| wrong("it is not UTF-8"))?;
    if !names.iter().any(|name| name == "uri" || name == "loc") {
        return Err(wrong("it names neither uri nor loc"));
    }
    Ok(names)
}

/// Record after record, each in the same two buffers.
struct Rows<R> {
    input: R,
    machine: csv_core::Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
    /// How many fields the record has.
    width: usize,
    /// The line on which the record begins.
    number: u64,
    /// The line on which the input stands.
    line: u64,
}

impl<R: BufRead> Rows<R> {
    fn new(input: R) -> Self {
        Self {
            input,
            machine: csv_core::Reader::new(),
            // One more than is allowed, as the machine also stops where a buffer is just filled.
            text: vec![0; MAX_RECORD_BYTES + 1],
            ends: vec![0; MOST_FIELDS + 1],
            width: 0,
            number: 0,
            line: 1,
        }
    }

    /// Reads the next record, or skips it and says why.
    fn next(&mut self) -> io::Result<Option<Result<(), RecordError>>> {
        self.skip_ends()?;
        if retried(&mut self.input)?.is_empty() {
            return Ok(None);
        }
        // Where lines end with a CR alone, each record is one.
        self.number = self.line.max(self.number + 1);
        self.width = 0;
        let (mut filled, mut fault) = (0, None);
        loop {
            let input = retried(&mut self.input)?;
            let at_end = input.is_empty();
            // The end of a line ends a record as the end of the input does, but not between quotes.
            let (result, read, written, ended) = self.machine.read_record(
                if at_end { b"\n" } else { input },
                &mut self.text[filled..],
                &mut self.ends[self.width..],
            );
            if !at_end {
                self.line += newlines(&input[..read]);
                self.input.consume(read);
            }
            filled += written;
            self.width += ended;
            match result {
                ReadRecordResult::InputEmpty if at_end => {
                    return Ok(Some(Err(RecordError::OpenQuote)));
                }
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    fault = Some(RecordError::TooLong);
                    (filled, self.width) = (0, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    fault = Some(RecordError::TooManyFields { limit: MOST_FIELDS });
                    (filled, self.width) = (0, 0);
                }
                ReadRecordResult::Record => return Ok(Some(fault.map_or(Ok(()), Err))),
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// Skips what ended the last record, and blank lines, so that the line of the next is known.
    fn skip_ends(&mut self) -> io::Result<()> {
        loop {
            let input = retried(&mut self.input)?;
            let ends = input.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if ends == 0 {
                return Ok(());
            }
            self.line += newlines(&input[..ends]);
            self.input.consume(ends);
        }
    }

    /// The values of the record that was just read.
    fn cells(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends[..self.width].iter().map(move |&end| {
            let cell = &self.text[start..end];
            start = end;
            cell
        })
    }

    fn fields(&self, header: &[String]) -> Result<Fields, RecordError> {
        if self.width != header.len() {
            return Err(RecordError::FieldCount { fields: self.width, header: header.len() });
        }
        let mut fields = Fields::default();
        for (name, cell) in header.iter().zip(self.cells()) {
            let value =
                str::from_utf8(cell).map_err(|_| RecordError::NotUtf8 { field: name.clone() })?;
            fields.set(name, value);
        }
        Ok(fields)
    }
}

/// What is buffered of the input; nothing at its end.
fn retried(input: &mut impl BufRead) -> io::Result<&[u8]> {
    while let Err(error) = input.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    input.fill_buf()
}

fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}
