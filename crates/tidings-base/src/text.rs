//! Formats numbers, sizes, durations and foreign text for people, on terminals and on pages.

use std::time::Duration;

/// `12,345`: a number with its thousands apart.
#[must_use]
pub fn grouped(number: impl Into<i128>) -> String {
    let number = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 3);
    if number < 0 {
        text.push('−');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 entry`, `12,345 entries`.
#[must_use]
pub fn counted(number: impl Into<i128>, one: &str, many: &str) -> String {
    let number = number.into();
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// `3 missing`, `1 extra`: the counts that are not 0, each with its word.
pub fn nonzero<'a>(counts: impl IntoIterator<Item = (u64, &'a str)>) -> Vec<String> {
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    counts.map(|(number, word)| format!("{} {word}", grouped(number))).collect()
}

/// `999 bytes`, `1.0 kB`: a size in one column of a report, to the nearest tenth of its unit.
#[must_use]
pub fn rounded_size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value < 1000.0 {
            return match unit {
                "bytes" => format!("{bytes} bytes"),
                unit => format!("{value:.1} {unit}"),
            };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// `1 byte`, `9,999 bytes`, `1.2 MB`: a size in a sentence, exact below 10,000 bytes and never more than there is.
#[must_use]
pub fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..10_000 => return counted(bytes, "byte", "bytes"),
        10_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    let tenths = bytes / (unit / 10);
    format!("{}.{} {name}", grouped(tenths / 10), tenths % 10)
}

/// `59 s`, `10 min`, `2 h 1 min`: a duration in its largest units.
#[must_use]
pub fn duration(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=99 => format!("{seconds} s"),
        seconds @ 100..=5_999 => format!("{} min", seconds / 60),
        seconds => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

/// `0.12 s`, `42 s`, `-3.00 s`: a measured number of seconds; below 10, to the hundredth.
#[must_use]
pub fn measured_seconds(seconds: f64) -> String {
    match seconds {
        seconds if seconds.abs() < 10.0 => format!("{seconds:.2} s"),
        seconds if seconds < 0.0 => format!("-{}", duration(Duration::from_secs_f64(-seconds))),
        seconds => duration(Duration::from_secs_f64(seconds)),
    }
}

/// `99.9%`: a share. Less than all is never shown as 100%.
#[must_use]
pub fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).floor() / 10.0;
    if share >= 1.0 { "100%".to_owned() } else { format!("{tenths:.1}%") }
}

/// Foreign text without characters on which a terminal would act.
#[must_use]
pub fn visible_in_terminal(text: &str) -> String {
    replace(text, char::is_control)
}

/// Foreign text without characters that could hide other text on a page.
#[must_use]
pub fn visible_on_page(text: &str) -> String {
    replace(text, is_hidden_on_page)
}

/// Whether a character is not seen on a page and changes how others are: controls, and marks that
/// turn the direction of writing around.
#[must_use]
pub fn is_hidden_on_page(c: char) -> bool {
    c.is_control() && c != '\t' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn replace(text: &str, is_hidden: fn(char) -> bool) -> String {
    text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_counted() {
        for (number, shown) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345_678, "12,345,678"),
            (-1_000, "−1,000"),
        ] {
            assert_eq!(grouped(number), shown);
        }
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "entry", "entries"), "1 entry");
        assert_eq!(counted(0, "entry", "entries"), "0 entries");
        assert_eq!(nonzero([(1_000, "missing"), (0, "extra")]), ["1,000 missing"]);
    }

    #[test]
    fn sizes_are_short() {
        for (bytes, rounded, exact) in [
            (0, "0 bytes", "0 bytes"),
            (1, "1 bytes", "1 byte"),
            (999, "999 bytes", "999 bytes"),
            (1_000, "1.0 kB", "1,000 bytes"),
            (9_999, "10.0 kB", "9,999 bytes"),
            (999_999, "1000.0 kB", "999.9 kB"),
            (1_250_000, "1.2 MB", "1.2 MB"),
            (52_428_800, "52.4 MB", "52.4 MB"),
            (u64::MAX, "18446744.1 TB", "18,446,744,073.7 GB"),
        ] {
            assert_eq!((rounded_size(bytes).as_str(), size(bytes).as_str()), (rounded, exact));
        }
    }

    #[test]
    fn durations_and_shares_are_short() {
        for (seconds, shown) in [(59, "59 s"), (600, "10 min"), (7_260, "2 h 1 min")] {
            assert_eq!(duration(Duration::from_secs(seconds)), shown);
        }
        for (seconds, shown) in
            [(0.123, "0.12 s"), (42.0, "42 s"), (-3.0, "-3.00 s"), (-60.0, "-60 s")]
        {
            assert_eq!(measured_seconds(seconds), shown);
        }
        for (share, shown) in [(1.0, "100%"), (0.999_99, "99.9%"), (0.5, "50.0%"), (0.0, "0.0%")] {
            assert_eq!(percent(share), shown);
        }
    }

    #[test]
    fn hidden_characters_are_replaced() {
        let text = "a\u{1b}[2J\u{202e}b\tc";
        assert_eq!(visible_on_page(text), "a\u{fffd}[2J\u{fffd}b\tc");
        assert_eq!(visible_in_terminal(text), "a\u{fffd}[2J\u{202e}b\u{fffd}c");
    }
}
