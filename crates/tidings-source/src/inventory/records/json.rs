//! Records as JSON lines.

use std::io::{self, BufRead};

use super::fields::Fields;
use super::{LONGEST, too_long, unreadable};
use crate::PublishError;

/// Shows the fields of each line that is not blank, or why it has none, with its number.
pub(super) fn each(
    mut input: impl BufRead,
    mut record: impl FnMut(u64, Result<Fields, String>) -> Result<(), PublishError>,
) -> Result<(), PublishError> {
    let mut line = Vec::new();
    for number in 1.. {
        match next(&mut input, &mut line).map_err(unreadable(number))? {
            Line::End => break,
            Line::TooLong => record(number, Err(too_long()))?,
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
    let most = LONGEST + b"\r\n".len();
    if io::Read::take(&mut *input, most as u64).read_until(b'\n', line)? == 0 {
        return Ok(Line::End);
    }
    let whole = line.pop_if(|byte| *byte == b'\n').is_some();
    if !whole && line.len() == most {
        input.skip_until(b'\n')?;
    }
    line.pop_if(|byte| *byte == b'\r');
    Ok(if line.len() > LONGEST { Line::TooLong } else { Line::Whole })
}

fn parse(line: &[u8]) -> Result<Fields, String> {
    // An array, too, would be taken for a record, field by field.
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err("it is not a JSON object".into());
    }
    serde_json::from_slice(line).map_err(|error| {
        let said = error.to_string();
        // It counts lines of its own, and always finds itself on the first.
        let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
        format!("it is not JSON of a record: {said} at column {}", error.column())
    })
}
