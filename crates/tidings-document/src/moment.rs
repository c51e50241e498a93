//! A W3C datetime that remembers its precision.

use std::fmt;

/// How much of a [`Moment`] was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// `YYYY`
    Year,
    /// `YYYY-MM`
    Month,
    /// `YYYY-MM-DD`
    Day,
    /// `YYYY-MM-DDThh:mm` and a zone
    Minute,
    /// `YYYY-MM-DDThh:mm:ss` and a zone
    Second,
    /// The same with this many digits of a fraction, 1 to 9; digits past the ninth are dropped.
    Fraction(u8),
}

/// A point in time as [W3C datetime] writes it: UTC, with the precision it was given in.
///
/// Offsets are converted on reading (`12:00+02:00` is `10:00Z`) and never written. Years run from
/// 0000 to 9999, as the notation has four digits for them. The order is that of the instants at
/// which the moments begin; use [`Moment::is_before`] where a coarse moment ("some time on that
/// day") must not be held against a fine one.
///
/// Calendar arithmetic is done here rather than by a time crate for two reasons: `9999-12-31`, which
/// sources use for "never", lies past the range of the usual timestamp types, and this is on the
/// fast path of every entry.
///
/// [W3C datetime]: https://www.w3.org/TR/NOTE-datetime
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    seconds: i64,
    nanos: u32,
    precision: Precision,
}

/// Why a string is no W3C datetime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MomentError {
    /// Not one of the six forms.
    #[error("it is none of the six forms of a W3C datetime")]
    Form,
    /// A month, day, hour, minute, second or offset out of range.
    #[error("it names a day or time that does not exist")]
    Range,
    /// A time of day without `Z` or an offset.
    #[error("it has a time of day but no time zone")]
    NoZone,
}

const DAY: i64 = 86_400;
/// Seconds from 0000-01-01 to 1970-01-01, and from there to 10000-01-01.
const FIRST: i64 = days_from_civil(0, 1, 1) * DAY;
const LAST: i64 = days_from_civil(10_000, 1, 1) * DAY - 1;

impl Moment {
    /// A moment from seconds and nanoseconds since 1970-01-01T00:00:00Z, to be shown with that
    /// precision; what is finer than the precision is cut off. `None` outside the years 0000 to
    /// 9999.
    pub fn from_unix(seconds: i64, nanos: u32, precision: Precision) -> Option<Self> {
        if !(FIRST..=LAST).contains(&seconds) || nanos > 999_999_999 {
            return None;
        }
        let (year, month, _) = civil_from_days(seconds.div_euclid(DAY));
        let (seconds, nanos, precision) = match precision {
            Precision::Year => (days_from_civil(year, 1, 1) * DAY, 0, precision),
            Precision::Month => (days_from_civil(year, month, 1) * DAY, 0, precision),
            Precision::Day => (seconds - seconds.rem_euclid(DAY), 0, precision),
            Precision::Minute => (seconds - seconds.rem_euclid(60), 0, precision),
            Precision::Second => (seconds, 0, precision),
            Precision::Fraction(digits) => {
                let digits = digits.clamp(1, 9);
                let unit = 10_u32.pow(9 - u32::from(digits));
                (seconds, nanos - nanos % unit, Precision::Fraction(digits))
            }
        };
        Some(Self { seconds, nanos, precision })
    }

    /// Reads one of the six forms of a W3C datetime, and nothing else.
    pub fn parse(text: &str) -> Result<Self, MomentError> {
        let bytes = text.as_bytes();
        // The form that the standard recommends, and nearly every document uses.
        if let &[_, _, _, _, b'-', _, _, b'-', _, _, b'T', _, _, b':', _, _, b':', _, _, b'Z'] =
            bytes
        {
            let date = date(bytes)?;
            return Ok(Self {
                seconds: date + time(bytes)?,
                nanos: 0,
                precision: Precision::Second,
            });
        }
        parse_any(bytes)
    }

    /// Reads what is meant by the near misses seen in published documents: no zone (taken as UTC), a
    /// space for the `T`, lower-case letters, `+0000`, white space around it. The flag is true
    /// where the text was a proper W3C datetime after all.
    pub fn parse_lenient(text: &str) -> Result<(Self, bool), MomentError> {
        let error = match Self::parse(text) {
            Ok(moment) => return Ok((moment, true)),
            Err(error) => error,
        };
        let mut form = text.trim().to_ascii_uppercase();
        if form.len() > 40 || !form.is_ascii() {
            return Err(error);
        }
        if form.as_bytes().get(10) == Some(&b' ') {
            form.replace_range(10..11, "T");
        }
        if let Some(sign) = form.rfind(['+', '-']).filter(|at| *at > 10 && form.len() == at + 5) {
            form.insert(sign + 3, ':');
        }
        match Self::parse(&form) {
            Err(MomentError::NoZone) => form.push('Z'),
            Ok(moment) => return Ok((moment, false)),
            Err(_) => return Err(error),
        }
        Self::parse(&form).map(|moment| (moment, false)).map_err(|_| error)
    }

