//! Where front matter is in a file.

use super::opening::{self, Restriction};
use super::{FrontMatterError, LONGEST};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Yaml,
    Toml,
}

impl Language {
    /// The line before it, and after it.
    pub(super) fn fence(self) -> &'static str {
        match self {
            Self::Yaml => "---",
            Self::Toml => "+++",
        }
    }
}

/// The lines between the two fences.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) language: Language,
    pub(super) text: &'a str,
    /// Where they begin in the file.
    pub(super) start: usize,
    /// Where the file goes on after them.
    pub(super) body: usize,
}

/// How long the byte order mark is that a file begins with.
pub(super) fn mark(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

/// The line and the column, from 1, of a place in a text.
pub(super) fn place(text: &str, at: usize) -> (u64, u64) {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count() as u64 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64 + 1;
    (line, column)
}

/// The lines of a file with where each begins, without what ends them.
fn lines(bytes: &[u8], from: usize) -> impl Iterator<Item = (usize, &[u8], usize)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let begin = at;
        at += length;
        Some((begin, rest[..length].trim_ascii_end(), at))
    })
}

impl<'a> Block<'a> {
    /// Finds it; none if the file does not begin with any.
    pub(super) fn find(bytes: &'a [u8]) -> Result<Option<Self>, FrontMatterError> {
        // Hugo skips empty lines before it, too.
        let mut lines = lines(bytes, mark(bytes)).skip_while(|(_, line, _)| line.is_empty());
        let language = match lines.next() {
            Some((_, b"---", _)) => Language::Yaml,
            Some((_, b"+++", _)) => Language::Toml,
            None if bytes.len() >= LONGEST => return Err(FrontMatterError::Endless("---")),
            _ => return without_fence(bytes).map(|()| None),
        };
        let mut rest = lines.peekable();
        let start = rest.peek().map_or(bytes.len(), |(begin, _, _)| *begin);
        let fence = language.fence().as_bytes();
        let end = rest.find(|(_, line, _)| *line == fence);
        // What ends after the part that is read for it is as endless as what never does.
        let end = end.filter(|(_, _, body)| *body <= LONGEST);
        let Some((end, _, body)) = end else {
            let read = &bytes[start..bytes.len().min(LONGEST)];
            let text = String::from_utf8_lossy(read);
            let block = Block { language, text: &text, start, body: bytes.len() };
            let mut head = text.lines().take_while(|line| !line.trim().is_empty());
            // The lines that restrict the page may be those that are missing.
            if language == Language::Yaml && !block.is_likely() && !head.any(closes) {
                return Ok(None);
            }
            return Err(FrontMatterError::Endless(language.fence()));
        };
        let text =
            std::str::from_utf8(&bytes[start..end]).map_err(|_| FrontMatterError::Encoding)?;
        Ok(Some(Self { language, text, start, body }))
    }

    /// True if nothing is said in it.
    pub(super) fn has_no_entries(&self) -> bool {
        self.text.lines().all(is_empty)
    }

    /// True if its first line that says something has a key.
    pub(super) fn has_key(&self) -> bool {
        let first = self.text.lines().find(|line| !is_empty(line)).unwrap_or_default();
        first.trim_start().starts_with('{') || key(first).is_some()
    }

    /// True if it looks as if somebody meant it: a thematic break is followed by an empty line, and
    /// front matter is not.
    pub(super) fn is_likely(&self) -> bool {
        let begins_at_once = self.text.lines().next().is_some_and(|line| !line.trim().is_empty());
        self.language == Language::Toml || begins_at_once && self.has_key()
    }
}

/// An error for a page that begins with no front matter, and nearly so with some that restricts it.
fn without_fence(bytes: &[u8]) -> Result<(), FrontMatterError> {
    if opening::is_utf16(bytes) {
        return Err(FrontMatterError::Encoding);
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    match opening::restriction(&text) {
        Some(Restriction { line, text }) => Err(FrontMatterError::Unfenced { line, text }),
        None => Ok(()),
    }
}

impl Block<'_> {
    /// An error if more front matter follows, or if it is empty and what restricts the page comes after it.
    pub(super) fn check_body(&self, bytes: &[u8]) -> Result<(), FrontMatterError> {
        let end = bytes.len().min(LONGEST);
        let body = String::from_utf8_lossy(&bytes[self.body.min(end)..end]);
        let later = opening::later_restriction(&body);
        let found = later.or_else(|| opening::restriction(&body).filter(|_| self.has_no_entries()));
        // The line that ends an empty one may have been meant to begin it.
        let fenced = || {
            let it = opening::later_restriction(&format!("---\n{body}"))?;
            Some(Restriction { line: it.line - 1, ..it })
        };
        let found = found.or_else(|| fenced().filter(|_| self.has_no_entries()));
        let Some(Restriction { line, text }) = found else { return Ok(()) };
        let before = bytes[..self.body].iter().filter(|byte| **byte == b'\n').count();
        Err(FrontMatterError::Unfenced { line: line + before as u64, text })
    }

    /// True if it says who may see the page: that is not to be taken for words of the page.
    pub(super) fn closes(&self) -> bool {
        self.text.lines().any(closes)
    }
}

/// Keys of lines that say who may see a page, and the one that front matter begins with as a rule.
const CLOSING: [&str; 17] = [
    "roles",
    "role",
    "draft",
    "tags",
    "tag",
    "private",
    "hidden",
    "unlisted",
    "restricted",
    "published",
    "visibility",
    "access",
    "status",
    "publishdate",
    "expirydate",
    "cascade",
    "title",
];

/// Keys that are true or false, and restrict a page.
const FLAGS: [&str; 5] = ["draft", "private", "hidden", "unlisted", "unpublished"];

/// True for a line that says, or tries to say, who may see the page, or begins front matter that may say
/// so further down: a page that was cut off is not taken for one without restrictions.
fn closes(line: &str) -> bool {
    let name = line.split([':', '=']).next().filter(|name| name.len() < line.len());
    // A colon that was forgotten.
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_flag = |word: &str| FLAGS.contains(&crate::spelling::folded(word).as_str());
    if words.len() < 3 && words.first().is_some_and(|word| is_flag(word)) {
        return true;
    }
    let name = name.unwrap_or_default().trim().trim_matches(['"', '\'']);
    CLOSING.contains(&crate::spelling::folded(name).as_str())
}

/// True for a line that says nothing.
pub(super) fn is_empty(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The key of a line of YAML that begins an entry: a word at its very beginning, with a colon.
pub(super) fn key(line: &str) -> Option<&str> {
    let (key, rest) = match line.as_bytes().first()? {
        quote @ (b'"' | b'\'') => {
            let end = line[1..].find(char::from(*quote))? + 1;
            (&line[1..end], line[end + 1..].trim_start().strip_prefix(':')?)
        }
        b' ' | b'\t' | b'#' | b'-' | b'[' | b']' | b'{' | b'}' | b',' | b'&' | b'*' | b'!'
        | b'|' | b'>' | b'%' | b'@' | b'`' | b'?' => return None,
        _ => {
            let end = line.match_indices(':').map(|(at, _)| at);
            let ends = |at: &usize| line[at + 1..].chars().next().is_none_or(char::is_whitespace);
            let end = end.into_iter().find(ends)?;
            (line[..end].trim_end(), &line[end + 1..])
        }
    };
    rest.chars().next().is_none_or(char::is_whitespace).then_some(key)
}
