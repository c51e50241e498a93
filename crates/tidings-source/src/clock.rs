//! The times of publications.

use std::time::Duration;

use tidings_base::unix_millis;
use tidings_document::{Moment, Precision};

/// The moment of a publication: now, in milliseconds, but always after every time that was published
/// before. Whatever the system's clock does, a list never runs backwards, and two changes of one
/// resource stay apart.
pub(crate) fn moment_after(last: Option<Moment>) -> Moment {
    match (from_millis(unix_millis()), last.map(next)) {
        (Some(now), Some(next)) => now.max(next),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => unreachable!("the clock is past the year 9999, where no notation goes"),
    }
}

fn from_millis(millis: i64) -> Option<Moment> {
    let nanos = u32::try_from(millis.rem_euclid(1_000)).ok()? * 1_000_000;
    Moment::from_unix(millis.div_euclid(1_000), nanos, Precision::Fraction(3))
}

/// The millisecond after a moment; the last one of the year 9999 stays what it is.
pub(crate) fn next(moment: Moment) -> Moment {
    let nanos = moment.nanos() / 1_000_000 * 1_000_000 + 1_000_000;
    let (seconds, nanos) = if nanos < 1_000_000_000 { (0, nanos) } else { (1, 0) };
    Moment::from_unix(moment.unix_seconds() + seconds, nanos, Precision::Fraction(3))
        .unwrap_or(moment)
}

/// True if a moment is more than that before another one.
pub(crate) fn is_older(moment: Moment, age: Duration, now: Moment) -> bool {
    let seconds = now.unix_seconds().saturating_sub(moment.unix_seconds());
    u64::try_from(seconds).is_ok_and(|seconds| seconds > age.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_never_runs_backwards() {
        let ahead = Moment::parse("2999-12-31T23:59:59.999Z").unwrap();
        let next = moment_after(Some(ahead));
        assert_eq!(next.to_string(), "3000-01-01T00:00:00.000Z");
        assert!(ahead.is_before(next));
        let day = Moment::parse("2999-12-31").unwrap();
        assert!(moment_after(Some(day)) > day);
        assert!(moment_after(None) > Moment::parse("2026-01-01").unwrap());
    }
}
