//! Text and addresses as HTML writes them.

use tidings_base::{Quotes, push_html, upper_hex};

/// Appends text, for between tags and for within the quotes of an attribute, which are double here.
pub(crate) fn push_text(out: &mut String, text: &str) {
    push_html(out, text, Quotes::Double);
}

/// Appends an address, for within the quotes of an attribute: what an address cannot hold is
/// percent-encoded, what is encoded already is left.
pub(super) fn push_href(out: &mut String, url: &str) {
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
            out.extend(upper_hex(byte).map(char::from));
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
