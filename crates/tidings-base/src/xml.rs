//! Small XML documents.

/// Writes an XML document into a string, escaped and with every element closed.
///
/// Lines end only where the caller says so: a document that people read has a line for each small element.
#[derive(Debug, Clone, Default)]
pub struct XmlWriter {
    out: String,
    open: Vec<&'static str>,
    /// True while attributes may be added to the innermost element.
    is_in_tag: bool,
}

impl XmlWriter {
    /// A document, which begins with the XML declaration.
    #[must_use]
    pub fn document(capacity: usize) -> Self {
        let mut writer = Self::fragment(capacity);
        writer.instruction("xml", &[("version", "1.0"), ("encoding", "UTF-8")]);
        writer
    }

    /// A piece of a document, as for the content of an element.
    #[must_use]
    pub fn fragment(capacity: usize) -> Self {
        Self { out: String::with_capacity(capacity), open: Vec::new(), is_in_tag: false }
    }

    /// Writes a line with a processing instruction.
    pub fn instruction(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.end_tag();
        self.out.push_str("<?");
        self.out.push_str(name);
        for (name, value) in attributes {
            self.push_attribute(name, value);
        }
        self.out.push_str("?>\n");
    }

    /// Opens an element, to which attributes can be added until something else is written.
    pub fn open(&mut self, name: &'static str) -> &mut Self {
        self.end_tag();
        self.out.push('<');
        self.out.push_str(name);
        self.open.push(name);
        self.is_in_tag = true;
        self
    }

    /// Adds an attribute to the element that was just opened. Line ends and tabs become references, which
    /// survive the normalisation of attributes (XML 1.0, 3.3.3).
    ///
    /// # Panics
    /// In debug builds, if something else was written since.
    pub fn attribute(&mut self, name: &str, value: &str) -> &mut Self {
        debug_assert!(self.is_in_tag, "attributes stand in a tag");
        self.push_attribute(name, value);
        self
    }

    /// Adds an attribute if there is a value.
    pub fn attribute_if(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.attribute(name, value);
        }
        self
    }

    /// Writes character data. A carriage return becomes a reference, which survives the reader's handling
    /// of line ends (XML 1.0, 2.11); what XML cannot hold at all (XML 1.0, 2.2) becomes U+FFFD.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.end_tag();
        push(&mut self.out, text, false);
        self
    }

    /// Writes what is XML already.
    pub fn markup(&mut self, markup: &str) -> &mut Self {
        self.end_tag();
        self.out.push_str(markup);
        self
    }

    /// Ends the line.
    pub fn end_line(&mut self) -> &mut Self {
        self.end_tag();
        self.out.push('\n');
        self
    }

    /// Closes the innermost element.
    pub fn close(&mut self) -> &mut Self {
        let Some(name) = self.open.pop() else { return self };
        if std::mem::take(&mut self.is_in_tag) {
            self.out.push_str("/>");
            return self;
        }
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
        self
    }

    /// Writes a line with an element that has nothing but text in it.
    pub fn element(&mut self, name: &'static str, text: &str) -> &mut Self {
        self.open(name).text(text).close().end_line()
    }

    /// The document. What is still open is closed.
    #[must_use]
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }

    fn end_tag(&mut self) {
        if std::mem::take(&mut self.is_in_tag) {
            self.out.push('>');
        }
    }

    fn push_attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        push(&mut self.out, value, true);
        self.out.push('"');
    }
}

/// True for what XML can hold: the production Char of XML 1.0, 2.2.
#[must_use]
pub fn is_xml_character(one: char) -> bool {
    matches!(one, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
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

    fn text(raw: &str) -> String {
        let mut writer = XmlWriter::fragment(0);
        writer.text(raw);
        writer.finish()
    }

    #[test]
    fn a_small_document() {
        let mut writer = XmlWriter::document(0);
        writer.instruction("sheet", &[("href", "a&b")]);
        writer.open("a").attribute("b", "1").attribute_if("c", None).end_line();
        writer.element("d", "1 < 2");
        writer.element("e", "");
        writer.open("f").attribute_if("g", Some("2")).close().end_line();
        writer.open("h").markup("<i/>");
        assert_eq!(
            writer.finish(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?sheet href=\"a&amp;b\"?>\n<a b=\"1\">\n\
             <d>1 &lt; 2</d>\n<e></e>\n<f g=\"2\"/>\n<h><i/></h></a>"
        );
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(text("a<b>&\"'☃"), "a&lt;b&gt;&amp;\"'☃");
        assert_eq!(text("]]>\r\n\t"), "]]&gt;&#13;\n\t");
        let mut writer = XmlWriter::fragment(0);
        writer.open("a").attribute("b", "\"<>&'\n\t\r");
        assert_eq!(writer.finish(), "<a b=\"&quot;&lt;&gt;&amp;'&#10;&#9;&#13;\"/>");
    }

    #[test]
    fn what_xml_forbids_is_replaced() {
        assert_eq!(text("a\0b\u{1b}"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(text("\u{FFFE}a\u{FFFF}\u{FFFD}\u{F000}"), "\u{FFFD}a\u{FFFD}\u{FFFD}\u{F000}");
        assert_eq!(text("\u{1FFFF}\u{FEFF}"), "\u{1FFFF}\u{FEFF}");
    }
}
