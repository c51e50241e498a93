//! Paths of URLs, in the one spelling that is compared.
//!
//! Alias validation, routing and the sitemap all look at a path through these functions, so that none
//! of them can be led to another verdict than the others.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stands for itself in a path (RFC 3986, section 3.3: `pchar` and the slash).
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@')
    .remove(b'/');

/// How often a spelling is decoded before it is given up as one that hides something.
const MOST_ROUNDS: usize = 8;

/// What a request's path names: decoded once, in lower case, without slashes at its ends or twice in a
/// row.
///
/// None for what never names anything here: a dot segment, in whatever spelling, an encoded slash, a
/// backslash, a control character, a percent sign that encodes nothing, or bytes that are no UTF-8. They
/// are refused and not resolved: a client has resolved its dots before it asks (RFC 3986, section 5.2.4),
/// and who asks with them looks for a gap between two programs.
#[must_use]
pub fn named(path: &str) -> Option<Cow<'_, str>> {
    let path = path.strip_prefix('/')?;
    let is_plain = |byte: u8| {
        byte.is_ascii_lowercase()
            || byte.is_ascii_digit()
            || matches!(byte, b'-' | b'_' | b'/' | b'.')
    };
    if path.bytes().all(is_plain) && !path.contains("//") && !path.starts_with('/') {
        let path = path.strip_suffix('/').unwrap_or(path);
        return (!has_dots(path)).then_some(Cow::Borrowed(path));
    }
    if !is_encoded_well(path) {
        return None;
    }
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    let slashes = |text: &str| text.matches(['/', '\\']).count();
    if slashes(&decoded) != path.matches('/').count() || decoded.chars().any(char::is_control) {
        return None;
    }
    let lower = normalized(&decoded);
    let kept: Vec<&str> = lower.split('/').filter(|segment| !segment.is_empty()).collect();
    let joined = kept.join("/");
    (!has_dots(&joined)).then_some(Cow::Owned(joined))
}

/// A name in lower case, and in the one form that Unicode has for letters with marks (NFC): systems differ
/// in how they write the same name.
pub(crate) fn normalized(name: &str) -> Cow<'_, str> {
    if name.is_ascii() && !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let lower = name.to_lowercase();
    Cow::Owned(ComposingNormalizerBorrowed::new_nfc().normalize(&lower).into_owned())
}

/// Whether each percent sign has its two digits.
fn is_encoded_well(path: &str) -> bool {
    let mut pieces = path.split('%');
    pieces.next();
    pieces.all(|piece| {
        let digits = piece.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    })
}

fn has_dots(path: &str) -> bool {
    path.split('/').any(|segment| matches!(segment, "." | ".."))
}

/// A path as a reserved one is looked for in it: decoded until nothing is left to decode, backslashes as
/// slashes, dot segments resolved, empty segments gone, and so what segments can have around their names,
/// and without the difference between capital and small letters, or wide and narrow ones.
///
/// This is broader than what any request is answered by: a spelling that some other program may take for
/// a reserved path is treated as one. None if it hides itself too deep, or has control characters.
#[must_use]
pub fn folded(path: &str) -> Option<String> {
    let mut text = Cow::Borrowed(path);
    for round in 0.. {
        let decoded = narrow(&percent_decode_str(&text).decode_utf8_lossy());
        if decoded == text {
            break;
        }
        if round == MOST_ROUNDS {
            return None;
        }
        text = Cow::Owned(decoded);
    }
    if text.chars().any(char::is_control) {
        return None;
    }
    // Through capitals and back: `ſ` and `ı` have capitals that are those of other letters.
    let text = if text.is_ascii() {
        text.to_ascii_lowercase()
    } else {
        text.to_uppercase().to_lowercase()
    };
    let mut kept: Vec<&str> = Vec::new();
    for segment in text.split(['/', '\\']) {
        // Parameters (RFC 3986, section 3.3) and dots at the end name the same to some.
        let segment = segment.split(';').next().unwrap_or_default().trim();
        match segment {
            "" | "." => {}
            ".." => drop(kept.pop()),
            segment => {
                kept.push(segment.trim_end_matches(|end: char| end == '.' || end.is_whitespace()))
            }
        }
    }
    Some(kept.join("/"))
}

/// Letters of full width as the usual ones, which some programs take them for.
fn narrow(text: &str) -> String {
    let usual = |letter: char| match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        letter => letter,
    };
    text.chars().map(usual).collect()
}

/// The path of a URL for what has this name, with its slash.
#[must_use]
pub fn encoded(name: &str) -> String {
    format!("/{}", utf8_percent_encode(name, PATH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_name() {
        for (path, name) in [
            ("/", Some("")),
            ("/docs", Some("docs")),
            ("/docs/", Some("docs")),
            ("/Docs//Guide/", Some("docs/guide")),
            ("/%64ocs", Some("docs")),
            ("/a%20b", Some("a b")),
            ("/%C3%84", Some("ä")),
            ("/A%CC%88", Some("ä")),
            ("/a/../b", None),
            ("/a/%2e%2E/b", None),
            ("/./a", None),
            ("/a%2fb", None),
            ("/a%5Cb", None),
            ("/a\\b", None),
            ("/a%00", None),
            ("/a%0a", None),
            ("/a%", None),
            ("/a%zz", None),
            ("/%ff", None),
            ("/...", Some("...")),
            ("a", None),
            ("/%2561dmin", Some("%61dmin")),
            ("//evil.example/x", Some("evil.example/x")),
        ] {
            assert_eq!(named(path).as_deref(), name, "{path}");
        }
    }

    #[test]
    fn what_hides_a_path_is_taken_off() {
        for path in [
            "/login",
            "login/",
            "//login//",
            "/LOGIN",
            "/%6cogin",
            "/%256Cogin",
            "/./login",
            "/x/../login",
            "/x/%2e%2e/login",
            "\\login",
            "/%5clogin",
            "/ login",
            "/login%20",
            "/login%252f",
            "/login;x=y",
            "/login.",
            "/login. ;x",
            "/%EF%BD%8Cogin",
            "/\u{ff05}6cogin",
            "/logın",
            "/%25256Cogin",
        ] {
            assert_eq!(folded(path).as_deref(), Some("login"), "{path}");
        }
        assert_eq!(folded("/a\0"), None);
        let deep = format!("/%{}41", "25".repeat(MOST_ROUNDS + 2));
        assert_eq!(folded(&deep), None);
    }
}
