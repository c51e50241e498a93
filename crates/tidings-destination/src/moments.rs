//! The Source's times as numbers. They are compared with each other, and never with our clock.

use tidings_document::{Moment, Precision};

/// Nanoseconds since 1970, of the first instant that the moment means.
pub(crate) fn nanos(moment: Moment) -> i64 {
    moment.unix_seconds().saturating_mul(1_000_000_000).saturating_add(i64::from(moment.nanos()))
}

/// The moment of such a number.
pub(crate) fn moment(nanos: i64) -> Option<Moment> {
    let fraction = u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or_default();
    let precision = if fraction == 0 { Precision::Second } else { Precision::Fraction(9) };
    Moment::from_unix(nanos.div_euclid(1_000_000_000), fraction, precision)
}