    /// Whole seconds since 1970-01-01T00:00:00Z at which this moment begins.
    pub fn unix_seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds past [`Moment::unix_seconds`].
    pub fn nanos(self) -> u32 {
        self.nanos
    }

    /// How much of it was written down.
    pub fn precision(self) -> Precision {
        self.precision
    }

    /// True where all of this moment lies before the other begins. `2022-11-06` is not before
    /// `2022-11-06T10:00:00Z`, nor the other way round: the day may mean either side.
    pub fn is_before(self, other: Self) -> bool {
        (self.seconds, self.nanos) < (other.seconds, other.nanos)
            && self.end() <= (other.seconds, other.nanos)
    }

    /// The first instant that is no longer part of this moment.
    fn end(self) -> (i64, u32) {
        let (year, month, _) = civil_from_days(self.seconds.div_euclid(DAY));
        match self.precision {
            Precision::Year => (days_from_civil(year + 1, 1, 1) * DAY, 0),
            Precision::Month if month == 12 => (days_from_civil(year + 1, 1, 1) * DAY, 0),
            Precision::Month => (days_from_civil(year, month + 1, 1) * DAY, 0),
            Precision::Day => (self.seconds + DAY, 0),
            Precision::Minute => (self.seconds + 60, 0),
            Precision::Second => (self.seconds + 1, 0),
            Precision::Fraction(digits) => {
                let nanos = self.nanos + 10_u32.pow(9 - u32::from(digits.clamp(1, 9)));
                if nanos < 1_000_000_000 { (self.seconds, nanos) } else { (self.seconds + 1, 0) }
            }
        }
    }

