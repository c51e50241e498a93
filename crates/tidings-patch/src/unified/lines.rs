//! Lines of bytes.

/// The lines of some bytes, each with its newline; the last may have none.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    passed: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, passed: 0 }
    }

    /// How many lines were given.
    pub(super) fn passed(&self) -> usize {
        self.passed
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next line, without passing it.
    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |at| at + 1);
        Some(&self.rest[..end])
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.peek()?;
        self.rest = &self.rest[line.len()..];
        self.passed += 1;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_their_newlines() {
        let cases: [(&[u8], &[&[u8]]); 4] = [
            (b"", &[]),
            (b"a", &[b"a"]),
            (b"a\r\n\nb", &[b"a\r\n", b"\n", b"b"]),
            (b"\xff\r\n", &[b"\xff\r\n"]),
        ];
        for (bytes, lines) in cases {
            assert_eq!(Lines::of(bytes).collect::<Vec<_>>(), lines);
        }
    }
}
