//! Writes one section: the only place where HTML is put out.

use super::Section;
use super::attribute::Attribute;
use super::element::Element;
use super::excerpt::Excerpt;

const LONGEST_HEADING: usize = 120;
const LONGEST_TEXT: usize = 280;

/// A section that is being written.
#[derive(Debug, Default)]
pub(super) struct Writer {
    html: Vec<u8>,
    text: Excerpt,
    heading: Excerpt,
    /// True within a heading, while none has been found.
    is_in_heading: bool,
    said_heading: Option<String>,
    alt: Option<String>,
    chars: usize,
    elements: usize,
}

impl Writer {
    /// Begins a start tag.
    pub(super) fn open(&mut self, element: Element) {
        self.elements += 1;
        self.html.push(b'<');
        self.html.extend_from_slice(element.name().as_bytes());
    }

    /// Adds an attribute to the start tag.
    pub(super) fn attribute(&mut self, attribute: Attribute, value: &[u8]) {
        self.html.push(b' ');
        self.html.extend_from_slice(attribute.name().as_bytes());
        self.html.extend_from_slice(b"=\"");
        escape(value, &mut self.html);
        self.html.push(b'"');
    }

    /// Says that a link opens elsewhere, and knows nothing of us.
    pub(super) fn leads_away(&mut self) {
        self.html.extend_from_slice(b" target=\"_blank\" rel=\"noopener noreferrer nofollow\"");
    }

    /// Ends the start tag.
    pub(super) fn close(&mut self) {
        self.html.push(b'>');
    }

    /// Writes an end tag.
    pub(super) fn end(&mut self, element: Element) {
        self.html.extend_from_slice(b"</");
        self.html.extend_from_slice(element.name().as_bytes());
        self.html.push(b'>');
    }

    pub(super) fn text(&mut self, text: &[u8]) {
        escape(text, &mut self.html);
        self.text.push(text, LONGEST_TEXT);
        self.chars += visible_chars(text);
        if self.is_in_heading {
            self.heading.push(text, LONGEST_HEADING);
        }
    }

    /// What stands for a picture that is not shown.
    pub(super) fn stand_in(&mut self, alt: &str) {
        self.elements += 1;
        self.html.extend_from_slice(b"<span>");
        self.text(alt.as_bytes());
        self.html.extend_from_slice(b"</span>");
    }

    /// Remembers what the first picture shows.
    pub(super) fn picture(&mut self, alt: &str) {
        if self.alt.is_none() {
            self.alt = super::excerpt::excerpt(alt, LONGEST_TEXT);
        }
    }

    /// What comes next is not of the same line.
    pub(super) fn part(&mut self) {
        self.text.part();
        self.heading.part();
    }

    pub(super) fn begin_heading(&mut self) {
        self.is_in_heading = self.said_heading.is_none();
    }

    pub(super) fn end_heading(&mut self) {
        if self.is_in_heading && !self.heading.is_empty() {
            self.said_heading = Some(self.heading.take(LONGEST_HEADING));
        }
        self.is_in_heading = false;
    }

    pub(super) fn finish(mut self) -> Section {
        let text = self.text.take(LONGEST_TEXT);
        let text = if text.is_empty() { self.alt.unwrap_or_default() } else { text };
        // What went in was text, and nothing was cut within a character.
        let html = String::from_utf8(self.html)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Section {
            html,
            heading: self.said_heading,
            text,
            chars: self.chars,
            elements: self.elements,
        }
    }
}

/// How many characters of a text take room on a screen.
fn visible_chars(text: &[u8]) -> usize {
    text.iter().filter(|byte| !matches!(byte, 0..=b' ' | 0x7f..0xc0)).count()
}

/// Whether a byte cannot stand for itself.
static IS_SPECIAL: [bool; 256] = {
    let mut special = [false; 256];
    let mut control = 0;
    while control < b' ' {
        special[control as usize] = !matches!(control, b'\t' | b'\n' | b'\x0c');
        control += 1;
    }
    special[0x7f] = true;
    special[b'"' as usize] = true;
    special[b'&' as usize] = true;
    special[b'<' as usize] = true;
    special[b'>' as usize] = true;
    special
};

/// The same for text and for the values of attributes.
fn escape(mut text: &[u8], html: &mut Vec<u8>) {
    while let Some(at) = text.iter().position(|byte| IS_SPECIAL[*byte as usize]) {
        html.extend_from_slice(&text[..at]);
        html.extend_from_slice(match text[at] {
            b'"' => b"&quot;",
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            // A parser would take it for a line feed; so let it be one.
            b'\r' => b"\n",
            // No text has it; and terminals obey it.
            _ => b"",
        });
        text = &text[at + 1..];
    }
    html.extend_from_slice(text);
}
