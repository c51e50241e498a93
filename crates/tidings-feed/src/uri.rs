//! What may be a link, and what an identifier.

use std::borrow::Cow;
use std::fmt::Write as _;

use url::Url;

/// What an identifier begins with that came without a scheme.
const OWN_SCHEME: &str = "urn:x-tidings:";

/// The text as an absolute `http` or `https` URL. Anything else is no link: scripts and data have no
/// place in a feed, and a relative one would mean something else in every reader.
///
/// A URL comes back as it was given, unless there are characters in it that a URI cannot have
/// (RFC 3986, 2): these are percent-encoded. One with control characters is refused, not mended.
pub(crate) fn web(text: &str) -> Option<Cow<'_, str>> {
    let has_scheme = ["http://", "https://"].iter().any(|scheme| {
        text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    if !has_scheme || text.chars().any(char::is_control) || text.ends_with(char::is_whitespace) {
        return None;
    }
    let url = Url::parse(text).ok()?;
    if text.bytes().all(is_uri_byte) {
        return Some(Cow::Borrowed(text));
    }
    let mut encoded = String::with_capacity(text.len() + 16);
    for character in url.as_str().chars() {
        push_encoded(&mut encoded, character, character.is_ascii() && is_uri_byte(character as u8));
    }
    Some(Cow::Owned(encoded))
}

/// The text as a URL that a link can lead to from `base`.
pub(crate) fn resolve(base: &Url, text: &str) -> Option<Url> {
    base.join(text.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// Whether the text is an absolute IRI, as far as its characters tell.
pub(crate) fn is_iri(text: &str) -> bool {
    has_scheme(text) && text.chars().all(is_iri_character)
}

/// An absolute IRI of the first of the texts that is not empty: that text itself, if it is one
/// (RFC 4287, 4.2.6.1, compares character by character, so nothing is normalised), else made into
/// one.
pub(crate) fn identifier<'t>(texts: &[&'t str]) -> Cow<'t, str> {
    let text = texts.iter().map(|text| text.trim()).find(|text| !text.is_empty()).unwrap_or("-");
    if is_iri(text) {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len() + OWN_SCHEME.len());
    if !has_scheme(text) {
        made.push_str(OWN_SCHEME);
    }
    for character in text.chars() {
        push_encoded(&mut made, character, is_iri_character(character));
    }
    Cow::Owned(made)
}

fn push_encoded(out: &mut String, character: char, as_it_is: bool) {
    if as_it_is {
        return out.push(character);
    }
    for byte in character.encode_utf8(&mut [0; 4]).bytes() {
        let _ = write!(out, "%{byte:02X}");
    }
}

/// `scheme ":"` and something after it (RFC 3986, 3.1).
fn has_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, rest)| {
        let letters = scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        letters && scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && !rest.is_empty()
    })
}

fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte)
}

/// RFC 3987, 2.2, with a more generous view of characters outside of ASCII.
fn is_iri_character(character: char) -> bool {
    match u8::try_from(character) {
        Ok(byte) if byte.is_ascii() => is_uri_byte(byte),
        _ => {
            let not_one = u32::from(character) & 0xFFFE == 0xFFFE || character == '\u{FFFD}';
            !(not_one || character.is_control() || character.is_whitespace())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_urls_are_links() {
        for (text, expected) in [
            ("http://a.example", Some("http://a.example")),
            ("HTTPS://a.example/x?y=1&z=2#f", Some("HTTPS://a.example/x?y=1&z=2#f")),
            ("http://[::1]/", Some("http://[::1]/")),
            ("http://a.example/ü x", Some("http://a.example/%C3%BC%20x")),
            ("http://ü.example/", Some("http://xn--tda.example/")),
            ("http://a.example/a|b?c|d", Some("http://a.example/a%7Cb?c%7Cd")),
            ("http://a.example/a\"><script>", Some("http://a.example/a%22%3E%3Cscript%3E")),
            ("http://", None),
            ("http:a.example", None),
            (" http://a.example/", None),
            ("http://a.example/ ", None),
            ("http://a.example/\n", None),
            ("java\nscript:alert(1)", None),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("//a.example/", None),
            ("/a", None),
            ("", None),
        ] {
            assert_eq!(web(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn an_identifier_is_always_an_iri() {
        for (texts, expected) in [
            (&["tag:e.example,2026:ü"][..], "tag:e.example,2026:ü"),
            (&["", " http://e.example/ "], "http://e.example/"),
            (&["tag:a b<"], "tag:a%20b%3C"),
            (&["17"], "urn:x-tidings:17"),
            (&["a: b"], "a:%20b"),
            (&["1:2"], "urn:x-tidings:1:2"),
            (&["x\0\u{FFFF}"], "urn:x-tidings:x%00%EF%BF%BF"),
            (&["", " "], "urn:x-tidings:-"),
        ] {
            let id = identifier(texts);
            assert_eq!(id, expected);
            assert!(is_iri(&id), "{id}");
        }
    }

    #[test]
    fn links_are_resolved() {
        let base = Url::parse("http://a.example/b/c").unwrap();
        assert_eq!(resolve(&base, " d ").unwrap().as_str(), "http://a.example/b/d");
        assert_eq!(resolve(&base, "javascript:x"), None);
        assert_eq!(resolve(&base, "http://["), None);
    }
}
