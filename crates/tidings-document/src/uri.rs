//! What a URI may look like (RFC 3986), as far as a document needs to know.

use crate::bytes;

/// What is wrong with a string that should be an absolute URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UriFault {
    /// No scheme: it is relative, or no URI at all.
    Relative,
    /// A letter outside ASCII: an IRI, to be percent-encoded.
    NotAscii,
    /// A character that no URI may hold, or a `%` without two hexadecimal digits.
    Character,
}

/// True for what RFC 3986, section 2, leaves out: controls, blanks, what is not ASCII, and
/// ``"<>\^`{|}``. Written as few comparisons, which the compiler does for many bytes at a time; two
/// characters that differ in one bit are one comparison.
#[inline]
fn is_outside(byte: u8) -> bool {
    let angle = byte & !2 == b'<';
    let backslash_or_caret = byte & !2 == b'\\';
    let late = (byte > b'z') & (byte != b'~');
    (byte <= b' ') | (byte == b'"') | angle | backslash_or_caret | (byte == b'`') | late
}

/// Checks that a string is an absolute URI. Schemes are not judged: mirrors may be `gsiftp:`.
pub(crate) fn check(uri: &str) -> Result<(), UriFault> {
    let bytes = uri.as_bytes();
    if !(bytes.starts_with(b"http://") || bytes.starts_with(b"https://")) {
        let scheme = memchr::memchr(b':', bytes).unwrap_or(0);
        let named = bytes[..scheme]
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte));
        if scheme == 0 || !bytes[0].is_ascii_alphabetic() || !named {
            return Err(UriFault::Relative);
        }
    }
    // Most have nothing that needs a second look.
    if !bytes::any(bytes, |byte| is_outside(byte) | (byte == b'%')) {
        return Ok(());
    }
    if bytes::any(bytes, is_outside) {
        return Err(if uri.is_ascii() { UriFault::Character } else { UriFault::NotAscii });
    }
    if !percent_encoding_is_whole(bytes) {
        return Err(UriFault::Character);
    }
    Ok(())
}

fn percent_encoding_is_whole(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'%', bytes).all(|at| {
        bytes.get(at + 1..at + 3).is_some_and(|pair| pair.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Letters, digits and ``!#$%&'*+-.^_`|~`` (RFC 9110, section 5.6.2).
const TOKEN_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let allowed = b"!#$%&'*+-.^_`|~";
    let mut at = 0;
    while at < allowed.len() {
        table[allowed[at] as usize] = true;
        at += 1;
    }
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            table[byte] = true;
        }
        byte += 1;
    }
    table
};

/// A media type, with or without parameters: `type/subtype` of token characters (RFC 9110, 8.3.1).
pub(crate) fn is_media_type(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(slash) = memchr::memchr(b'/', bytes) else { return false };
    let (main, sub) = (&bytes[..slash], &bytes[slash + 1..]);
    // Lower-case letters, digits and `+-./` are all that most of them have.
    let plain = |byte: u8| {
        (byte.wrapping_sub(b'a') < 26) | ((byte.wrapping_sub(b'+') < 15) & (byte != b','))
    };
    if !bytes::any(bytes, |byte| !plain(byte)) {
        return !main.is_empty() && !sub.is_empty() && memchr::memchr(b'/', sub).is_none();
    }
    let is_token =
        |part: &[u8]| !part.is_empty() && part.iter().all(|byte| TOKEN_BYTE[usize::from(*byte)]);
    let end = memchr::memchr(b';', sub).unwrap_or(sub.len());
    is_token(main) && is_token(sub[..end].trim_ascii_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_uris_from_others() {
        for uri in [
            "http://example.com/a%20b?c=d&e#f",
            "gsiftp://grid.example.com/x",
            "urn:isbn:1",
            "tag:a,2020:b",
        ] {
            assert_eq!(check(uri), Ok(()), "{uri}");
        }
        for uri in ["/a", "a/b", "", "//host/a", ":x", "1a:b", "a b:c", "../x?y=http://z"] {
            assert_eq!(check(uri), Err(UriFault::Relative), "{uri}");
        }
        for uri in ["http://e/a b", "http://e/<", "http://e/%zz", "http://e/%2", "http://e/\\"] {
            assert_eq!(check(uri), Err(UriFault::Character), "{uri}");
        }
        assert_eq!(check("http://e/☃"), Err(UriFault::NotAscii));
    }

    #[test]
    fn tells_media_types_from_others() {
        for text in [
            "text/html",
            "application/rdf+xml",
            "text/html; charset=utf-8",
            "application/vnd.a.b-c+json;v=1",
        ] {
            assert!(is_media_type(text), "{text}");
        }
        for text in ["", "html", "text/", "/html", "text/html/x", "te xt/html", "text/ht ml"] {
            assert!(!is_media_type(text), "{text}");
        }
    }
}
