//! Points in time, as each format writes them.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::fmt::rfc2822::DateTimePrinter;

/// Before this a year has not the four digits that all of the notations want.
const FIRST: Timestamp = Timestamp::constant(-62_135_596_800, 0);

/// RFC 3339, in UTC, with no more digits of a fraction than there is to say.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    time.max(FIRST).to_string()
}

/// The form of RSS: RFC 822 with four digits of the year.
pub(crate) fn rfc822(time: Timestamp) -> String {
    let time = time.max(FIRST);
    // Fails only for years that have been ruled out.
    DateTimePrinter::new().timestamp_to_rfc9110_string(&time).unwrap_or_default()
}

/// A W3C datetime as people read it: `2026-03-01 09:30 UTC`.
pub(crate) fn shown(moment: &str) -> String {
    match (moment.split_once('T'), moment.parse::<Timestamp>()) {
        (Some(_), Ok(time)) => time.max(FIRST).strftime("%Y-%m-%d %H:%M UTC").to_string(),
        _ => moment.to_owned(),
    }
}

/// Whether the text is one of the six forms of a W3C datetime, and a day and time that exist.
pub(crate) fn is_w3c(text: &str) -> bool {
    if !text.is_ascii() {
        return false;
    }
    let (day, time) = match text.split_once('T') {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    if let Some(time) = time {
        return matches(day, "0000-00-00")
            && is_time_of_day(time)
            && text.parse::<Timestamp>().is_ok();
    }
    let first = match day.len() {
        4 if matches(day, "0000") => format!("{day}-01-01"),
        7 if matches(day, "0000-00") => format!("{day}-01"),
        10 if matches(day, "0000-00-00") => day.to_owned(),
        _ => return false,
    };
    first.parse::<Date>().is_ok() && !first.starts_with("0000")
}

/// `hh:mm`, perhaps `:ss`, perhaps a fraction, and a zone.
fn is_time_of_day(text: &str) -> bool {
    let Some(zone) = text.find(['Z', '+', '-']) else { return false };
    let (time, zone) = text.split_at(zone);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let whole = matches(time, "00:00:00") || (matches(time, "00:00") && !text.contains('.'));
    whole && digits && (zone == "Z" || matches(&zone[1..], "00:00"))
}

/// Whether the text has a digit wherever the shape has one, and is the same elsewhere.
fn matches(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            shape => byte == shape,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written() {
        let time: Timestamp = "2026-03-01T09:08:07.120Z".parse().unwrap();
        assert_eq!(rfc3339(time), "2026-03-01T09:08:07.12Z");
        assert_eq!(rfc822(time), "Sun, 01 Mar 2026 09:08:07 GMT");
        assert_eq!(rfc3339(Timestamp::MIN), "0001-01-01T00:00:00Z");
        assert_eq!(rfc822(Timestamp::MIN), "Mon, 01 Jan 0001 00:00:00 GMT");
        assert!(rfc822(Timestamp::MAX).ends_with(" GMT"));
        assert!(rfc3339(Timestamp::MAX).starts_with("9999-12-30T"));
    }

    #[test]
    fn w3c_datetimes_are_told_from_other_texts() {
        for good in [
            "2026",
            "2026-03",
            "2024-02-29",
            "2026-03-01T09:08Z",
            "2026-03-01T09:08:07+02:00",
            "2026-03-01T09:08:07.123-11:30",
        ] {
            assert!(is_w3c(good), "{good}");
        }
        for bad in [
            "",
            "26",
            "0000",
            "2026-13",
            "2026-02-29",
            "2026-03-01 09:08Z",
            "2026-03-01T09:08:07",
            "2026-03-01T09Z",
            "2026-03-01T09:08.5Z",
            "2026-03-01T09:08:07.Z",
            "2026-03-01T25:08:07Z",
            "2026-03-01T09:08:07Z[UTC]",
            "T",
            "yesterday",
            "２０２６",
        ] {
            assert!(!is_w3c(bad), "{bad}");
        }
    }
}
