//! The line that begins a hunk: `@@ -12,3 +12,4 @@`.

use std::io::Write as _;

/// Lines of one side of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// How many lines stand before it.
    pub(super) start: usize,
    /// How many lines it has.
    pub(super) count: usize,
}

impl Span {
    /// POSIX: the number of the first line, and the count unless it is 1; without any lines, the
    /// number of the line before.
    fn write(self, sign: char, out: &mut Vec<u8>) {
        let first = if self.count == 0 { self.start } else { self.start + 1 };
        // Writing to a vector does not fail.
        let _ = match self.count {
            1 => write!(out, "{sign}{first}"),
            count => write!(out, "{sign}{first},{count}"),
        };
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let (first, count) = match memchr::memchr(b',', text) {
            Some(at) => (number(&text[..at])?, number(&text[at + 1..])?),
            None => (number(text)?, 1),
        };
        let start = if count == 0 { first } else { first.checked_sub(1)? };
        Some(Self { start, count })
    }
}

/// Only digits: `parse` alone would let a sign pass.
fn number(text: &[u8]) -> Option<usize> {
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    digits.then(|| std::str::from_utf8(text).ok()?.parse().ok()).flatten()
}

/// Where a hunk stands on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) old: Span,
    pub(super) new: Span,
}

impl Header {
    pub(super) fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"@@ ");
        self.old.write('-', out);
        out.push(b' ');
        self.new.write('+', out);
        out.extend_from_slice(b" @@\n");
    }

    /// Reads a line; what follows the second `@@` is for people.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_prefix(b"@@ -")?;
        let (old, line) = split(line, b" +")?;
        let (new, _) = split(line, b" @@")?;
        Some(Self { old: Span::parse(old)?, new: Span::parse(new)? })
    }
}

fn split<'a>(text: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let found = memchr::memmem::find(text, at)?;
    Some((&text[..found], &text[found + at.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_they_are_written() {
        let cases = [
            ("@@ -1 +1 @@\n", (0, 1), (0, 1)),
            ("@@ -0,0 +1,2 @@\n", (0, 0), (0, 2)),
            ("@@ -7,3 +6,0 @@\n", (6, 3), (6, 0)),
            ("@@ -12,3 +12,4 @@\n", (11, 3), (11, 4)),
        ];
        for (line, old, new) in cases {
            let span = |(start, count)| Span { start, count };
            let header = Header { old: span(old), new: span(new) };
            assert_eq!(Header::parse(line.as_bytes()), Some(header), "{line}");
            let mut out = Vec::new();
            header.write(&mut out);
            assert_eq!(out, line.as_bytes());
        }
        assert!(Header::parse(b"@@ -1,3 +1,3 @@ fn main() {\n").is_some());
    }

    #[test]
    fn what_is_no_header_is_refused() {
        for line in [
            "",
            "@@\n",
            "@@ -1 +1\n",
            "@@ -0 +1 @@\n",
            "@@ -1,+2 +1 @@\n",
            "@@ -, +1 @@\n",
            "@@ -x +1 @@\n",
            "@@ --1 +1 @@\n",
            "@@ -99999999999999999999999 +1 @@\n",
        ] {
            assert_eq!(Header::parse(line.as_bytes()), None, "{line}");
        }
    }
}
