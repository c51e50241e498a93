//! Text in XML.

/// Appends character data: `&`, `<` and `>` escaped, and a carriage return as a reference, which
/// survives the reader's handling of line ends (XML 1.0, 2.11). What XML cannot hold at all
/// (XML 1.0, 2.2) becomes U+FFFD.
pub(crate) fn text(out: &mut String, text: &str) {
    push(out, text, false);
}

/// Appends ` name="value"`, with line ends and tabs as references, too, which survive the
/// normalisation of attributes (XML 1.0, 3.3.3).
pub(crate) fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push(out, value, true);
    out.push('"');
}

/// Appends a line with an element that has nothing but text in it.
pub(crate) fn element(out: &mut String, name: &str, value: &str) {
    out.push('<');
    out.push_str(name);
    out.push('>');
    push(out, value, false);
    out.push_str("</");
    out.push_str(name);
    out.push_str(">\n");
}

fn push(out: &mut String, text: &str, attribute: bool) {
    let bytes = text.as_bytes();
    let mut plain = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let (escaped, length) = match byte {
            b'&' => ("&amp;", 1),
            b'<' => ("&lt;", 1),
            b'>' => ("&gt;", 1),
            b'"' if attribute => ("&quot;", 1),
            b'\n' if attribute => ("&#10;", 1),
            b'\t' if attribute => ("&#9;", 1),
            b'\r' => ("&#13;", 1),
            b'\n' | b'\t' => continue,
            0..b' ' => ("\u{FFFD}", 1),
            // U+FFFE and U+FFFF.
            0xEF if matches!(bytes[at..], [_, 0xBF, 0xBE | 0xBF, ..]) => ("\u{FFFD}", 3),
            _ => continue,
        };
        out.push_str(&text[plain..at]);
        out.push_str(escaped);
        plain = at + length;
    }
    out.push_str(&text[plain..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(raw: &str) -> String {
        let mut out = String::new();
        text(&mut out, raw);
        out
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("a<b>&\"'☃"), "a&lt;b&gt;&amp;\"'☃");
        assert_eq!(escaped("]]>\r\n\t"), "]]&gt;&#13;\n\t");
        let mut out = String::from("<a");
        attribute(&mut out, "b", "\"<>&'\n\t\r");
        assert_eq!(out, "<a b=\"&quot;&lt;&gt;&amp;'&#10;&#9;&#13;\"");
    }

    #[test]
    fn what_xml_forbids_is_replaced() {
        assert_eq!(escaped("a\0b\u{1b}"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(
            escaped("\u{FFFE}a\u{FFFF}\u{FFFD}\u{F000}"),
            "\u{FFFD}a\u{FFFD}\u{FFFD}\u{F000}"
        );
        assert_eq!(escaped("\u{1FFFF}\u{FEFF}"), "\u{1FFFF}\u{FEFF}");
    }
}
