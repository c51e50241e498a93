//! Formats times and sentences for pages.

use tidings_base::text::counted;

/// Milliseconds since 1970.
pub fn now() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// A time, in words and to the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Time {
    /// For machines.
    pub iso: String,
    /// How long ago, or how long until then.
    pub words: String,
    /// For whoever wants to know exactly.
    pub full: String,
}

impl Time {
    /// A time in milliseconds since 1970, as it is said at another.
    pub fn of(millis: i64, now: i64) -> Self {
        let time = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
        let seconds = jiff::Timestamp::from_second(time.as_second()).unwrap_or(time);
        let full = time.strftime("%e %B %Y, %H:%M UTC").to_string();
        Self { iso: seconds.to_string(), words: words(millis, now), full: full.trim().to_owned() }
    }
}

/// `3 hours ago`, `in 2 days`; after a month, the date.
fn words(millis: i64, now: i64) -> String {
    let (distance, is_past) = (now.abs_diff(millis), millis <= now);
    let minutes = distance / 60_000;
    let text = match minutes {
        0 if is_past => return "just now".to_owned(),
        0 => return "in a moment".to_owned(),
        1..60 => counted(minutes, "minute", "minutes"),
        60..1_440 => counted(minutes / 60, "hour", "hours"),
        1_440..43_200 => counted(minutes / 1_440, "day", "days"),
        _ => {
            let time = jiff::Timestamp::from_millisecond(millis).unwrap_or_default();
            return time.strftime("%e %B %Y").to_string().trim().to_owned();
        }
    };
    if is_past { format!("{text} ago") } else { format!("in {text}") }
}

/// A text that begins with a capital.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    #[test]
    fn times_are_said_as_people_say_them() {
        let now = 1_700_000_000_000;
        for (ago, expected) in [
            (0, "just now"),
            (60_000, "1 minute ago"),
            (7_200_000, "2 hours ago"),
            (3 * DAY, "3 days ago"),
            (-7_200_000, "in 2 hours"),
            (400 * DAY, "10 October 2022"),
        ] {
            assert_eq!(words(now - ago, now), expected);
        }
    }
}
