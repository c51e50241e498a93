//! The paths of rules, and which URLs they mean.

use memchr::memmem;

/// The path of an `Allow` or `Disallow` rule: the beginning of the paths that it is about, in which
/// `*` stands for anything and a `$` at the end for the end (RFC 9309, section 2.2.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(Vec<u8>);

impl Pattern {
    pub(super) fn new(path: &[u8]) -> Self {
        Self(normal(path))
    }

    /// For the rule `Allow: /folder/index.html`, which is meant for `/folder/`, too: that folder and
    /// nothing below it. None for other rules.
    pub(super) fn of_folder(path: &[u8]) -> Option<Self> {
        let folder = 1 + memchr::memrchr(b'/', path)?;
        path[folder..].starts_with(b"index.htm").then(|| {
            let mut path = normal(&path[..folder]);
            path.push(b'$');
            Self(path)
        })
    }

    /// The most octets win (section 2.2.2).
    pub(super) fn weight(&self) -> usize {
        self.0.len()
    }

    pub(super) fn matches(&self, path: &[u8]) -> bool {
        let (pattern, to_the_end) = match self.0.strip_suffix(b"$") {
            Some(pattern) => (pattern, true),
            None => (&self.0[..], false),
        };
        let mut pieces = pattern.split(|byte| *byte == b'*');
        let Some(rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else {
            return false;
        };
        let Some(last) = pieces.next_back() else { return !to_the_end || rest.is_empty() };
        // The first place that fits leaves the most room for what follows.
        let Some(rest) = pieces.try_fold(rest, after) else { return false };
        if to_the_end { rest.ends_with(last) } else { after(rest, last).is_some() }
    }
}

/// What follows the first `piece` in a path.
fn after<'a>(path: &'a [u8], piece: &[u8]) -> Option<&'a [u8]> {
    memmem::find(path, piece).map(|at| &path[at + piece.len()..])
}

/// The spellings of a URL's path and query under which a rule may know it. Parsing a URL escapes what
/// no URL can hold, such as `<`; a rule may have it either way.
pub(super) fn spellings(url: &url::Url) -> Vec<Vec<u8>> {
    let mut path = url.path().as_bytes().to_owned();
    if path.is_empty() {
        path.push(b'/');
    }
    if let Some(query) = url.query() {
        path.push(b'?');
        path.extend_from_slice(query.as_bytes());
    }
    let escaped = normal(&path);
    let bare = unescape(&escaped, |byte| b" \"<>`{}^|".contains(&byte));
    if bare == escaped { vec![escaped] } else { vec![escaped, bare] }
}

/// Octets outside ASCII are escaped, escapes are in upper case, and what needs none has none
/// (section 2.2.2).
fn normal(path: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(path.len());
    for byte in path {
        match byte {
            0x80.. => escaped.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            _ => escaped.push(*byte),
        }
    }
    unescape(&escaped, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

/// Undoes the escapes of some bytes; the others are put in upper case.
fn unescape(path: &[u8], undo: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        let escaped = (*byte == b'%').then(|| behind.first_chunk::<2>().and_then(octet)).flatten();
        match escaped {
            Some(octet) => {
                rest = &behind[2..];
                if undo(octet) {
                    out.push(octet);
                } else {
                    out.extend_from_slice(format!("%{octet:02X}").as_bytes());
                }
            }
            None => out.push(*byte),
        }
    }
    out
}

fn octet(digits: &[u8; 2]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(digits[0])? << 4 | digit(digits[1])?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let url = url::Url::parse(&format!("http://a.example{path}")).unwrap();
        let pattern = Pattern::new(pattern.as_bytes());
        spellings(&url).iter().any(|path| pattern.matches(path))
    }

    #[test]
    fn rfc9309_2_2_3_special_characters() {
        for (pattern, path, expected) in [
            ("/", "/a", true),
            ("/a", "/ab", true),
            ("/a", "/A", false),
            ("/a$", "/a", true),
            ("/a$", "/ab", false),
            ("/a$b", "/a$bc", true),
            ("/*.php", "/a/b.php?c", true),
            ("/*.php$", "/a/b.php", true),
            ("/*.php$", "/a/b.php.php", true),
            ("/*.php$", "/a/b.php?c", false),
            ("/fish*.php", "/fishheads/catfish.php?a", true),
            ("/fish*.php", "/Fish.PHP", false),
            ("/a*b*c$", "/aXbXc", true),
            ("/a*b*c$", "/aXcXb", false),
            ("/a*a$", "/a", false),
            ("*", "/a", true),
            ("*$", "/a", true),
            ("**/b", "/a/b", true),
            ("a", "/a", false),
            ("", "/a", true),
            ("$", "/a", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} and {path}");
        }
    }

    #[test]
    fn rfc9309_2_2_2_escapes_do_not_count_where_they_mean_nothing() {
        for (pattern, path, expected) in [
            ("/foo/bar?baz=quz", "/foo/bar?baz=quz", true),
            ("/foo/bar?baz=http://foo.bar", "/foo/bar?baz=http://foo.bar", true),
            ("/foo/bar/ツ", "/foo/bar/%E3%83%84", true),
            ("/foo/bar/%E3%83%84", "/foo/bar/ツ", true),
            ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84", true),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz", true),
            ("/foo/bar/baz", "/foo/bar/%62%61%7A", true),
            ("/~me", "/%7Eme", true),
            ("/a%2Fb", "/a/b", false),
            ("/a/b", "/a%2fb", false),
            ("/a%2fb", "/a%2Fb", true),
            ("/a<b", "/a<b", true),
            ("/a%3Cb", "/a<b", true),
            ("/a b", "/a b", true),
            ("/100%", "/100%", true),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} and {path}");
        }
    }

    #[test]
    fn a_hostile_pattern_costs_no_more_than_its_length() {
        let pattern = Pattern::new("/a*".repeat(5_000).as_bytes());
        assert!(!pattern.matches("/a".repeat(4_999).as_bytes()));
        assert!(pattern.matches("/a".repeat(5_000).as_bytes()));
    }
}
