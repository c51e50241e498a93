//! What kind of thing a file is.

use std::path::Path;

/// The media type that a file's name tells.
pub(super) fn by_name(path: &Path) -> Option<&'static str> {
    mime_guess::from_path(path).first_raw()
}

/// The media type that the first bytes of a file tell: by a signature, or because they are text.
pub(super) fn by_content(start: &[u8]) -> &'static str {
    if let Some(kind) = infer::get(start) {
        return kind.mime_type();
    }
    // The last character may have been cut off.
    let text = match std::str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let control = |byte: &u8| *byte < b' ' && !b"\t\n\r\x0c\x1b".contains(byte);
    match text && !start.is_empty() && !start.iter().any(control) {
        true => "text/plain",
        false => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_goes_before_the_content() {
        assert_eq!(by_name(Path::new("a/b.html")), Some("text/html"));
        assert_eq!(by_name(Path::new("README")), None);
        for (start, media_type) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "image/png"),
            (b"%PDF-1.7", "application/pdf"),
            (b"<!doctype html><title>", "text/html"),
            ("Dieß ist Text ü".as_bytes(), "text/plain"),
            (&"ü".as_bytes()[..1], "text/plain"),
            (b"", "application/octet-stream"),
            (b"a\0b", "application/octet-stream"),
        ] {
            assert_eq!(by_content(start), media_type, "{start:?}");
        }
    }
}
