//! Answers that were given before (RFC 9110, section 13).

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT_ENCODING, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// True if the one who asks has it already.
///
/// `If-None-Match` is compared weakly, and is all that counts where it is given (sections 13.1.2 and
/// 13.2.2); a time that is not one is none.
pub fn is_known(headers: &HeaderMap, etag: &str, modified: Timestamp) -> bool {
    let mut tags = headers.get_all(IF_NONE_MATCH).iter().peekable();
    if tags.peek().is_some() {
        let own = opaque(etag);
        return tags
            .filter_map(|value| value.to_str().ok())
            .any(|value| value.trim() == "*" || value.split(',').any(|tag| opaque(tag) == own));
    }
    let since = headers.get(IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
    let since = since.and_then(|text| DateTimeParser::new().parse_timestamp(text).ok());
    since.is_some_and(|since| modified.as_second() <= since.as_second())
}

/// A tag without its weakness and without the mark of its coding: the feed is the same.
fn opaque(tag: &str) -> &str {
    let tag = tag.trim();
    let tag = tag.strip_prefix("W/").unwrap_or(tag);
    let tag = tag.trim_matches('"');
    tag.strip_suffix("-gzip").unwrap_or(tag)
}

/// True if gzip may be sent: named, or by `*`, and not with a weight of zero.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut star = false;
    for coding in codings.flat_map(|value| value.split(',')) {
        let mut parts = coding.split(';');
        let name = parts.next().unwrap_or_default().trim();
        let weight = parts.find_map(|part| part.trim().strip_prefix("q="));
        let wanted = weight.is_none_or(|weight| weight.parse::<f32>().is_ok_and(|it| it > 0.0));
        if name.eq_ignore_ascii_case("gzip") || name.eq_ignore_ascii_case("x-gzip") {
            return wanted;
        }
        star |= name == "*" && wanted;
    }
    star
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs =
            pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        pairs.collect()
    }

    #[test]
    fn what_is_known_is_not_sent_again() {
        let modified: Timestamp = "2022-11-06T00:00:00.5Z".parse().unwrap();
        for (pairs, known) in [
            (&[][..], false),
            (&[("if-none-match", "\"a\"")], true),
            (&[("if-none-match", "W/\"a\"")], true),
            (&[("if-none-match", "\"a-gzip\"")], true),
            (&[("if-none-match", "\"b\", \"a\"")], true),
            (&[("if-none-match", "*")], true),
            (&[("if-none-match", "\"b\"")], false),
            (&[("if-modified-since", "Sun, 06 Nov 2022 00:00:00 GMT")], true),
            (&[("if-modified-since", "Sat, 05 Nov 2022 00:00:00 GMT")], false),
            (&[("if-modified-since", "yesterday")], false),
            // The tag is what counts.
            (
                &[
                    ("if-none-match", "\"b\""),
                    ("if-modified-since", "Sun, 06 Nov 2022 00:00:00 GMT"),
                ],
                false,
            ),
        ] {
            assert_eq!(is_known(&headers(pairs), "\"a\"", modified), known, "{pairs:?}");
        }
    }

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        for (value, takes) in [
            ("gzip", true),
            ("br, gzip;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0", false),
            ("*", true),
            ("identity", false),
            ("*;q=0", false),
        ] {
            assert_eq!(takes_gzip(&headers(&[("accept-encoding", value)])), takes, "{value}");
        }
        assert!(!takes_gzip(&headers(&[])));
    }
}
