//! What the headers of an answer say.

use std::time::Duration;

use http::header::{
    CONTENT_LENGTH, DATE, HeaderMap, HeaderName, LAST_MODIFIED, RETRY_AFTER, TRANSFER_ENCODING,
};
use jiff::fmt::rfc2822::DateTimeParser;
use jiff::{SignedDuration, Timestamp};

/// The value of a header as text; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

/// The announced length. With `Transfer-Encoding` it means nothing (RFC 9112, 6.3).
pub(crate) fn content_length(headers: &HeaderMap) -> Option<u64> {
    if headers.contains_key(TRANSFER_ENCODING) {
        return None;
    }
    text(headers, &CONTENT_LENGTH)?.parse().ok()
}

/// How long the server asks us to wait: seconds, or a date (RFC 9110, 10.2.3) that is compared with
/// the server's own `Date`, as its clock may not be ours.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = text(headers, &RETRY_AFTER)?;
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = date(&value)?;
    let now = text(headers, &DATE).and_then(|value| date(&value)).unwrap_or_else(Timestamp::now);
    Some(Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

/// `Last-Modified`, if it tells versions apart: of something that changed in the second in which it was
/// sent, it does not (RFC 9110, 8.8.2.2).
pub(crate) fn last_modified(headers: &HeaderMap) -> Option<String> {
    let value = text(headers, &LAST_MODIFIED)?;
    (!is_fresh(headers)).then_some(value)
}

/// True if it changed in the second in which it was sent, or just before.
pub(crate) fn is_fresh(headers: &HeaderMap) -> bool {
    let time = |name| text(headers, &name).and_then(|value| date(&value));
    matches!((time(DATE), time(LAST_MODIFIED)), (Some(sent), Some(changed))
        if sent.duration_since(changed) < SignedDuration::from_secs(2))
}

fn date(value: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn retry_after_is_seconds_or_a_date_by_the_servers_clock() {
        let date = (DATE, "Sun, 06 Nov 1994 08:49:37 GMT");
        for (value, seconds) in [
            ("120", Some(120)),
            ("0", Some(0)),
            ("Sun, 06 Nov 1994 08:51:37 GMT", Some(120)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
        ] {
            let found = retry_after(&headers(&[date.clone(), (RETRY_AFTER, value)]));
            assert_eq!(found, seconds.map(Duration::from_secs), "{value}");
        }
    }

    #[test]
    fn s10_a_length_beside_transfer_encoding_is_ignored() {
        assert_eq!(content_length(&headers(&[(CONTENT_LENGTH, "5")])), Some(5));
        let both = headers(&[(CONTENT_LENGTH, "5"), (TRANSFER_ENCODING, "chunked")]);
        assert_eq!(content_length(&both), None);
    }
}
