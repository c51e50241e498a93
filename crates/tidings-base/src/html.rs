//! Text in HTML.

/// Which quotes are escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quotes {
    /// Double quotes: the text may stand between tags and in attributes with double quotes.
    Double,
    /// Both: the text may stand in any attribute that has quotes.
    Both,
}

/// The text with `&`, `<`, `>` and these quotes escaped.
#[must_use]
pub fn escape_html(text: &str, quotes: Quotes) -> String {
    let mut out = String::with_capacity(text.len());
    push_html(&mut out, text, quotes);
    out
}

/// Appends text with `&`, `<`, `>` and these quotes escaped.
pub fn push_html(out: &mut String, text: &str, quotes: Quotes) {
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' if quotes == Quotes::Both => "&#39;",
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        out.push_str(entity);
        plain = at + 1;
    }
    out.push_str(&text[plain..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        let text = "<a b=\"c\">it's ü & ü</a>";
        assert_eq!(
            escape_html(text, Quotes::Double),
            "&lt;a b=&quot;c&quot;&gt;it's ü &amp; ü&lt;/a&gt;"
        );
        assert_eq!(escape_html("it's", Quotes::Both), "it&#39;s");
        assert_eq!(escape_html("", Quotes::Both), "");
    }
}
