//! The formats a patch may have.

use std::fmt;

/// How a patch says what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// JSON Patch, RFC 6902: operations on a JSON value.
    JsonPatch,
    /// The unified format that POSIX `diff -u` defines: lines taken out and put in.
    UnifiedDiff,
}

impl Format {
    /// The media type to announce it with.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::JsonPatch => "application/json-patch+json",
            Self::UnifiedDiff => "text/x-diff",
        }
    }

    /// The format that a media type names; its case and its parameters do not matter. `None` means
    /// to fetch the whole resource (section 14.4).
    #[must_use]
    pub fn of_media_type(media_type: &str) -> Option<Self> {
        // `application/json-patch` is the name in Example 27 of the standard, from before RFC 6902.
        const NAMES: [(&str, Format); 4] = [
            ("application/json-patch+json", Format::JsonPatch),
            ("application/json-patch", Format::JsonPatch),
            ("text/x-diff", Format::UnifiedDiff),
            ("text/x-patch", Format::UnifiedDiff),
        ];
        let name = essence(media_type);
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, format)| format)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JsonPatch => "JSON Patch",
            Self::UnifiedDiff => "unified diff",
        })
    }
}

/// A media type without its parameters.
pub(crate) fn essence(media_type: &str) -> &str {
    media_type.split_once(';').map_or(media_type, |(name, _)| name).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_name_formats() {
        let cases = [
            ("application/json-patch+json", Some(Format::JsonPatch)),
            ("Application/JSON-Patch+JSON; charset=utf-8", Some(Format::JsonPatch)),
            ("application/json-patch", Some(Format::JsonPatch)),
            ("text/x-diff", Some(Format::UnifiedDiff)),
            (" TEXT/X-PATCH ;charset=utf-8", Some(Format::UnifiedDiff)),
            ("application/json", None),
            ("application/x-tiff-diff", None),
            ("", None),
        ];
        for (media_type, format) in cases {
            assert_eq!(Format::of_media_type(media_type), format, "{media_type}");
        }
        for format in [Format::JsonPatch, Format::UnifiedDiff] {
            assert_eq!(Format::of_media_type(format.media_type()), Some(format));
        }
    }
}
