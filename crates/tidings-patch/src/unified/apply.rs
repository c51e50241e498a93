//! Applying a unified diff.

use super::hunk::Header;
use super::lines::Lines;
use crate::{Format, PatchError, Place};

/// What `patch` makes of `old`, at most `limit` bytes.
pub(crate) fn apply(old: &[u8], patch: &[u8], limit: usize) -> Result<Vec<u8>, PatchError> {
    let mut diff = Diff { lines: Lines::of(patch) };
    let mut result =
        Patched { old: Lines::of(old), out: Vec::new(), written: 0, ended: false, limit };
    diff.pass_head()?;
    while let Some(line) = diff.lines.next() {
        let header = Header::parse(line).ok_or_else(|| diff.amiss("no hunk begins here"))?;
        apply_hunk(header, &mut diff, &mut result)?;
    }
    result.finish(&diff)
}

fn apply_hunk(
    header: Header,
    diff: &mut Diff<'_>,
    result: &mut Patched<'_>,
) -> Result<(), PatchError> {
    result.go_to(header, diff)?;
    let (mut old, mut new) = (header.old.count, header.new.count);
    while old + new > 0 {
        let (sign, text) = diff.next_line()?;
        let (of_old, of_new) = (sign != b'+', sign != b'-');
        old = old.checked_sub(of_old.into()).ok_or_else(|| diff.amiss(WRONG_COUNT))?;
        new = new.checked_sub(of_new.into()).ok_or_else(|| diff.amiss(WRONG_COUNT))?;
        if of_old && result.old.next() != Some(text) {
            return Err(diff.misfit("the line is not in the previous representation"));
        }
        if of_new {
            result.push(text, diff)?;
        }
    }
    Ok(())
}

const WRONG_COUNT: &str = "the hunk has other lines than its head counts";

/// The patch as it is read.
struct Diff<'a> {
    lines: Lines<'a>,
}

impl<'a> Diff<'a> {
    /// Passes the names of the files, and what `git diff` and others write before them.
    fn pass_head(&mut self) -> Result<(), PatchError> {
        loop {
            let line = self.lines.next().ok_or_else(|| self.amiss("it has no head"))?;
            if line.starts_with(b"@@ ") {
                return Err(self.amiss("a hunk before the head"));
            }
            if line.starts_with(b"--- ") {
                break;
            }
        }
        match self.lines.next() {
            Some(line) if line.starts_with(b"+++ ") => {}
            _ => return Err(self.amiss("the head has no line `+++`")),
        }
        if self.lines.peek().is_none() {
            return Err(self.amiss("it has no hunks"));
        }
        Ok(())
    }

    /// The next line of a hunk: its sign, and the bytes it stands for.
    fn next_line(&mut self) -> Result<(u8, &'a [u8]), PatchError> {
        let line = self.lines.next().ok_or_else(|| self.amiss("it ends within a hunk"))?;
        if !line.ends_with(b"\n") {
            return Err(self.amiss("it ends within a line"));
        }
        let (sign, mut text) = match line {
            // GNU diff may leave out the space before an empty line.
            b"\n" => (b' ', line),
            [sign @ (b' ' | b'-' | b'+'), text @ ..] => (*sign, text),
            _ => return Err(self.amiss("a line of a hunk begins with a space, `-` or `+`")),
        };
        if self.lines.peek().is_some_and(|next| next.starts_with(b"\\ ")) {
            self.lines.next();
            text = &text[..text.len() - 1];
        }
        Ok((sign, text))
    }

    fn place(&self) -> Place {
        Place::Line(self.lines.passed().max(1))
    }

    fn amiss(&self, reason: &'static str) -> PatchError {
        PatchError::NotAPatch { format: Format::UnifiedDiff, place: self.place(), reason }
    }

    fn misfit(&self, reason: &'static str) -> PatchError {
        PatchError::DoesNotFit { format: Format::UnifiedDiff, place: self.place(), reason }
    }
}

/// The result as it grows, and what is left of the previous representation.
struct Patched<'a> {
    old: Lines<'a>,
    out: Vec<u8>,
    /// Lines in `out`.
    written: usize,
    /// The last line of `out` has no newline: there can be none after it.
    ended: bool,
    limit: usize,
}

impl Patched<'_> {
    /// Takes over the lines before a hunk.
    fn go_to(&mut self, header: Header, diff: &Diff<'_>) -> Result<(), PatchError> {
        if header.old.start < self.old.passed() {
            return Err(diff.amiss("the hunk begins before the one above it ends"));
        }
        while self.old.passed() < header.old.start {
            let line = self.old.next();
            let line = line
                .ok_or_else(|| diff.misfit("the hunk begins after the previous representation"))?;
            self.push(line, diff)?;
        }
        if self.written != header.new.start {
            return Err(diff.amiss("the line numbers of the hunk contradict the hunks above it"));
        }
        // Sizes that cannot be, such as would overflow when added.
        let most = diff.lines.rest().len();
        if header.old.count > most || header.new.count > most {
            return Err(diff.amiss(WRONG_COUNT));
        }
        Ok(())
    }

    fn push(&mut self, line: &[u8], diff: &Diff<'_>) -> Result<(), PatchError> {
        if self.ended {
            return Err(diff.misfit("a line follows the one that ends without a newline"));
        }
        self.extend(line)?;
        self.written += 1;
        self.ended = !line.ends_with(b"\n");
        Ok(())
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), PatchError> {
        if bytes.len() > self.limit - self.out.len() {
            return Err(PatchError::TooLarge { limit: self.limit });
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes over the lines after the last hunk.
    fn finish(mut self, diff: &Diff<'_>) -> Result<Vec<u8>, PatchError> {
        let rest = self.old.rest();
        if self.ended && !rest.is_empty() {
            return Err(diff.misfit("a line follows the one that ends without a newline"));
        }
        self.extend(rest)?;
        Ok(self.out)
    }
}
