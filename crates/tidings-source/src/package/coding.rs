//! Which bitstreams are compressed.

use tidings_document::Metadata;

/// True if it pays to compress a bitstream, by its media type. What is compressed already, as images
/// and archives are, and what is not known, is stored as it is.
pub(super) fn pays(metadata: &Metadata<'_>) -> bool {
    // A representation with a content coding is compressed whatever its type says.
    if metadata.encoding.is_some() {
        return false;
    }
    let Some(media_type) = &metadata.media_type else { return false };
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let Some((kind, subtype)) = essence.split_once('/') else { return false };
    let syntax = subtype.rsplit('+').next().unwrap_or_default();
    kind == "text"
        || matches!(syntax, "xml" | "json")
        || matches!(subtype, "javascript" | "x-javascript" | "ecmascript")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_compressed_in_all_its_forms() {
        let of = |media_type: &'static str| Metadata {
            media_type: Some(media_type.into()),
            ..Metadata::default()
        };
        for media_type in [
            "text/html; charset=utf-8",
            "TEXT/plain",
            "application/xml",
            "image/svg+xml",
            "application/ld+json",
            "application/javascript",
        ] {
            assert!(pays(&of(media_type)), "{media_type}");
        }
        for media_type in ["image/png", "application/zip", "application/octet-stream", "text", ""] {
            assert!(!pays(&of(media_type)), "{media_type}");
        }
        assert!(!pays(&Metadata::default()));
        assert!(!pays(&Metadata { encoding: Some("gzip".into()), ..of("text/html") }));
    }
}
