//! Writing a unified diff.

use super::NO_NEWLINE;
use super::hunk::{Header, Span};
use super::lines::Lines;
use crate::align::{Change, ROOM, align};

/// How many lines that did not change stand around those that did, as programs usually have it: the
/// line numbers suffice here, but `patch` and `git apply` want some.
const CONTEXT: usize = 3;

/// The diff from `old` to `new`. `None` if it would not be shorter than `enough`, or if there is too
/// much to compare.
///
/// The names in the head are fixed and have no date: equal input gives equal bytes.
pub(crate) fn diff(old: &[u8], new: &[u8], enough: usize) -> Option<Vec<u8>> {
    let old: Vec<&[u8]> = Lines::of(old).collect();
    let new: Vec<&[u8]> = Lines::of(new).collect();
    let changes = align(&old, &new, &mut { ROOM })?;
    let mut out = b"--- a\n+++ b\n".to_vec();
    // Two changes share a hunk when their contexts meet.
    for hunk in changes.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT) {
        write_hunk(hunk, &old, &new, &mut out);
        if out.len() >= enough {
            return None;
        }
    }
    Some(out)
}

fn write_hunk(changes: &[Change], old: &[&[u8]], new: &[&[u8]], out: &mut Vec<u8>) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
        return;
    };
    // What did not change is as long on one side as on the other.
    let before = first.old.start.min(CONTEXT);
    let after = (old.len() - last.old.end).min(CONTEXT);
    let span = |start: usize, end: usize| Span {
        start: start - before,
        count: end + after - (start - before),
    };
    Header { old: span(first.old.start, last.old.end), new: span(first.new.start, last.new.end) }
        .write(out);
    let mut at = first.old.start - before;
    for change in changes {
        write_lines(b' ', &old[at..change.old.start], out);
        write_lines(b'-', &old[change.old.clone()], out);
        write_lines(b'+', &new[change.new.clone()], out);
        at = change.old.end;
    }
    write_lines(b' ', &old[at..last.old.end + after], out);
}

fn write_lines(sign: u8, lines: &[&[u8]], out: &mut Vec<u8>) {
    for line in lines {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.push(b'\n');
            out.extend_from_slice(NO_NEWLINE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_are_as_posix_has_them() {
        let cases: [(&str, &str, &str); 6] = [
            ("a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"),
            ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
            ("a\nb\n", "b\n", "@@ -1,2 +1 @@\n-a\n b\n"),
            ("a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n"),
            ("a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                "1\n2\n3\n4\n5\n6\n7\n8\n9\nx",
                "@@ -7,3 +7,4 @@\n 7\n 8\n 9\n+x\n\\ No newline at end of file\n",
            ),
        ];
        for (old, new, hunks) in cases {
            let diff = diff(old.as_bytes(), new.as_bytes(), usize::MAX).unwrap();
            assert_eq!(String::from_utf8(diff).unwrap(), format!("--- a\n+++ b\n{hunks}"));
        }
    }

    #[test]
    fn hunks_are_apart_when_their_contexts_are() {
        for (between, hunks) in [(6, 1), (7, 2)] {
            let same = "same\n".repeat(between);
            let (old, new) = (format!("a\n{same}b\n"), format!("A\n{same}B\n"));
            let diff = diff(old.as_bytes(), new.as_bytes(), usize::MAX).unwrap();
            let text = String::from_utf8(diff).unwrap();
            assert_eq!(text.matches("@@ -").count(), hunks, "{text}");
        }
    }
}
