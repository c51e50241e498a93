//! From keys to URIs.

use std::ffi::OsStr;

use crate::inventory::name::encoded;

/// What becomes of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// It is this URI, relative to the base.
    Uri(String),
    /// It is none of those that are published, and that needs no words.
    LeftOut,
    /// It cannot be published, for this reason.
    Refused(&'static str),
}

/// What becomes of a key below the prefix; `empty` says that its object is.
///
/// Stores take any text for a key. Published is only what a server, a browser and the file system of
/// a Destination keep apart from every other: the reverse of this function has to find the object.
pub(super) fn name(relative: &str, empty: bool) -> Name {
    let (names, last) = match relative.rsplit_once('/') {
        Some((names, last)) => (Some(names), last),
        None => (None, relative),
    };
    // Consoles make these to show folders that have nothing in them yet.
    if last.is_empty() && empty {
        return Name::LeftOut;
    }
    if last.is_empty() {
        return Name::Refused("its key ends with a slash, where the name of a file should be");
    }
    let mut uri = String::with_capacity(relative.len());
    let mut hidden = false;
    for segment in names.into_iter().flat_map(|names| names.split('/')).chain([last]) {
        if segment.is_empty() {
            return Name::Refused("its key has two slashes in a row, or one at its start");
        }
        if segment == "." || segment == ".." {
            return Name::Refused(
                "its key has a segment . or .., which no URI keeps (RFC 3986, 5.2.4)",
            );
        }
        if segment.bytes().any(|byte| byte.is_ascii_control()) {
            return Name::Refused("its key has a control character");
        }
        hidden |= segment.starts_with('.');
        if !uri.is_empty() {
            uri.push('/');
        }
        uri.push_str(&encoded(OsStr::new(segment)));
    }
    if hidden { Name::LeftOut } else { Name::Uri(uri) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_become_uris_segment_by_segment() {
        for (key, uri) in [
            ("a/b.html", "a/b.html"),
            ("a b/ü", "a%20b/%C3%BC"),
            ("a%20b", "a%2520b"),
            ("a\\b", "a%5Cb"),
            (" a ", "%20a%20"),
            ("a+b?c#d", "a+b%3Fc%23d"),
            ("...", "..."),
        ] {
            let expected = if uri.starts_with('.') { Name::LeftOut } else { Name::Uri(uri.into()) };
            assert_eq!(name(key, false), expected, "{key}");
        }
    }

    #[test]
    fn what_no_uri_can_say_is_refused() {
        for key in ["a//b", "/a", "//", "a/", "./a", "a/../b", "..", "a\nb", "a\u{7f}", ".git/../a"]
        {
            assert!(matches!(name(key, false), Name::Refused(_)), "{key:?}");
        }
    }

    #[test]
    fn folders_and_what_is_hidden_are_left_out() {
        for key in ["", "a/", "a/b/"] {
            assert_eq!(name(key, true), Name::LeftOut, "{key}");
        }
        for key in [".a", "a/.b", ".well-known/resourcesync"] {
            assert_eq!(name(key, false), Name::LeftOut, "{key}");
        }
    }
}
