//! The time.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970; 0 where the clock says that it is earlier.
#[must_use]
pub fn unix_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time, but later than `last`: whatever the clock does, times that are made of each other never run
/// backwards, and no two are equal.
#[must_use]
pub fn unix_millis_after(last: i64) -> i64 {
    unix_millis().max(last.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_never_run_backwards() {
        let now = unix_millis();
        assert!(now > 1_700_000_000_000);
        assert!(unix_millis_after(0) >= now);
        let ahead = now + 1_000_000_000;
        assert_eq!(unix_millis_after(ahead), ahead + 1);
        assert_eq!(unix_millis_after(i64::MAX), i64::MAX);
    }
}
