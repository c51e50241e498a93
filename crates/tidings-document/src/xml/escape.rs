//! Characters that stand for themselves only when escaped.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::rule;
use crate::xml::scan::Fault;

/// Resolves the references of character data or, with `attribute`, of an attribute's value, where
/// line ends and tabs become blanks as well (XML 1.0, 3.3.3).
///
/// An ampersand that begins no reference at all is taken as itself, and `bare` is set: its meaning
/// survives. A reference to an entity that only a DTD could define is a fault.
pub(crate) fn resolve<'t>(
    raw: &'t str,
    at: usize,
    attribute: bool,
    bare: &mut bool,
) -> Result<Cow<'t, str>, Box<Fault>> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(length) = memchr(b'&', rest.as_bytes()) {
        push(&mut out, &rest[..length], attribute);
        let here = at + raw.len() - rest.len() + length;
        rest = &rest[length + 1..];
        match reference(rest) {
            Some((name, tail)) => {
                out.push(character(name, here)?);
                rest = tail;
            }
            None => {
                *bare = true;
                out.push('&');
            }
        }
    }
    push(&mut out, rest, attribute);
    Ok(Cow::Owned(out))
}

fn push(out: &mut String, piece: &str, attribute: bool) {
    if !attribute {
        return out.push_str(piece);
    }
    let mut previous = ' ';
    for c in piece.chars() {
        match c {
            // A line end of two characters is one (XML 1.0, 2.11).
            '\n' if previous == '\r' => {}
            '\n' | '\r' | '\t' => out.push(' '),
            c => out.push(c),
        }
        previous = c;
    }
}

/// Splits `name;rest`, if what follows an ampersand has that shape.
fn reference(text: &str) -> Option<(&str, &str)> {
    let end = text
        .bytes()
        .take(64)
        .position(|byte| !(byte.is_ascii_alphanumeric() || b"#_-.:".contains(&byte)))?;
    if end == 0 || text.as_bytes()[end] != b';' {
        return None;
    }
    Some((&text[..end], &text[end + 1..]))
}

fn character(name: &str, at: usize) -> Result<char, Box<Fault>> {
    let number = match name {
        "amp" => return Ok('&'),
        "lt" => return Ok('<'),
        "gt" => return Ok('>'),
        "quot" => return Ok('"'),
        "apos" => return Ok('\''),
        _ => name.strip_prefix('#'),
    };
    let Some(number) = number else {
        let detail = format!("&{name}; is not defined");
        return Err(Box::new(Fault { rule: rule::xml::ENTITY, detail, at }));
    };
    let code = match number.strip_prefix('x') {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    code.ok().and_then(char::from_u32).filter(|c| is_xml_character(*c)).ok_or_else(|| {
        let detail = format!("&{name}; is no character of XML");
        Box::new(Fault { rule: rule::xml::CHARACTER, detail, at })
    })
}

/// The production Char of XML 1.0, 2.2.
fn is_xml_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The first character that XML forbids (XML 1.0, 2.2).
pub(crate) fn first_forbidden(text: &str) -> Option<usize> {
    let control = |byte: u8| (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r');
    let mut first = None;
    if crate::bytes::any_of_many(text.as_bytes(), control) {
        first = text.bytes().position(control);
    }
    if !text.is_ascii() {
        let not_characters =
            ["\u{FFFE}", "\u{FFFF}"].map(|c| memmem::find(text.as_bytes(), c.as_bytes()));
        first = not_characters.into_iter().flatten().chain(first).min();
    }
    first
}

/// Appends text with `&`, `<`, `>` escaped, and `"` in attributes; line ends and tabs in attributes
/// as references, which survive the normalisation on reading. False if the text holds a character
/// that XML does not allow.
#[inline]
#[must_use]
pub(crate) fn write(out: &mut Vec<u8>, text: &str, attribute: bool) -> bool {
    let bytes = text.as_bytes();
    // What is outside of printable ASCII, `<>` and `"&`: of these pairs one bit differs.
    let odd = |byte: u8| {
        (byte.wrapping_sub(b' ') > b'~' - b' ') | (byte & !2 == b'<') | (byte & !4 == b'"')
    };
    if crate::bytes::any(bytes, odd) {
        return write_odd(out, text, attribute);
    }
    out.extend_from_slice(bytes);
    true
}

#[inline(never)]
fn write_odd(out: &mut Vec<u8>, text: &str, attribute: bool) -> bool {
    let bytes = text.as_bytes();
    let mut plain = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let escaped: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' if attribute => b"&quot;",
            b'\r' => b"&#13;",
            b'\n' if attribute => b"&#10;",
            b'\t' if attribute => b"&#9;",
            _ => continue,
        };
        out.extend_from_slice(&bytes[plain..at]);
        out.extend_from_slice(escaped);
        plain = at + 1;
    }
    out.extend_from_slice(&bytes[plain..]);
    first_forbidden(text).is_none()
}

/// Appends a URI, in which nothing but an ampersand can need to be escaped.
#[inline]
pub(crate) fn write_uri(out: &mut Vec<u8>, uri: &str) {
    let mut rest = uri.as_bytes();
    while let Some(at) = memchr(b'&', rest) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(b"&amp;");
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(raw: &str) -> (String, bool) {
        let mut bare = false;
        (resolve(raw, 0, true, &mut bare).unwrap().into_owned(), bare)
    }

    #[test]
    fn resolves_references() {
        assert_eq!(
            resolved("a&amp;b&#x41;&#66;&lt;&gt;&quot;&apos;"),
            ("a&bAB<>\"'".into(), false)
        );
        assert_eq!(resolved("a\r\nb\tc\rd\ne"), ("a b c d e".into(), false));
        assert_eq!(resolved("http://e/?a=1&b=2&c"), ("http://e/?a=1&b=2&c".into(), true));
    }

    #[test]
    fn refuses_entities_and_characters_that_do_not_exist() {
        for raw in ["&nbsp;", "&x;", "&#0;", "&#xFFFE;", "&#xD800;", "&#99999999;", "&#;", "&#x;"] {
            let mut bare = false;
            assert!(resolve(raw, 0, false, &mut bare).is_err(), "{raw} was taken");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["a&b<c>d\"e'f", "tab\tline\nreturn\r", "☃ & ☃"] {
            let mut out = Vec::new();
            assert!(write(&mut out, text, true));
            assert_eq!(resolved(std::str::from_utf8(&out).unwrap()), (text.into(), false));
        }
    }
}