    /// Appends the W3C form, in UTC, to a buffer.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(DAY));
        let of_day = self.seconds.rem_euclid(DAY) as u32;
        let mut form = *b"0000-00-00T00:00:00Z";
        let mut pair = |at: usize, value: u32| {
            form[at] = b'0' + (value / 10) as u8;
            form[at + 1] = b'0' + (value % 10) as u8;
        };
        pair(0, year as u32 / 100);
        pair(2, year as u32 % 100);
        pair(5, month);
        pair(8, day);
        pair(11, of_day / 3600);
        pair(14, of_day / 60 % 60);
        pair(17, of_day % 60);
        match self.precision {
            Precision::Year => out.extend_from_slice(&form[..4]),
            Precision::Month => out.extend_from_slice(&form[..7]),
            Precision::Day => out.extend_from_slice(&form[..10]),
            Precision::Minute => {
                out.extend_from_slice(&form[..16]);
                out.push(b'Z');
            }
            Precision::Second => out.extend_from_slice(&form),
            Precision::Fraction(count) => {
                let mut fraction = *b".000000000";
                digits(&mut fraction[1..], self.nanos);
                out.extend_from_slice(&form[..19]);
                out.extend_from_slice(&fraction[..=usize::from(count.clamp(1, 9))]);
                out.push(b'Z');
            }
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::with_capacity(30);
        self.write(&mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

impl std::str::FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        Self::parse(text)
    }
}

/// All six forms; the caller has tried the usual one.
fn parse_any(bytes: &[u8]) -> Result<Moment, MomentError> {
    use MomentError::{Form, Range};
    let (seconds, precision) = match bytes.len() {
        4 => (days_from_civil(number(bytes, 0, 4)?.into(), 1, 1) * DAY, Precision::Year),
        7 if bytes[4] == b'-' => {
            let month = number(bytes, 5, 2)?;
            if !(1..=12).contains(&month) {
                return Err(Range);
            }
            (days_from_civil(number(bytes, 0, 4)?.into(), month, 1) * DAY, Precision::Month)
        }
        10 if bytes[4] == b'-' && bytes[7] == b'-' => (date(bytes)?, Precision::Day),
        length
            if length >= 16
                && bytes[4] == b'-'
                && bytes[7] == b'-'
                && bytes[10] == b'T'
                && bytes[13] == b':' =>
        {
            return parse_time(bytes);
        }
        _ => return Err(Form),
    };
    Ok(Moment { seconds, nanos: 0, precision })
}

/// `YYYY-MM-DDThh:mm[:ss[.s]]` and its zone; the date's and the first time separators are checked.
fn parse_time(bytes: &[u8]) -> Result<Moment, MomentError> {
    use MomentError::{Form, NoZone, Range};
    let date = date(bytes)?;
    let (hour, minute) = (number(bytes, 11, 2)?, number(bytes, 14, 2)?);
    let mut rest = &bytes[16..];
    let (mut second, mut nanos, mut precision) = (0, 0, Precision::Minute);
    if let [b':', tail @ ..] = rest {
        second = number(tail, 0, 2)?;
        precision = Precision::Second;
        rest = &tail[2..];
        if let [b'.', tail @ ..] = rest {
            let count = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if count == 0 {
                return Err(Form);
            }
            let kept = count.min(9);
            nanos = number(tail, 0, kept)? * 10_u32.pow(9 - kept as u32);
            precision = Precision::Fraction(kept as u8);
            rest = &tail[count..];
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return Err(Range);
    }
    // East of Greenwich the clock is ahead: the offset is taken away to get UTC.
    let offset = match rest {
        [] => return Err(NoZone),
        [b'Z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (number(rest, 1, 2)?, number(rest, 4, 2)?);
            if hours > 23 || minutes > 59 {
                return Err(Range);
            }
            let size = i64::from(hours * 3600 + minutes * 60);
            if *sign == b'+' { size } else { -size }
        }
        _ => return Err(Form),
    };
    let seconds = date + i64::from(hour * 3600 + minute * 60 + second) - offset;
    if !(FIRST..=LAST).contains(&seconds) {
        return Err(Range);
    }
    Ok(Moment { seconds, nanos, precision })
}

/// Seconds of the day that `YYYY-MM-DD` names; the separators are checked by the caller.
fn date(bytes: &[u8]) -> Result<i64, MomentError> {
    let (year, month, day) = (number(bytes, 0, 4)?, number(bytes, 5, 2)?, number(bytes, 8, 2)?);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => return Err(MomentError::Range),
    };
    if day == 0 || day > length {
        return Err(MomentError::Range);
    }
    Ok(days_from_civil(year.into(), month, day) * DAY)
}

/// Seconds into the day of `…Thh:mm:ss`; the separators are checked by the caller.
fn time(bytes: &[u8]) -> Result<i64, MomentError> {
    let (hour, minute, second) =
        (number(bytes, 11, 2)?, number(bytes, 14, 2)?, number(bytes, 17, 2)?);
    // Leap seconds are refused: W3C datetime gives ss as 00 to 59.
    if hour > 23 || minute > 59 || second > 59 {
        return Err(MomentError::Range);
    }
    Ok(i64::from(hour * 3600 + minute * 60 + second))
}

fn number(bytes: &[u8], at: usize, count: usize) -> Result<u32, MomentError> {
    let mut value = 0;
    for byte in bytes.get(at..at + count).ok_or(MomentError::Form)? {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Err(MomentError::Form);
        }
        value = value * 10 + u32::from(digit);
    }
    Ok(value)
}

