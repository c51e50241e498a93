//! The times of a sitemap's entries, as text.

/// Writes times as `2026-01-20T12:34:56Z`. Days are worked out once for as long as they stay the same,
/// which they do where many pages were written together.
#[derive(Debug)]
pub(crate) struct LastMod {
    day: i64,
    text: [u8; Self::LENGTH],
}

impl Default for LastMod {
    fn default() -> Self {
        Self { day: 0, text: *b"1970-01-01T00:00:00Z" }
    }
}

const SECONDS: i64 = 24 * 60 * 60;

impl LastMod {
    pub(crate) const LENGTH: usize = 20;

    /// Seconds since 1970, for the years 1 to 9999; others become the nearest of those.
    #[inline]
    pub(crate) fn of(&mut self, seconds: i64) -> &[u8; Self::LENGTH] {
        let seconds = seconds.clamp(-62_135_596_800, 253_402_300_799);
        let day = seconds.div_euclid(SECONDS);
        if day != self.day {
            self.set_day(day);
        }
        // It is less than a day, and so fits.
        let rest = seconds.rem_euclid(SECONDS) as u32;
        let (minutes, second) = (rest / 60, rest % 60);
        self.text[11..13].copy_from_slice(&two(minutes / 60));
        self.text[14..16].copy_from_slice(&two(minutes % 60));
        self.text[17..19].copy_from_slice(&two(second));
        &self.text
    }

    #[cold]
    fn set_day(&mut self, day: i64) {
        // Howard Hinnant's `civil_from_days`: eras of 400 years that begin in March.
        let shifted = day + 719_468;
        let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let march = (5 * of_year + 2) / 153;
        let of_month = of_year - (153 * march + 2) / 5 + 1;
        let month = if march < 10 { march + 3 } else { march - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        // Years have four digits, since the time was clamped.
        let (century, year) = ((year / 100) as u32, (year % 100) as u32);
        self.text[0..2].copy_from_slice(&two(century));
        self.text[2..4].copy_from_slice(&two(year));
        self.text[5..7].copy_from_slice(&two(month as u32));
        self.text[8..10].copy_from_slice(&two(of_month as u32));
        self.day = day;
    }
}

#[inline]
fn two(number: u32) -> [u8; 2] {
    // Below a hundred, all of them.
    [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_that_others_write() {
        let mut lastmod = LastMod::default();
        for seconds in (-62_135_596_800..253_402_300_799_i64).step_by(86_399 * 1_777).chain([
            0,
            951_782_400,
            -1,
        ]) {
            let expected = jiff::Timestamp::from_second(seconds).unwrap().to_string();
            assert_eq!(std::str::from_utf8(lastmod.of(seconds)).unwrap(), expected);
        }
        assert_eq!(lastmod.of(i64::MAX), b"9999-12-31T23:59:59Z");
    }
}
