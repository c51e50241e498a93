//! Numbers as they are written.

/// Whether two numbers have the same value. What is no number, such as `true`, is the same as
/// nothing.
pub(super) fn same(a: &str, b: &str) -> bool {
    Decimal::of(a).is_some_and(|a| Decimal::of(b) == Some(a))
}

/// A number as sign, digits and power of ten: without leading or trailing zeros, so that there is
/// one for each value. Zero has no digits and no sign.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(number: &str) -> Option<Self> {
        let (negative, number) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number),
        };
        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written = format!("{whole}{fraction}");
        if !written.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = written.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { negative: false, digits: String::new(), exponent: 0 });
        }
        // An exponent beyond 64 bits is compared with nothing: the same text was found equal before.
        let zeros = i64::try_from(written.len() - digits.len()).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_add(zeros)?.checked_sub(places)?;
        Some(Self { negative, digits: digits.trim_start_matches('0').to_owned(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_value() {
        let equal = [
            ("1", "1.0"),
            ("100", "1e2"),
            ("1E+2", "1000e-1"),
            ("0.001", "1e-3"),
            ("-0", "0.0e5"),
            ("12345678901234567890.10", "12345678901234567890.1"),
            ("1e400", "10e399"),
        ];
        for (a, b) in equal {
            assert!(same(a, b), "{a} {b}");
        }
        let unequal = [
            ("1", "-1"),
            ("1", "10"),
            ("12345678901234567890", "12345678901234567891"),
            ("1e99999999999999999999", "1e99999999999999999998"),
            ("true", "true"),
            ("1", "null"),
        ];
        for (a, b) in unequal {
            assert!(!same(a, b), "{a} {b}");
        }
    }
}
