//! Making a patch.

use crate::format::essence;
use crate::{Format, apply, json, unified};

/// The longest representation that [`make`] compares, in bytes: a longer one is fetched whole.
pub const MAX_INPUT: usize = 8 << 20;

/// A description of what changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// What it is written in.
    pub format: Format,
    /// The patch as it is to be published.
    pub bytes: Vec<u8>,
}

/// The patch that makes `new` of `old`, if there is one that is worth publishing: smaller than `new`,
/// and giving exactly `new` when applied to `old`.
///
/// JSON (`application/json`, `*+json`) gets the smaller of a JSON Patch and a unified diff; other
/// text a unified diff. Text is what `media_type` says is text, and whatever is UTF-8, but nothing
/// that has a NUL in it.
///
/// `None` if nothing changed, if there is no such patch, or if finding one would take too long: for
/// more than [`MAX_INPUT`] bytes, or 200,000 lines, on both sides together, between the first and the
/// last change.
#[must_use]
pub fn make(old: &[u8], new: &[u8], media_type: Option<&str>) -> Option<Patch> {
    if old == new || old.len().max(new.len()) > MAX_INPUT {
        return None;
    }
    let kind = Kind::of(media_type.unwrap_or_default());
    let json = (kind == Kind::Json).then(|| json::diff(old, new)).flatten();
    let json = json.and_then(|bytes| checked(Format::JsonPatch, bytes, old, new));
    // Nothing longer than what there is already is of use.
    let enough = json.as_ref().map_or(new.len(), |patch| patch.bytes.len());
    let lines = is_text(old, kind) && is_text(new, kind);
    let unified = lines.then(|| unified::diff(old, new, enough)).flatten();
    unified.and_then(|bytes| checked(Format::UnifiedDiff, bytes, old, new)).or(json)
}

/// The patch, if it is worth publishing.
fn checked(format: Format, bytes: Vec<u8>, old: &[u8], new: &[u8]) -> Option<Patch> {
    let fits = bytes.len() < new.len()
        && apply(format, old, &bytes, new.len(), |candidate| candidate == new).is_ok();
    fits.then_some(Patch { format, bytes })
}

/// What a media type says of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    /// Lines in whatever encoding.
    Text,
    Unknown,
}

impl Kind {
    fn of(media_type: &str) -> Self {
        let name = essence(media_type).to_ascii_lowercase();
        if name == "application/json" || name.ends_with("+json") {
            Self::Json
        } else if name.starts_with("text/")
            || name.ends_with("+xml")
            || matches!(
                name.as_str(),
                "application/xml" | "application/javascript" | "application/ecmascript"
            )
        {
            Self::Text
        } else {
            Self::Unknown
        }
    }
}

/// A NUL is in no text file as POSIX has them, and in every text in UTF-16, which has other newlines.
fn is_text(bytes: &[u8], kind: Kind) -> bool {
    memchr::memchr(0, bytes).is_none() && (kind == Kind::Text || std::str::from_utf8(bytes).is_ok())
}

/// What is different from one text to another, for people to read: a unified diff, however long. `None`
/// if there is too much to compare.
#[must_use]
pub fn unified_diff(old: &[u8], new: &[u8]) -> Option<Vec<u8>> {
    unified::diff(old, new, usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_say_what_is_text() {
        let cases = [
            ("application/json", Kind::Json),
            ("application/ld+json; profile=x", Kind::Json),
            ("TEXT/HTML", Kind::Text),
            ("image/svg+xml", Kind::Text),
            ("application/xml", Kind::Text),
            ("text/javascript", Kind::Text),
            ("image/png", Kind::Unknown),
            ("", Kind::Unknown),
        ];
        for (media_type, kind) in cases {
            assert_eq!(Kind::of(media_type), kind, "{media_type}");
        }
        assert!(is_text(b"caf\xe9\n", Kind::Text));
        assert!(!is_text(b"caf\xe9\n", Kind::Unknown));
        assert!(!is_text(b"a\0\n\0", Kind::Text));
    }
}
