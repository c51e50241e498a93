//! From the tokenizer's calls to tags and text.
//!
//! The emitter is our own for two reasons. Text goes from the page to where it is written without a
//! stop in between; and what is in `<svg>` must not be read as HTML is, where a `<title/>` would take
//! the rest of the page with it.

use html5gum::{Emitter, Error, State, Tokenizer};

use super::attribute::Attribute;
use super::page::Page;

/// Reads a page. False if it has to be read again (see [`Page::must_restart`]).
pub(super) fn read(html: &str, page: &mut Page<'_>) -> bool {
    let mut tokenizer = Tokenizer::new_with_emitter(html, Tokens::new(page));
    // A token comes only to say that it is to be read again; memory can always be read.
    tokenizer.next().is_none()
}

/// The attributes of a tag that mean something, each once: of those with the same name the first
/// counts, as in browsers.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    found: Vec<(Attribute, usize, usize)>,
    values: Vec<u8>,
    seen: u64,
}

impl Attributes {
    fn clear(&mut self) {
        self.found.clear();
        self.values.clear();
        self.seen = 0;
    }

    pub(super) fn get(&self, attribute: Attribute) -> Option<&str> {
        let (_, from, to) = self.found.iter().find(|(name, ..)| *name == attribute)?;
        std::str::from_utf8(&self.values[*from..*to]).ok()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Attribute, &[u8])> {
        self.found.iter().map(|(name, from, to)| (*name, &self.values[*from..*to]))
    }
}

struct Tokens<'p, 'a> {
    page: &'p mut Page<'a>,
    name: Vec<u8>,
    last_start: Vec<u8>,
    is_end: bool,
    is_self_closing: bool,
    attributes: Attributes,
    attribute: Vec<u8>,
    /// The attribute that is being read.
    current: Current,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Current {
    None,
    /// Its name is being read.
    Name,
    /// Its value is being read, which begins there.
    Value(Attribute, usize),
    /// It means nothing, or has been before.
    Skipped,
}

impl<'p, 'a> Tokens<'p, 'a> {
    fn new(page: &'p mut Page<'a>) -> Self {
        Self {
            page,
            name: Vec::with_capacity(16),
            last_start: Vec::with_capacity(16),
            is_end: false,
            is_self_closing: false,
            attributes: Attributes::default(),
            attribute: Vec::with_capacity(16),
            current: Current::None,
        }
    }

    fn init_tag(&mut self, is_end: bool) {
        self.name.clear();
        self.attributes.clear();
        self.current = Current::None;
        self.is_end = is_end;
        self.is_self_closing = false;
    }

    /// The name of the attribute is complete.
    fn end_name(&mut self) {
        if self.current != Current::Name {
            return;
        }
        self.current = match Attribute::of(&self.attribute) {
            Some(attribute) if self.attributes.seen & 1 << attribute as u64 == 0 => {
                self.attributes.seen |= 1 << attribute as u64;
                Current::Value(attribute, self.attributes.values.len())
            }
            _ => Current::Skipped,
        };
    }

    fn end_attribute(&mut self) {
        self.end_name();
        if let Current::Value(attribute, from) = self.current {
            self.attributes.found.push((attribute, from, self.attributes.values.len()));
        }
        self.current = Current::None;
    }
}

impl Emitter for Tokens<'_, '_> {
    type Token = ();

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn pop_token(&mut self) -> Option<()> {
        self.page.must_restart().then_some(())
    }

    fn emit_eof(&mut self) {}

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start.clear();
        self.last_start.extend_from_slice(name.unwrap_or_default());
    }

    #[inline]
    fn emit_string(&mut self, text: &[u8]) {
        self.page.text(text);
    }

    fn init_start_tag(&mut self) {
        self.init_tag(false);
    }

    fn init_end_tag(&mut self) {
        self.init_tag(true);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.end_attribute();
        if self.is_end {
            self.last_start.clear();
            self.page.end(&self.name);
            return None;
        }
        self.last_start.clear();
        self.last_start.extend_from_slice(&self.name);
        self.page.start(&self.name, &self.attributes, self.is_self_closing);
        // In foreign content there is no raw text.
        if self.page.is_foreign() { None } else { next_state(&self.name) }
    }

    fn set_self_closing(&mut self) {
        self.is_self_closing = true;
    }

    #[inline]
    fn push_tag_name(&mut self, name: &[u8]) {
        self.name.extend_from_slice(name);
    }

    fn init_attribute(&mut self) {
        self.end_attribute();
        self.attribute.clear();
        self.current = Current::Name;
    }

    #[inline]
    fn push_attribute_name(&mut self, name: &[u8]) {
        self.attribute.extend_from_slice(name);
    }

    #[inline]
    fn push_attribute_value(&mut self, value: &[u8]) {
        self.end_name();
        if let Current::Value(..) = self.current {
            self.attributes.values.extend_from_slice(value);
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start.is_empty() && self.last_start == self.name
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.page.is_foreign()
    }

    // Comments and document types say nothing to us.
    fn init_comment(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn emit_current_comment(&mut self) {}
    fn init_doctype(&mut self) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn set_force_quirks(&mut self) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn emit_current_doctype(&mut self) {}
}

/// How the tokenizer goes on after a start tag (HTML Standard, 13.2.6, where scripts are on).
fn next_state(name: &[u8]) -> Option<State> {
    match name {
        b"title" | b"textarea" => Some(State::RcData),
        b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" | b"noscript" => {
            Some(State::RawText)
        }
        b"script" => Some(State::ScriptData),
        b"plaintext" => Some(State::PlainText),
        _ => None,
    }
}
