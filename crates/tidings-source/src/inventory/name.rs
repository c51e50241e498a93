//! From file names to URIs.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The name as a segment of a URI's path: every byte that may not stand there as it is becomes
/// `%XX` (RFC 3986, 3.3). Names need not be UTF-8.
pub fn encoded(name: &OsStr) -> String {
    let mut out = Vec::with_capacity(name.len());
    push_encoded(&mut out, name);
    out.into_iter().map(char::from).collect()
}

/// The same, at the end of what is there already; all of it is ASCII.
pub(super) fn push_encoded(out: &mut Vec<u8>, name: &OsStr) {
    for &byte in name.as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            out.push(byte);
        } else {
            out.push(b'%');
            out.extend(tidings_base::upper_hex(byte));
        }
    }
}

/// The path of the file whose path in a URI is this, percent-encoding undone segment by segment: the
/// inverse of what an inventory does with names. None where it would lead out of its folder, or is no
/// name of a file.
pub fn path_of(uri_path: &str) -> Option<PathBuf> {
    // Elsewhere a backslash leads from folder to folder.
    file_of(uri_path).filter(|path| !path.as_os_str().as_bytes().contains(&b'\\'))
}

/// The same, for names that came from files of this machine.
pub(crate) fn file_of(uri_path: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for segment in uri_path.split('/').filter(|segment| !segment.is_empty()) {
        let name = decoded(segment);
        if name == b"." || name == b".." || name.iter().any(|byte| b"/\0".contains(byte)) {
            return None;
        }
        path.push(OsString::from_vec(name));
    }
    Some(path)
}

/// By what globs know a resource: its path below the base as a file would have it, else its URI.
pub(crate) fn glob_path(base: &str, uri: &str) -> PathBuf {
    uri.strip_prefix(base).and_then(file_of).unwrap_or_else(|| PathBuf::from(uri))
}

/// The bytes that a segment stands for.
pub(super) fn decoded(segment: &str) -> Vec<u8> {
    // Most names stand as they are.
    if !segment.contains('%') {
        return segment.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match (first, code.and_then(|pair| u8::from_str_radix(pair, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_encoded() {
        for (name, segment) in [
            ("a b", "a%20b"),
            ("a&b", "a&b"),
            ("☃", "%E2%98%83"),
            ("50%", "50%25"),
            ("a?b#c", "a%3Fb%23c"),
            ("plain-name_1.html", "plain-name_1.html"),
        ] {
            assert_eq!(encoded(OsStr::new(name)), segment);
            assert_eq!(path_of(segment), Some(PathBuf::from(name)));
        }
        assert_eq!(encoded(OsStr::from_bytes(b"\xff\xfe")), "%FF%FE");
    }

    #[test]
    fn no_path_leads_out() {
        for path in ["..", "a/../b", "%2e%2e/b", "a%2Fb", "%2Fetc", "a%00", "a%5Cb", "."] {
            assert_eq!(path_of(path), None, "{path}");
        }
        assert_eq!(path_of("a//b/"), Some(PathBuf::from("a/b")));
    }
}
