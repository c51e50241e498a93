//! The Source's times as numbers. They are compared with each other, and never with our clock.

use tidings_document::{Moment, Precision};

/// Microseconds since 1970, of the first instant that the moment means. Of nanoseconds there would be no
/// room for the years before 1678 and after 2262, and Sources have such.
pub(crate) fn instant(moment: Moment) -> i64 {
    moment.unix_seconds() * 1_000_000 + i64::from(moment.nanos() / 1_000)
}

/// The moment of such a number.
pub(crate) fn moment(instant: i64) -> Option<Moment> {
    let fraction = u32::try_from(instant.rem_euclid(1_000_000)).unwrap_or_default() * 1_000;
    let precision = if fraction == 0 { Precision::Second } else { Precision::Fraction(6) };
    Moment::from_unix(instant.div_euclid(1_000_000), fraction, precision)
}

/// The later of two moments, by their first instants.
pub(crate) fn later(one: Option<Moment>, other: Option<Moment>) -> Option<Moment> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if instant(other) > instant(one) { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// True if bytes may have changed since, and have the same `lastmod`: it gives a day, or a minute, that was
/// not over when they came. A day is over when it has ended in every time zone; how old a package was when
/// it came, nobody knows.
pub(crate) fn is_open(lastmod: Option<Moment>, is_from_package: bool) -> bool {
    const ZONE_SLACK_SECONDS: i64 = 12 * 3_600;
    let is_coarse =
        |moment: &Moment| !matches!(moment.precision(), Precision::Second | Precision::Fraction(_));
    let Some(lastmod) = lastmod.filter(is_coarse) else { return false };
    let now = jiff::Timestamp::now().as_second();
    let over = Moment::from_unix(now - ZONE_SLACK_SECONDS, 0, Precision::Second);
    is_from_package || !over.is_some_and(|over| lastmod.is_before(over))
}

/// True if the moment is not in the future, by our clock: some Sources once had such entries, and a copy
/// that took them at their word would believe to be ahead of everything. Our clock may only make a copy
/// more careful, never less.
pub(crate) fn is_past(moment: Moment) -> bool {
    const SLACK_MICROS: i64 = 300 * 1_000_000;
    instant(moment) <= jiff::Timestamp::now().as_microsecond() + SLACK_MICROS
}
