//! A first look at an XML document from a stranger, before anything is made of it.

use quick_xml::Reader;
use quick_xml::events::Event;

/// How deep elements may be nested. Feeds and metadata need a dozen.
pub(crate) const DEEPEST: usize = 256;

/// What an XML document is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    /// The name of the root element without its prefix; empty if there is no element.
    pub(crate) root: String,
    /// Whether the document type declares entities, by which a short document can become a long one.
    pub(crate) has_entities: bool,
    /// Whether elements are nested deeper than [`DEEPEST`].
    pub(crate) is_deep: bool,
    /// What is wrong with the markup and in which line, if it is before the root element's end.
    pub(crate) fault: Option<(usize, String)>,
}

impl Survey {
    pub(crate) fn of(text: &str) -> Self {
        let mut survey = Self::default();
        let mut reader = Reader::from_str(text);
        let mut depth = 0_usize;
        loop {
            match reader.read_event() {
                Ok(Event::Start(start)) => {
                    survey.rooted(start.local_name().as_ref());
                    depth += 1;
                    if depth > DEEPEST {
                        survey.is_deep = true;
                        return survey;
                    }
                }
                Ok(Event::Empty(start)) => {
                    survey.rooted(start.local_name().as_ref());
                    if depth == 0 {
                        return survey;
                    }
                }
                Ok(Event::End(_)) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return survey;
                    }
                }
                Ok(Event::DocType(doctype)) => {
                    survey.has_entities |= doctype.to_ascii_uppercase().contains("<!ENTITY");
                }
                Ok(Event::Eof) => {
                    if depth > 0 {
                        let fault = "it ends in the middle of an element".to_owned();
                        survey.fault = Some((line(text, text.len()), fault));
                    }
                    return survey;
                }
                Ok(_) => {}
                Err(error) => {
                    let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
                    survey.fault = Some((line(text, at), error.to_string()));
                    return survey;
                }
            }
        }
    }

    fn rooted(&mut self, name: &str) {
        if self.root.is_empty() {
            name.clone_into(&mut self.root);
        }
    }
}

/// The number of the line in which that byte is.
pub(crate) fn line(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// The text with each ampersand escaped that begins no reference: people forget to.
pub(crate) fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        if reference(rest).is_none() {
            out.push_str("amp;");
        }
    }
    out.push_str(rest);
    out
}

/// Resolves the references of a text, and leaves alone what is none or is not known.
pub(crate) fn resolved(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match reference(rest).and_then(|name| Some((name, character(name)?))) {
            Some((name, character)) => {
                out.push(character);
                rest = &rest[name.len() + 1..];
            }
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

/// The name of a reference, if what follows an ampersand is one.
fn reference(text: &str) -> Option<&str> {
    let end = text.bytes().take(32).position(|byte| byte == b';')?;
    let name = &text[..end];
    let digits = name.strip_prefix('#').unwrap_or(name);
    let is_name = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then_some(name)
}

/// The character that a reference stands for: by its number, or one of the five of XML.
pub(crate) fn character(name: &str) -> Option<char> {
    let number = match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => name.strip_prefix('#')?,
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_looked_at() {
        let survey = Survey::of("<?xml version='1.0'?><!-- x --><a:feed><b/></a:feed><junk");
        assert_eq!(survey, Survey { root: "feed".into(), ..Survey::default() });
        let survey = Survey::of("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>");
        assert!(survey.has_entities);
        assert!(!Survey::of("<!DOCTYPE rss SYSTEM 'x.dtd'><rss/>").has_entities);
        assert_eq!(Survey::of("<a>\n<b>\n</a>").fault.unwrap().0, 3);
        assert_eq!(Survey::of("<a>\n").fault.unwrap().0, 2);
        assert_eq!(Survey::of(""), Survey::default());
    }

    #[test]
    fn nesting_has_a_limit() {
        assert!(!Survey::of(&"<a>".repeat(DEEPEST)).is_deep);
        assert!(Survey::of(&"<a>".repeat(1 << 20)).is_deep);
    }

    #[test]
    fn references_are_resolved_and_mended() {
        let text = "a&amp;b&#x41;&#66;&lt;&gt;&quot;&apos;&c&nbsp;&;&#0x;&#xD800;& ";
        assert_eq!(resolved(text), "a&bAB<>\"'&c&nbsp;&;&#0x;&#xD800;& ");
        assert_eq!(mended("a&amp;b&c &x; ?a=1&b=2"), "a&amp;b&amp;c &x; ?a=1&amp;b=2");
    }
}
