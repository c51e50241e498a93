//! Strings as they are written.

use std::borrow::Cow;

/// What a string means, given with its quotes and correct in its syntax. `None` if it has half a
/// surrogate pair, which means nothing.
pub(super) fn decode(written: &str) -> Option<Cow<'_, str>> {
    let inner = written.get(1..written.len().checked_sub(1)?)?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (character, after) = escape(&rest[at + 1..])?;
        text.push(character);
        rest = after;
    }
    text.push_str(rest);
    Some(Cow::Owned(text))
}

/// The character of an escape, and what follows it.
fn escape(text: &str) -> Option<(char, &str)> {
    let mut characters = text.chars();
    let character = match characters.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode(characters.as_str()),
        other => other,
    };
    Some((character, characters.as_str()))
}

fn unicode(text: &str) -> Option<(char, &str)> {
    let (high, rest) = hex(text)?;
    if !(0xd800..0xdc00).contains(&high) {
        return Some((char::from_u32(high)?, rest));
    }
    let (low, rest) = hex(rest.strip_prefix("\\u")?)?;
    let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    Some((char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low)?, rest))
}

fn hex(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4)?;
    Some((u32::from_str_radix(digits, 16).ok()?, &text[4..]))
}

/// Adds what stands between the quotes: escaped only where it must be.
pub(super) fn encode(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                let digit = |n: u32| char::from_digit(n, 16).unwrap_or('0');
                let code = u32::from(control);
                out.extend(['\\', 'u', '0', '0', digit(code >> 4), digit(code & 15)]);
            }
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded() {
        let cases = [
            (r#""""#, Some("")),
            (r#""plain é""#, Some("plain é")),
            (r#""\"\\\/\b\f\n\r\t""#, Some("\"\\/\u{8}\u{c}\n\r\t")),
            (r#""caf\u00e9 \uD83D\ude00!""#, Some("café 😀!")),
            (r#""\ud83d""#, None),
            (r#""\ud83d\u0041""#, None),
            (r#""\ude00""#, None),
        ];
        for (written, text) in cases {
            assert_eq!(decode(written).as_deref(), text, "{written}");
        }
    }

    #[test]
    fn encoded_strings_decode_to_themselves() {
        let text: String = (0..0x300).filter_map(char::from_u32).collect();
        let mut written = String::from("\"");
        encode(&text, &mut written);
        written.push('"');
        assert_eq!(decode(&written).unwrap(), text);
        assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        assert_eq!(serde_json::to_string(&text).unwrap(), written);
    }
}
