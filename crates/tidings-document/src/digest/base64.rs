//! Digests in base64, as resync wrote them before 1.0.6. By hand: it is one loop, and this crate has no
//! other use for a library.

/// Reads so many bytes in standard base64, with its padding, into the beginning of `bytes`; false if it is
/// anything else.
pub(super) fn decode(text: &str, size: usize, bytes: &mut [u8; 64]) -> bool {
    let digits = text.trim_end_matches('=').as_bytes();
    let padding = text.len() - digits.len();
    if text.len() != size.div_ceil(3) * 4 || padding != (3 - size % 3) % 3 {
        return false;
    }
    let (mut pending, mut bits, mut length) = (0_u32, 0, 0);
    for digit in digits {
        let Some(value) = value(*digit) else { return false };
        pending = pending << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes[length] = (pending >> bits) as u8;
            pending &= (1 << bits) - 1;
            length += 1;
        }
    }
    // Bits that are left over say nothing, and are zero.
    length == size && pending == 0
}

fn value(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_right_number_of_bytes_is_read() {
        let mut bytes = [0; 64];
        assert!(decode("Hg1cuO9rpAyZsUwCN75zXg==", 16, &mut bytes));
        assert_eq!(&bytes[..4], [0x1e, 0x0d, 0x5c, 0xb8]);
        assert_eq!(bytes[15], 0x5e);
        for wrong in [
            "Hg1cuO9rpAyZsUwCN75zXg",
            "Hg1cuO9rpAyZsUwCN75zXh==",
            "Hg1cuO9rpAyZsUwCN75zX===",
            "Hg1cuO9rpAyZsUwC",
            "Hg1cuO9rpAyZsUwCN75z-_==",
            "Hg1cuO9rpAyZsUwCN75zXgAA",
            "",
        ] {
            assert!(!decode(wrong, 16, &mut [0; 64]), "{wrong}");
        }
        for size in [16, 20, 28, 32, 48, 64] {
            let padding = "=".repeat((3 - size % 3) % 3);
            let text = "A".repeat(size.div_ceil(3) * 4 - padding.len()) + &padding;
            assert!(decode(&text, size, &mut [0; 64]), "{size}");
        }
    }
}
