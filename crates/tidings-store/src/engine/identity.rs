//! What a new store is identified by.

use crate::error::Result;
use crate::{Identity, Millis, StoreError};

impl Identity {
    /// The identity of a store that is made now at `place`. An authority that nobody chose is random,
    /// under a name that will never be anybody's (RFC 2606).
    pub(super) fn new(authority: Option<String>, now: Millis, place: &str) -> Result<Self> {
        let authority = match authority {
            Some(authority) => authority,
            None => format!("{:010x}.tidings.invalid", random(place)? & 0xff_ffff_ffff),
        };
        Ok(Self { authority, date: day(now) })
    }
}

/// A random number of the operating system's, for what is at `place`.
fn random(place: &str) -> Result<u64> {
    getrandom::u64().map_err(|error| StoreError::Failed {
        place: place.to_owned(),
        detail: format!("the operating system has no random numbers: {error}"),
    })
}

/// The day, UTC, as YYYY-MM-DD: days are counted in eras of 400 years that begin on a 1st of March,
/// so that leap days come last.
fn day(at: Millis) -> String {
    let days = at.div_euclid(86_400_000) + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        assert_eq!(day(0), "1970-01-01");
        assert_eq!(day(951_782_400_000), "2000-02-29");
        assert_eq!(day(1_709_164_800_000), "2024-02-29");
        assert_eq!(day(1_735_689_599_999), "2024-12-31");
        assert_eq!(day(1_735_689_600_000), "2025-01-01");
    }

    #[test]
    fn chosen_or_random() {
        let made =
            |chosen: Option<&str>| Identity::new(chosen.map(str::to_owned), 0, "here").unwrap();
        assert_eq!(made(Some("example.org")).authority, "example.org");
        let random = made(None).authority;
        assert_eq!(random.len(), "0123456789.tidings.invalid".len());
        assert_ne!(random, made(None).authority);
    }
}