fn digits(out: &mut [u8], mut value: u32) {
    for place in out.iter_mut().rev() {
        *place = b'0' + (value % 10) as u8;
        value /= 10;
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar, counted in eras of 400 years that
/// begin on 1 March, so that the leap day comes last.
const fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month as i64 + 9) % 12) + 2) / 5 + day as i64 - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The inverse of [`days_from_civil`]. One era more keeps the numbers positive: small unsigned
/// divisions are cheaper, and this is done for every time that is written.
const fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = (days + 719_468 + 146_097) as u32;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = (years + era * 400) as i64 - 400 + (month <= 2) as i64;
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_every_form_and_shows_it_again() {
        for form in [
            "2013",
            "2013-01",
            "2013-01-02",
            "2013-01-02T13:00Z",
            "2013-01-02T13:00:07Z",
            "2013-01-02T13:00:07.5Z",
            "2013-01-02T13:00:07.123456789Z",
            "0000-01-01",
            "9999-12-31",
            "9999-12-31T23:59:59Z",
            "2012-02-29",
        ] {
            assert_eq!(Moment::parse(form).unwrap().to_string(), form);
        }
        let long = Moment::parse("2013-01-02T13:00:07.123456789012Z").unwrap();
        assert_eq!(long.to_string(), "2013-01-02T13:00:07.123456789Z");
    }

    #[test]
    fn converts_offsets_the_right_way_round() {
        for (form, utc) in [
            ("2013-01-02T12:00:00+02:00", "2013-01-02T10:00:00Z"),
            ("2013-01-02T12:00:00-02:00", "2013-01-02T14:00:00Z"),
            ("2013-01-01T00:30+05:45", "2012-12-31T18:45Z"),
            ("2013-01-02T12:00:00.25+00:00", "2013-01-02T12:00:00.25Z"),
        ] {
            assert_eq!(Moment::parse(form).unwrap().to_string(), utc);
        }
    }

    #[test]
    fn refuses_what_is_no_w3c_datetime() {
        for form in [
            "",
            "bad_lastmod",
            "2012-13-01",
            "2012-00-01",
            "2012-12-32",
            "2012-12-00",
            "2013-02-29",
            "1900-02-29",
            "2012-11-01T10:10:60Z",
            "2012-11-01T10:10:59.9x",
            "2012-11-01T10:10:59",
            "2012-11-01 10:10:59Z",
            "2012-11-01T10:10:10+0000",
            "2012-11-01T10:10:10-1000",
            "2012-11-01T24:00:00Z",
            "2012-11-01T00:60:00Z",
            "2012-11-01T10:10:10+99:00",
            "2012-11-01T10:10:10-25:00",
            "2012-11-01T10:10:10.Z",
            "12-11-01",
            "20121",
            "2012-1-01",
            "2012-11-01T1:10Z",
            "2012-11-01t10:10:10z",
            " 2012",
            "2012-11-01T10:10:10ZZ",
            "+012",
            "0000-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
        ] {
            assert!(Moment::parse(form).is_err(), "{form:?} was taken");
        }
    }

    #[test]
    fn reads_the_near_misses_of_published_documents() {
        for (form, meant) in [
            ("2020-06-02T00:00:00", "2020-06-02T00:00:00Z"),
            ("2020-03-18 01:20:10", "2020-03-18T01:20:10Z"),
            ("2020-03-18t01:20:10z", "2020-03-18T01:20:10Z"),
            ("2020-03-18T01:20:10+0200", "2020-03-17T23:20:10Z"),
            ("\n 2020-03-18T01:20:10Z ", "2020-03-18T01:20:10Z"),
            ("2020-03-18T01:20:10.5", "2020-03-18T01:20:10.5Z"),
        ] {
            let (moment, proper) = Moment::parse_lenient(form).unwrap();
            assert_eq!((moment.to_string().as_str(), proper), (meant, false));
        }
        assert!(Moment::parse_lenient("yesterday").is_err());
        assert!(Moment::parse_lenient("2012-13-01").is_err());
    }

    #[test]
    fn a_day_is_not_before_a_time_on_it() {
        let moment = |form: &str| Moment::parse(form).unwrap();
        assert!(!moment("2022-11-06").is_before(moment("2022-11-06T10:00:00Z")));
        assert!(!moment("2022-11-06T10:00:00Z").is_before(moment("2022-11-06")));
        assert!(moment("2022-11-06").is_before(moment("2022-11-07T00:00:00Z")));
        assert!(moment("2022-11").is_before(moment("2022-12")));
        assert!(moment("2022-12").is_before(moment("2023")));
        assert!(!moment("2022").is_before(moment("2022-12-31")));
        assert!(!moment("2022-11-06T10:00:00Z").is_before(moment("2022-11-06T10:00:00.1Z")));
        assert!(moment("2022-11-06T10:00:00Z").is_before(moment("2022-11-06T10:00:01Z")));
        assert!(moment("2022-11-06T10:00:00.1Z").is_before(moment("2022-11-06T10:00:00.2Z")));
        assert!(!moment("2022-11-06T10:00:00Z").is_before(moment("2022-11-06T10:00:00Z")));
    }

    proptest! {
        #[test]
        fn agrees_with_an_independent_calendar(seconds in -62_135_596_800_i64..253_402_207_200, nanos in 0_u32..1_000_000_000) {
            let other = jiff::Timestamp::new(seconds, 0).unwrap();
            let moment = Moment::from_unix(seconds, nanos, Precision::Second).unwrap();
            prop_assert_eq!(moment.to_string(), other.to_string());
            let fine = Moment::from_unix(seconds, nanos, Precision::Fraction(9)).unwrap();
            prop_assert_eq!(Moment::parse(&fine.to_string()), Ok(fine));
        }

        #[test]
        fn never_panics(text in "\\PC{0,40}") {
            let _ = Moment::parse_lenient(&text);
        }
    }
}
