//! Dates as people write them, and programs that have no standard for it.

use jiff::civil;
use jiff::tz::TimeZone;

/// The months, of which three letters are enough.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Words of a date that say nothing more.
const OTHER_WORDS: [&str; 12] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "the",
    "of",
    "at",
    "utc",
    "gmt",
];
const SECONDS_PER_DAY: i64 = 86_400;

/// The earliest and the latest moment, in seconds since 1970, that a text may mean which is no date of a standard:
/// `5/1/2030` is one of two days, and of a time its day counts.
pub(super) fn moments(text: &str) -> Option<(i64, i64)> {
    if let Some(moment) = number_of_seconds(text) {
        return Some((moment, moment));
    }
    let mut numbers: Vec<(i16, usize)> = Vec::new();
    let mut month = None;
    let text = apart(text);
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
    {
        let word = word.to_lowercase();
        let letters = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let digits = &word[..word.len() - letters.len()];
        let is_ordinal =
            matches!(letters, "st" | "nd" | "rd" | "th" | "t" | "z") || letters.is_empty();
        if !digits.is_empty() && is_ordinal {
            numbers.push((digits.parse().ok()?, digits.len()));
        } else if letters.len() >= 3 && digits.is_empty() {
            match MONTHS.iter().position(|month| month.starts_with(letters)) {
                Some(found) if month.is_none() => month = i8::try_from(found + 1).ok(),
                _ if OTHER_WORDS.iter().any(|other| other.starts_with(letters)) => {}
                _ => return None,
            }
        } else if !OTHER_WORDS.contains(&&*word) && !matches!(letters, "am" | "pm") {
            return None;
        }
    }
    let year = numbers.iter().position(|(_, digits)| *digits == 4)?;
    let year_number = numbers[year].0;
    let date_numbers = if month.is_some() { 2 } else { 3 };
    let others = numbers.iter().take(date_numbers).enumerate().filter(|(at, _)| *at != year);
    let others: Vec<i8> =
        others.map(|(_, (number, _))| i8::try_from(*number).ok()).collect::<Option<_>>()?;
    let days: Vec<(i8, i8)> = match (month, &others[..], year) {
        (None, [], 0) => vec![(1, 1)],
        (None, [month], _) => vec![(*month, 1)],
        (Some(month), [], _) => vec![(month, 1)],
        (Some(month), [day], _) => vec![(month, *day)],
        (None, [month, day], 0) => vec![(*month, *day)],
        (None, [one, other], 2) => vec![(*one, *other), (*other, *one)],
        _ => return None,
    };
    let dates = days.into_iter().filter_map(|(month, day)| second_of(year_number, month, day));
    let dates: Vec<i64> = dates.collect();
    // Of a time in an unknown zone.
    let rest = if numbers.len() > others.len() + 1 { SECONDS_PER_DAY } else { 0 };
    Some((*dates.iter().min()?, *dates.iter().max()? + rest))
}

/// A text with a blank in the place of each `T` between a date and a time.
fn apart(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_digit =
        |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_digit);
    let is_between = |at: usize| is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1));
    let apart = letters.iter().enumerate().map(|(at, letter)| match letter {
        'T' | 't' if is_between(at) => ' ',
        letter => *letter,
    });
    apart.collect()
}

/// Whether all years in a text are before this one.
pub(super) fn has_past_years(text: &str, now: i64) -> bool {
    let Ok(now) = jiff::Timestamp::from_second(now) else { return false };
    let this_year = now.to_zoned(TimeZone::UTC).year();
    let words = text.split(|letter: char| !letter.is_ascii_digit());
    let mut years = words.filter(|word| word.len() == 4).filter_map(|word| word.parse().ok());
    let is_past = |year: i16| (1_000..this_year).contains(&year);
    years.next().is_some_and(is_past) && years.all(is_past)
}

fn second_of(year: i16, month: i8, day: i8) -> Option<i64> {
    let date = civil::Date::new(year, month, day).ok()?;
    let time = date.at(0, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?;
    Some(time.timestamp().as_second())
}

/// Seconds or milliseconds since 1970, or the digits of a day.
fn number_of_seconds(text: &str) -> Option<i64> {
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match text.len() {
        8 => second_of(text[..4].parse().ok()?, text[4..6].parse().ok()?, text[6..].parse().ok()?),
        9..=11 => text.parse().ok(),
        12..=15 => Some(text.parse::<i64>().ok()? / 1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_as_people_write_them() {
        let day = 1_893_542_400;
        for text in [
            "2030-1-2",
            "20300102",
            "1893542400",
            "1893542400000",
            "2 Jan 2030",
            "2. January 2030",
            "Jan 2, 2030",
            "January 2nd 2030",
            "Wed, 2 Jan 2030",
            "Wednesday the 2nd of January, 2030",
        ] {
            assert_eq!(moments(text), Some((day, day)), "{text}");
        }
        let later = Some((day, day + SECONDS_PER_DAY));
        for text in ["Wed, 2 Jan 2030 10:00:00 GMT", "2030-1-2 10:00", "2030-1-2T10:00:00Z"] {
            assert_eq!(moments(text), later, "{text}");
        }
        // The second of January, or the first of February.
        assert_eq!(moments("02.01.2030"), Some((day, day + 30 * SECONDS_PER_DAY)));
        assert_eq!(moments("January 2030"), Some((day - SECONDS_PER_DAY, day - SECONDS_PER_DAY)));
        assert_eq!(moments("2030"), moments("January 2030"));
        for text in
            ["", "soon", "5. Dezember 2030", "2030-13-41", "10:00", "{{ date }}", "last Monday"]
        {
            assert_eq!(moments(text), None, "{text}");
        }
    }

    #[test]
    fn years_say_whether_a_date_is_over() {
        for (text, is_past) in [
            ("5. Dezember 2019", true),
            ("2019 or 2999", false),
            ("soon", false),
            ("0000", false),
            ("Januar 2030", false),
        ] {
            assert_eq!(has_past_years(text, 1_893_542_400), is_past, "{text}");
        }
    }
}
