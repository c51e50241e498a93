//! From names back to characters of a URI.

use super::escape::{self, Part};
use super::segment::{EMPTY, INDEX};

/// Adds what the names stand for, with slashes between.
pub(super) fn push_names(uri: &mut String, path: &str) -> Option<()> {
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            return push(uri, name.strip_prefix(INDEX).unwrap_or(name));
        }
        push(uri, if name == EMPTY { "" } else { name })?;
        uri.push('/');
    }
    None
}

/// Adds what a name stands for. None if it has an escape that stands for nothing in a URI.
pub(super) fn push(uri: &mut String, name: &str) -> Option<()> {
    let mut part = Part::Path;
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        let mut utf8 = [0; 4];
        if let Some(code) = rest.strip_prefix("%_") {
            let literal = u8::from_str_radix(code.get(..2)?, 16).ok()?;
            // The first question mark begins the query; a path has none that is not encoded.
            if literal == b'?' {
                part = Part::Query;
            }
            uri.push(char::from(literal));
            length = 4;
        } else if character == '%' {
            uri.push_str(rest.get(..3)?);
            length = 3;
        } else if character.is_ascii() && !escape::is_encoded(character as u8, part) {
            uri.push(character);
        } else {
            for byte in character.encode_utf8(&mut utf8).bytes() {
                uri.push('%');
                escape::push_hex(uri, byte);
            }
        }
        rest = &rest[length..];
    }
    Some(())
}
