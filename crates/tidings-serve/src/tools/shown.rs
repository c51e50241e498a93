//! Numbers and texts from elsewhere, as pages show them.

use tidings_http::text_format::number_of;

/// `1 entry`, `12,345 entries`.
pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    tidings_http::text_format::counted(i64::try_from(number).unwrap_or(i64::MAX), one, many)
}

/// A number with its thousands apart.
pub(super) fn number(number: u64) -> String {
    number_of(i64::try_from(number).unwrap_or(i64::MAX))
}

/// `812 bytes`, `1.2 MB`.
pub(super) fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..10_000 => return counted(bytes, "byte", "bytes"),
        10_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let tenths = bytes / (unit / 10);
    format!("{}.{} {name}", number(tenths / 10), tenths % 10)
}

/// A text without what is not to be seen, which could hide something else.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Whether a character is not seen and changes how others are: controls, and marks that turn the
/// direction of writing around.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control() && c != '\t' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (9_999, "9,999 bytes"),
            (10_000, "10.0 kB"),
            (999_999, "999.9 kB"),
            (1_250_000, "1.2 MB"),
            (u64::MAX, "18,446,744,073.7 GB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn what_hides_is_seen() {
        assert_eq!(visible("a\u{1b}[2J\u{202e}b\tc"), "a\u{fffd}[2J\u{fffd}b\tc");
    }
}
