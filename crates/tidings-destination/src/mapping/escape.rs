//! From characters of a URI to characters of a name.

use super::visible;

/// Where in a URI a text stands: the URL standard encodes other characters there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Host,
    Path,
    Query,
}

/// Adds a text of a URI in its normal form to a name.
pub(super) fn push(name: &mut String, text: &str, part: Part) {
    let mut rest = text;
    loop {
        let plain = rest.bytes().position(|byte| !is_plain(byte, part)).unwrap_or(rest.len());
        name.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let Some(&byte) = rest.as_bytes().first() else { return };
        let length = if byte != b'%' {
            push_escaped(name, byte);
            1
        } else if let Some((character, length)) = shown(rest, part) {
            name.push(character);
            length
        } else if rest.as_bytes().get(1..3).is_some_and(|pair| pair.iter().all(is_hex)) {
            name.push_str(&rest[..3]);
            3
        } else {
            push_escaped(name, byte);
            1
        };
        rest = &rest[length..];
    }
}

/// `%_XX`: a character that is not encoded in the URI.
pub(super) fn push_escaped(name: &mut String, byte: u8) {
    name.push_str("%_");
    push_hex(name, byte);
}

/// Two digits, in the capitals that the standards prefer (RFC 3986, 2.1).
pub(super) fn push_hex(text: &mut String, byte: u8) {
    text.extend(tidings_base::upper_hex(byte).map(char::from));
}

/// True of the ASCII characters that are encoded in every URI in its normal form, and are fit for
/// names: only these need no percent sign there to be told from their literal selves.
pub(super) fn is_encoded(byte: u8, part: Part) -> bool {
    match part {
        Part::Host => false,
        Part::Path => b" #`{}".contains(&byte),
        Part::Query => b" #'".contains(&byte),
    }
}

/// False of what no name may have on some system, and of the percent sign, which says that something
/// follows.
fn is_plain(byte: u8, part: Part) -> bool {
    match byte {
        b'/' | b'\\' | b':' | b'*' | b'?' | b'"' | b'<' | b'>' | b'|' | b'%' => false,
        // The plus sign begins the port, and the brackets are those of addresses.
        b'+' | b'[' | b']' => part != Part::Host,
        _ => byte.is_ascii_graphic(),
    }
}

fn is_hex(byte: &u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// The character at the beginning that is shown decoded, and how long it is encoded: if encoding it
/// again gives the same text, and if it can be seen.
fn shown(text: &str, part: Part) -> Option<(char, usize)> {
    let mut bytes = [0; 4];
    let first = encoded(text)?;
    let count = match first {
        ..=0x7F => return is_encoded(first, part).then_some((char::from(first), 3)),
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => return None,
    };
    for (place, byte) in bytes[..count].iter_mut().enumerate() {
        *byte = encoded(text.get(3 * place..)?)?;
    }
    let character = std::str::from_utf8(&bytes[..count]).ok()?.chars().next()?;
    (part != Part::Host && visible::is_visible(character)).then_some((character, 3 * count))
}

/// The byte that is encoded here, with capitals.
fn encoded(text: &str) -> Option<u8> {
    let [b'%', high, low, ..] = text.as_bytes() else { return None };
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    };
    Some(digit(high)? << 4 | digit(low)?)
}
