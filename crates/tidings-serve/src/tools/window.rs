//! Which part of a long text is shown.

/// How many lines are shown at once.
const MOST_LINES: usize = 2_000;
/// How many bytes, if the lines are long.
const MOST_BYTES: usize = 200_000;

/// Where a part begins: in a line, counted from 1, behind so many of its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) line: usize,
    pub(super) skip: usize,
}

/// A part of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where it begins.
    pub(super) from: Start,
    /// The last line of which something is shown.
    pub(super) last: usize,
    pub(super) previous: Option<Start>,
    pub(super) next: Option<Start>,
    /// How many lines there are in all.
    pub(super) lines: usize,
}

impl Window {
    /// The part that begins there; behind the end, the last line.
    pub(super) fn of(text: &str, from: Start) -> Self {
        let (line, line_start) = find(text, from.line);
        let line_end = text[line_start..].find('\n').map_or(text.len(), |at| line_start + at);
        let start = text.floor_char_boundary(line_start.saturating_add(from.skip).min(line_end));
        let from = Start { line, skip: start - line_start };
        let (end, last, next) = end(text, start, from);
        let previous = (start > 0).then(|| before(text, start, from));
        Self { start, end, from, last, previous, next, lines: count(text) }
    }

    /// True if it ends in the middle of a line.
    pub(super) fn is_cut(&self) -> bool {
        self.next.is_some_and(|next| next.skip > 0)
    }
}

/// How many lines a text has. One that ends with a newline has none behind it.
fn count(text: &str) -> usize {
    let newlines = text.bytes().filter(|byte| *byte == b'\n').count();
    newlines + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Where a line begins, and which it is: the last one there is, if there are not so many.
fn find(text: &str, wanted: usize) -> (usize, usize) {
    let (mut line, mut start) = (1, 0);
    while line < wanted {
        match text[start..].find('\n') {
            Some(at) if start + at + 1 < text.len() => start += at + 1,
            _ => break,
        }
        line += 1;
    }
    (line, start)
}

/// Where a part ends that begins there: its end, its last line, and where the next begins.
fn end(text: &str, start: usize, from: Start) -> (usize, usize, Option<Start>) {
    let (mut at, mut line, mut skip) = (start, from.line, from.skip);
    loop {
        let behind = text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1);
        if behind - start > MOST_BYTES {
            if at > start {
                return (at, line - 1, Some(Start { line, skip: 0 }));
            }
            // One line alone is too long.
            let cut = text.floor_char_boundary(start + MOST_BYTES);
            let next = Start { line, skip: skip + (cut - start) };
            return (cut, line, Some(next));
        }
        if behind == text.len() {
            return (behind, line, None);
        }
        (at, line, skip) = (behind, line + 1, 0);
        if line - from.line >= MOST_LINES {
            return (at, line - 1, Some(Start { line, skip }));
        }
    }
}

/// Where the part begins that ends there.
fn before(text: &str, start: usize, from: Start) -> Start {
    let lowest = text.ceil_char_boundary(start.saturating_sub(MOST_BYTES));
    let line_of = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let (mut at, mut line) = (start, from.line);
    for _ in 0..MOST_LINES {
        // The line that ends before `at`, or the one that `at` is in.
        let previous = if at == start && from.skip > 0 { line_of(at) } else { line_of(at - 1) };
        let number = if at == start && from.skip > 0 { line } else { line - 1 };
        if previous < lowest {
            if at < start {
                break;
            }
            return Start { line: number, skip: lowest - previous };
        }
        (at, line) = (previous, number);
        if at == 0 {
            break;
        }
    }
    Start { line, skip: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(line: usize, skip: usize) -> Start {
        Start { line, skip }
    }

    /// All parts from the first on: together they are the text, and lead back again.
    #[track_caller]
    fn walk(text: &str) -> usize {
        let (mut all, mut parts) = (String::new(), 0);
        let mut from = Some(start(1, 0));
        let mut before: Option<Window> = None;
        while let Some(next) = from {
            let window = Window::of(text, next);
            assert_eq!(window.from, next);
            assert!(window.end - window.start <= MOST_BYTES && window.lines == count(text));
            assert!(window.last < window.from.line + MOST_LINES);
            all += &text[window.start..window.end];
            if let Some(before) = &before {
                let back = Window::of(text, window.previous.unwrap());
                assert!(
                    back.start < window.start && back.end >= window.start,
                    "{back:?} {before:?}"
                );
            }
            from = window.next;
            before = Some(window);
            parts += 1;
        }
        assert_eq!(all, text);
        parts
    }

    #[test]
    fn parts_are_the_whole_and_lead_back() {
        let long = "é".repeat(150_000);
        for (text, parts) in [
            (String::new(), 1),
            ("a".to_owned(), 1),
            ("a\nb\n".to_owned(), 1),
            ("\n".repeat(2_000), 1),
            ("\n".repeat(2_001), 2),
            (format!("{}\n", "a".repeat(99)).repeat(5_000), 3),
            (format!("{}\n", "a".repeat(999)).repeat(1_000), 5),
            (long.clone(), 2),
            (format!("a\n{long}\nb\n{long}{long}{long}\n\nc"), 8),
        ] {
            assert_eq!(walk(&text), parts, "{} bytes", text.len());
        }
    }

    #[test]
    fn what_does_not_exist_is_not_shown() {
        let text = "a\nbb\nccc";
        for (from, expected) in [
            (start(1, 0), (0, start(1, 0))),
            (start(0, 0), (0, start(1, 0))),
            (start(2, 1), (3, start(2, 1))),
            (start(2, 900), (4, start(2, 2))),
            (start(3, usize::MAX), (8, start(3, 3))),
            (start(usize::MAX, 0), (5, start(3, 0))),
        ] {
            let window = Window::of(text, from);
            assert_eq!((window.start, window.from), expected, "{from:?}");
        }
        assert_eq!(Window::of("", start(7, 7)).lines, 0);
        assert_eq!(Window::of("a\n", start(2, 0)).from, start(1, 0));
    }
}
