//! Keys that the client cannot hold.
//!
//! A store may have keys that [`Path`] refuses: `a//b`, `../a`, a control character. One of them in a
//! page of a listing, and the client gives up all of it. Others it takes for what they are not: `a/`
//! and `/a` for `a`. So those are packed into a segment of plain letters before the client sees them,
//! and unpacked after.

use std::borrow::Cow;

use object_store::path::Path;
use tidings_base::{from_hex, push_hex};

/// What a packed key begins with: a private character, then what it is. A key that really begins so
/// is packed, too.
const MARK: &str = "\u{e000}key:";

/// The key as the client can hold it.
pub(super) fn packed(key: &str) -> Cow<'_, str> {
    let same = Path::parse(key).is_ok_and(|path| path.as_ref() == key);
    if same && !key.starts_with(MARK) {
        return Cow::Borrowed(key);
    }
    let mut out = MARK.to_owned();
    push_hex(&mut out, key.as_bytes());
    Cow::Owned(out)
}

/// The key that was packed.
pub(super) fn unpacked(path: &str) -> Cow<'_, str> {
    let key = path.strip_prefix(MARK).and_then(|hex| String::from_utf8(from_hex(hex)?).ok());
    key.map_or(Cow::Borrowed(path), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_the_client_holds_stays_as_it_is() {
        for key in ["a", "a/b c", "ü/☃", "a%20b", "a\\b", "100%", "~*?#[]", " a "] {
            assert!(matches!(packed(key), Cow::Borrowed(_)), "{key}");
        }
        for key in ["a//b", "/a", "a/", "../a", "a/.", "a\u{1}"] {
            assert!(matches!(packed(key), Cow::Owned(_)), "{key:?}");
        }
    }

    proptest! {
        #[test]
        fn every_key_is_unpacked_as_it_was(key in "(\u{e000}key:)?[ ./a\\PC\\x00-\\x20]{0,20}") {
            let packed = packed(&key);
            let path = Path::parse(&packed).unwrap();
            prop_assert_eq!(path.as_ref(), packed.as_ref());
            prop_assert_eq!(unpacked(&packed), key.as_str());
        }
    }
}
