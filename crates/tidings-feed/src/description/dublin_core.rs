//! Dublin Core in XML, under whatever root.

use quick_xml::events::Event;
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

use super::Description;
use crate::{language, plain, survey};

/// The elements 1.1 and the terms that have taken their place.
const NAMESPACES: [&str; 2] = ["http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/"];

/// What is read of it. A container may be in the namespace, too.
const ELEMENTS: [&str; 6] =
    ["title", "creator", "publisher", "language", "description", "abstract"];

/// How much text of an element is looked at.
const MOST: usize = 4 << 10;

/// Reads what is said of the first thing that has a title: in RDF there may be more of them. Of
/// several titles the first counts, of several creators all. What comes before a fault in the markup
/// is taken.
pub(super) fn read(text: &str) -> Description {
    let mut reader = NsReader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    reader.config_mut().allow_dangling_amp = true;
    let mut gathered = Gathered::default();
    while let Ok((namespace, event)) = reader.read_resolved_event() {
        let is_ours = match namespace {
            ResolveResult::Bound(namespace) => NAMESPACES.contains(&namespace.into_inner()),
            _ => false,
        };
        match event {
            Event::Start(start) => gathered.start(is_ours, start.local_name().as_ref()),
            Event::End(_) => gathered.end(),
            Event::Text(text) => gathered.text(&text),
            Event::CData(text) => gathered.text(&text),
            Event::GeneralRef(name) => {
                if let Some(character) = survey::character(&name) {
                    gathered.text(character.encode_utf8(&mut [0; 4]));
                }
            }
            Event::Eof => break,
            _ => {}
        }
        if gathered.is_complete() {
            break;
        }
    }
    gathered.finish()
}

#[derive(Default)]
struct Gathered {
    depth: usize,
    /// The element whose text is being gathered, its depth, and the text.
    open: Option<(String, usize, String)>,
    /// How deep the element is whose title was found.
    subject: Option<usize>,
    title: Option<String>,
    creators: Vec<String>,
    publisher: Option<String>,
    language: Option<String>,
    description: Option<String>,
}

impl Gathered {
    fn start(&mut self, is_ours: bool, name: &str) {
        self.depth += 1;
        if let Some((_, _, text)) = &mut self.open {
            text.push(' ');
        } else if is_ours && ELEMENTS.contains(&name) {
            self.open = Some((name.to_owned(), self.depth, String::new()));
        }
    }

    fn text(&mut self, more: &str) {
        if let Some((_, _, text)) = &mut self.open
            && text.len() < MOST
        {
            text.push_str(more);
        }
    }

    fn end(&mut self) {
        if let Some((name, depth, text)) = self.open.take() {
            if depth == self.depth {
                self.element(&name, &text);
            } else {
                self.open = Some((name, depth, text));
            }
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Whether all of the subject has been read.
    fn is_complete(&self) -> bool {
        self.subject.is_some_and(|subject| self.depth < subject)
    }

    fn element(&mut self, name: &str, text: &str) {
        let Some(line) = plain::line(text) else { return };
        match name {
            "title" if self.title.is_none() => {
                self.title = Some(line);
                self.subject = Some(self.depth.saturating_sub(1));
            }
            "creator" => self.creators.push(line),
            "publisher" => self.publisher = self.publisher.take().or(Some(line)),
            "language" => self.language = self.language.take().or_else(|| language::tag(&line)),
            "description" | "abstract" => {
                self.description = self.description.take().or(Some(line));
            }
            _ => {}
        }
    }

    fn finish(self) -> Description {
        Description {
            title: self.title,
            author: plain::line(&self.creators.join(", ")).or(self.publisher),
            language: self.language,
            description: self.description,
            icon: None,
        }
    }
}
