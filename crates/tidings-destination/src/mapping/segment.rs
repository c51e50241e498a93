//! The names of a path, one for each segment.

use super::escape::{self, Part};
use super::{digest, reserved};

/// The most bytes of a name: file systems take 255, and suffixes are to fit.
const LONGEST: usize = 240;

/// The digits of a digest that stands for what was cut off.
const DIGITS: usize = 32;

/// An empty segment between two slashes.
pub(super) const EMPTY: &str = "%_";

/// An empty segment at the end: what is at a URI that ends in a slash.
pub(super) const INDEX: &str = "%_index";

/// Adds the names for what follows the first slash of a URI, the query with the last of them.
pub(super) fn push_names(path: &mut String, text: &str) {
    let (names, query) = match text.split_once('?') {
        Some((names, query)) => (names, Some(query)),
        None => (text, None),
    };
    let mut names = names.split('/').peekable();
    while let Some(name) = names.next() {
        let start = path.len();
        let is_last = names.peek().is_none();
        match name {
            "" if is_last => path.push_str(INDEX),
            "" => path.push_str(EMPTY),
            _ => escape::push(path, name, Part::Path),
        }
        if let Some(query) = query.filter(|_| is_last) {
            escape::push_escaped(path, b'?');
            escape::push(path, query, Part::Query);
        }
        protect(path, start, start == 0);
        if !is_last {
            path.push('/');
        }
    }
}

/// Makes the name that begins there one that means nothing else on any system.
pub(super) fn protect(path: &mut String, start: usize, is_first: bool) {
    let name = &path[start..];
    if reserved::is_device(name) || is_first && reserved::is_state(name) {
        replace(path, start, "%_");
    }
    // Windows takes these from the end of a name. A space was encoded in the URI, a dot was not.
    match path.as_bytes().last() {
        Some(b'.') => replace(path, path.len() - 1, "%_"),
        Some(b' ') => replace(path, path.len() - 1, "%"),
        _ => {}
    }
    if path.len() - start > LONGEST {
        shorten(path, start);
    }
}

/// Puts an escape in the place of an ASCII character.
fn replace(path: &mut String, place: usize, mark: &str) {
    let mut escaped = mark.to_owned();
    escape::push_hex(&mut escaped, path.as_bytes()[place]);
    path.replace_range(place..=place, &escaped);
}

/// Cuts the name that begins there, and puts the digest of all of it in the place of what was cut.
fn shorten(path: &mut String, start: usize) {
    let mut suffix = digest::MARK.to_owned();
    digest::push(&mut suffix, &path[start..], DIGITS);
    let mut end = path.floor_char_boundary(start + LONGEST - suffix.len());
    // No escape is cut in two: the longest have four characters.
    let near = end.saturating_sub(3).max(start);
    if let Some(mark) = path.as_bytes()[near..end].iter().rposition(|&byte| byte == b'%') {
        let mark = near + mark;
        let length = if path.as_bytes().get(mark + 1) == Some(&b'_') { 4 } else { 3 };
        if mark + length > end {
            end = mark;
        }
    }
    path.truncate(end);
    path.push_str(&suffix);
}
