//! Bytes as hexadecimal digits.

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// Bytes in hexadecimal, two lower-case digits for each.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    push_hex(&mut text, bytes);
    text
}

/// Appends bytes in hexadecimal, two lower-case digits for each.
pub fn push_hex(text: &mut String, bytes: &[u8]) {
    text.extend(bytes.iter().flat_map(|byte| digits(LOWER, *byte)).map(char::from));
}

/// The two digits of a byte in the capitals that percent-encoding prefers (RFC 3986, 2.1).
#[must_use]
pub fn upper_hex(byte: u8) -> [u8; 2] {
    digits(UPPER, byte)
}

fn digits(digits: &[u8; 16], byte: u8) -> [u8; 2] {
    [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]
}

/// The bytes that [`to_hex`] made this text of: none for capitals, a single digit at the end and anything
/// else, so that no two texts are the same bytes.
#[must_use]
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    pairs.iter().map(|[high, low]| Some(value(*high)? << 4 | value(*low)?)).collect()
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_and_read_again() {
        let all: Vec<u8> = (0..=255).collect();
        let text = to_hex(&all);
        assert!(text.starts_with("000102") && text.ends_with("fdfeff"), "{text}");
        assert_eq!(from_hex(&text), Some(all));
        assert_eq!(to_hex(&[]), "");
        assert_eq!(from_hex(""), Some(Vec::new()));
        assert_eq!(upper_hex(0x5f), *b"5F");
    }

    #[test]
    fn only_its_own_form_is_read() {
        for text in ["0", "000", "0A", "0g", "+1", " 1", "ü"] {
            assert_eq!(from_hex(text), None, "{text}");
        }
    }
}
