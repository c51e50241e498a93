//! Text and addresses as HTML writes them.

/// Appends text, for between tags and for within the quotes of an attribute.
pub(crate) fn push_text(out: &mut String, text: &str) {
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => continue,
        };
        out.push_str(&text[done..at]);
        out.push_str(entity);
        done = at + 1;
    }
    out.push_str(&text[done..]);
}

/// Appends an address, for within the quotes of an attribute: what an address cannot hold is
/// percent-encoded, what is encoded already is left.
pub(super) fn push_href(out: &mut String, url: &str) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut done = 0;
    for (at, byte) in url.bytes().enumerate() {
        if is_of_address(byte) {
            continue;
        }
        // Within a character of several bytes there is nothing between, and no place to cut.
        if done < at {
            out.push_str(&url[done..at]);
        }
        if byte == b'&' {
            out.push_str("&amp;");
        } else {
            out.push('%');
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        done = at + 1;
    }
    if done < url.len() {
        out.push_str(&url[done..]);
    }
}

fn is_of_address(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~:/?#@!$()*+,;=%".contains(&byte)
}
