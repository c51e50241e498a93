//! Records as JSON lines.

use std::io::{self, BufRead};

use super::fields::Fields;
use super::{MAX_RECORD_BYTES, RecordError, unreadable};
use crate::PublishError;

/// Shows the fields of each line that is not blank, or why it has none, with its number.
pub(super) fn each(
    mut input: impl BufRead,
    mut record: impl FnMut(u64, Result<Fields, RecordError>) -> Result<(), PublishError>,
) -> Result<(), PublishError> {
    let mut line = Vec::new();
    for number in 1.. {
        match next(&mut input, &mut line).map_err(unreadable(number))? {
            Line::End => break,
            Line::TooLong => record(number, Err(RecordError::TooLong))?,
            Line::Whole if line.trim_ascii().is_empty() => {}
            Line::Whole => record(number, parse(&line))?,
        }
    }
    Ok(())
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads one line without what ends it. One that is too long is skipped.
fn next(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let most = MAX_RECORD_BYTES + b"\r\n".len();
    if io::Read::take(&mut *input, most as u64).read_until(b'\n', line)? == 0 {
        return Ok(Line::End);
    }
    let whole = line.pop_if(|byte| *byte == b'\n').is_some();
    if !whole && line.len() == most {
        input.skip_until(b'\n')?;
    }
    line.pop_if(|byte| *byte == b'\r');
    Ok(if line.len() > MAX_RECORD_BYTES { Line::TooLong } else { Line::Whole })
}

fn parse(line: &[u8]) -> Result<Fields, RecordError> {
    // An array, too, would be taken for a record, field by field.
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err(RecordError::NotAnObject);
    }
    serde_json::from_slice(line).map_err(RecordError::Json)
}
