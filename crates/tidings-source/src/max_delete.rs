//! How many deletions one publication may announce.

use std::fmt;

/// A share lets at least this many deletions pass: in a small Source they are not unusual.
const ALWAYS_ALLOWED: u64 = 20;

/// How many deletions one publication may announce: past that, the inventory is more likely
/// incomplete than right, and Destinations would delete their copies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaxDelete {
    /// At most this number.
    Number(u64),
    /// At most this share of what was published, in percent; up to 20 always.
    Percent(f64),
    /// Any number, and everything.
    Any,
}

impl Default for MaxDelete {
    /// Half of what was published.
    fn default() -> Self {
        Self::Percent(50.0)
    }
}

impl MaxDelete {
    /// True if that many deletions, of that many resources that were published, may be announced.
    #[must_use]
    pub fn allows(self, deleted: u64, published: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Number(limit) => deleted <= limit,
            Self::Percent(percent) => {
                deleted <= ALWAYS_ALLOWED || deleted as f64 <= published as f64 * percent / 100.0
            }
        }
    }
}

impl fmt::Display for MaxDelete {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(limit) => limit.fmt(formatter),
            Self::Percent(percent) => write!(formatter, "{percent}%"),
            Self::Any => formatter.write_str("any number"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deletion_is_refused_past_the_share_and_past_twenty() {
        let half = MaxDelete::default();
        for (deleted, published, allowed) in [
            (20, 20, true),
            (21, 40, false),
            (21, 42, true),
            (500, 1_000, true),
            (501, 1_000, false),
        ] {
            assert_eq!(half.allows(deleted, published), allowed, "{deleted} of {published}");
        }
        assert!(!MaxDelete::Number(3).allows(4, 1_000) && MaxDelete::Number(4).allows(4, 4));
        assert!(MaxDelete::Any.allows(u64::MAX, 1));
    }
}
