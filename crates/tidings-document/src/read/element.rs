//! From elements to the model.

mod extension;
mod text;

use super::Limits;
use crate::xml::namespace::{Bindings, Namespace, declared_prefix, declares, split};
use crate::xml::scan::{Fault, RawAttribute, Scanner, Span, Stop, Token};
use crate::{ChangeFreq, Entry, Priority, Rule, rule};

/// Something amiss at an offset of the text that is being looked at.
#[derive(Debug)]
pub(crate) struct Note {
    pub(crate) rule: &'static Rule,
    pub(crate) detail: String,
    pub(crate) at: usize,
}

/// The longest URI that is kept.
const LONGEST_LOC: usize = 8 << 10;
/// The longest URI that the Sitemap protocol allows.
const LONG_LOC: usize = 2_048;

/// One element's text, whole, and what is needed to make sense of it.
pub(super) struct Context<'c, 't> {
    pub(super) text: &'t str,
    pub(super) scanner: Scanner<'t>,
    pub(super) bindings: &'c mut Bindings,
    pub(super) attributes: &'c mut Vec<RawAttribute>,
    pub(super) notes: &'c mut Vec<Note>,
}

/// What the children of an entry have said so far.
#[derive(Default)]
struct Seen {
    loc: bool,
    lastmod: bool,
    changefreq: bool,
    priority: bool,
    metadata: bool,
    rank: u8,
    disorder: bool,
}

/// What a child of an entry is.
#[derive(Clone, Copy)]
enum Child {
    Loc,
    Lastmod,
    ChangeFreq,
    Priority,
    Metadata,
    Link,
    Extension,
    Unknown,
}

impl<'c, 't> Context<'c, 't> {
    /// A context over the element that fills `span`, which is known to be whole.
    pub(super) fn new(
        text: &'t str,
        span: Span,
        bindings: &'c mut Bindings,
        attributes: &'c mut Vec<RawAttribute>,
        notes: &'c mut Vec<Note>,
        limits: &Limits,
    ) -> Self {
        let text = &text[..span.end];
        let scanner = Scanner {
            text,
            at: span.start,
            whole: true,
            most_attributes: limits.attributes,
            most_bytes: limits.token,
        };
        Self { text, scanner, bindings, attributes, notes }
    }

    pub(super) fn note(&mut self, rule: &'static Rule, at: usize, detail: impl Into<String>) {
        self.notes.push(Note { rule, detail: detail.into(), at });
    }

    /// The next token; nothing can be missing from an element that is whole.
    #[inline]
    pub(super) fn token(&mut self) -> Result<Token, Box<Fault>> {
        self.scanner.next(self.attributes).map_err(|stop| match stop {
            // Only a tag that goes on past its element can seem to break off here.
            Stop::Fault(fault) if fault.rule == rule::xml::TRUNCATED => mismatch(fault.at),
            Stop::Fault(fault) => fault,
            Stop::More(at) => mismatch(at),
        })
    }

    /// A processing instruction, which is passed over unless it should stand elsewhere.
    fn instruction(&mut self, target: Span) {
        if target.of(self.text) == "xml" {
            let detail = "an XML declaration inside the document";
            self.note(rule::xml::BLANK_BEFORE_DECLARATION, target.start, detail);
        }
    }

    /// The entry that begins here. Its URI is empty where it has none that can be used.
    pub(super) fn entry(&mut self, depth: usize, limits: &Limits) -> Result<Entry<'t>, Box<Fault>> {
        let start = self.scanner.at;
        let mut entry = Entry::default();
        let mut seen = Seen::default();
        let before = self.notes.len();
        let Token::Start { name, empty } = self.token()? else { return Err(mismatch(start)) };
        if !self.attributes.is_empty() {
            if self.bindings.bind(self.text, self.attributes, depth) {
                self.misspelt(start);
            }
            self.no_attributes(name)?;
        }
        let mut open = !empty;
        while open {
            self.scanner.skip_blank();
            let at = self.scanner.at;
            match self.token()? {
                Token::Start { name: child, empty } => {
                    self.child(at, child, empty, depth + 1, limits, &mut entry, &mut seen)?
                }
                Token::End { name: end } if end.of(self.text) == name.of(self.text) => open = false,
                Token::Text { span, plain } => {
                    if !plain {
                        self.resolved(span)?;
                    }
                    self.stray(at);
                }
                Token::Cdata { .. } => self.stray(at),
                Token::Comment => {}
                Token::Instruction { target } => self.instruction(target),
                Token::End { .. } | Token::Doctype | Token::Eof => return Err(mismatch(at)),
            }
        }
        let too_long = |note: &Note| note.rule == rule::sitemap::LOC_TOO_LONG;
        if entry.loc.is_empty() && !self.notes[before..].iter().any(too_long) {
            self.note(
                rule::sitemap::LOC_MISSING,
                start,
                "an entry without a URI, which is passed over",
            );
        }
        if seen.disorder {
            self.note(rule::sitemap::ORDER, start, "an entry whose elements are out of order");
        }
        self.bindings.unbind(depth);
        Ok(entry)
    }

    /// One child of an entry, whose start tag was just read.
    #[expect(
        clippy::too_many_arguments,
        reason = "the state of one loop, taken apart for its length"
    )]
    #[inline]
    fn child(
        &mut self,
        at: usize,
        name: Span,
        empty: bool,
        depth: usize,
        limits: &Limits,
        entry: &mut Entry<'t>,
        seen: &mut Seen,
    ) -> Result<(), Box<Fault>> {
        let scoped = declares(self.text, self.attributes);
        let misspelt = scoped && self.bindings.bind(self.text, self.attributes, depth);
        let full = name.of(self.text);
        let (mut namespace, local) = self.bindings.element(full);
        if namespace == Namespace::Unbound {
            self.unbound(split(full).0, at);
            if full == "rs:md" || full == "rs:ln" {
                namespace = Namespace::ResourceSync;
            }
        }
        if misspelt && namespace == Namespace::ResourceSync {
            self.misspelt(at);
        }
        let kind = match (namespace, local.as_bytes()) {
            (Namespace::Sitemap, b"loc") => Child::Loc,
            (Namespace::Sitemap, b"lastmod") => Child::Lastmod,
            (Namespace::Sitemap, b"changefreq") => Child::ChangeFreq,
            (Namespace::Sitemap, b"priority") => Child::Priority,
            (Namespace::ResourceSync, b"md") => Child::Metadata,
            (Namespace::ResourceSync, b"ln") => Child::Link,
            (Namespace::Foreign, _) => Child::Extension,
            _ => Child::Unknown,
        };
        let rank = match kind {
            Child::Loc => 0,
            Child::Lastmod => 1,
            Child::ChangeFreq => 2,
            Child::Priority => 3,
            Child::Unknown if namespace == Namespace::Sitemap => seen.rank,
            _ => 4,
        };
        seen.disorder |= rank < seen.rank;
        seen.rank = seen.rank.max(rank);
        match kind {
            Child::Loc => {
                self.no_attributes(name)?;
                let again = std::mem::replace(&mut seen.loc, true);
                let content = self.content(name, empty, limits, depth)?;
                if again {
                    self.note(rule::sitemap::LOC_TWICE, at, "a second loc, which is passed over");
                } else {
                    entry.loc = self.loc(content, at);
                }
            }
            Child::Lastmod => {
                self.no_attributes(name)?;
                let again = std::mem::replace(&mut seen.lastmod, true);
                let content = self.content(name, empty, limits, depth)?;
                if again {
                    self.note(
                        rule::sitemap::LASTMOD_TWICE,
                        at,
                        "a second lastmod, which is passed over",
                    );
                } else {
                    entry.lastmod = self.lastmod(&content, at);
                }
            }
            Child::ChangeFreq => {
                self.no_attributes(name)?;
                let again = std::mem::replace(&mut seen.changefreq, true);
                let content = self.content(name, empty, limits, depth)?;
                let hint = ChangeFreq::by_name(content.trim_ascii());
                match hint {
                    _ if again => {
                        self.note(rule::sitemap::CHANGEFREQ_TWICE, at, "a second changefreq")
                    }
                    None => {
                        self.note(rule::sitemap::CHANGEFREQ, at, format!("changefreq {content:?}"))
                    }
                    Some(known) => {
                        entry.changefreq = hint;
                        if known.name() != content.trim_ascii() {
                            let detail = format!("changefreq {content:?}");
                            self.note(rule::sitemap::CHANGEFREQ, at, detail);
                        }
                    }
                }
            }
            Child::Priority => {
                self.no_attributes(name)?;
                let again = std::mem::replace(&mut seen.priority, true);
                let content = self.content(name, empty, limits, depth)?;
                let priority = Priority::parse(content.trim_ascii());
                match priority {
                    _ if again => self.note(rule::sitemap::PRIORITY_TWICE, at, "a second priority"),
                    None => self.note(rule::sitemap::PRIORITY, at, format!("priority {content:?}")),
                    Some(_) => entry.priority = priority,
                }
            }
            Child::Metadata => {
                if std::mem::replace(&mut seen.metadata, true) {
                    self.references()?;
                    self.note(
                        rule::resourcesync::ENTRY_MD_TWICE,
                        at,
                        "a second rs:md, which is passed over",
                    );
                } else {
                    self.metadata(true, &mut entry.metadata)?;
                }
                self.leave_empty(name, empty, limits, depth)?;
            }
            Child::Link => {
                entry.links.extend(self.link(at)?);
                self.leave_empty(name, empty, limits, depth)?;
            }
            Child::Extension => {
                entry.extensions.extend(self.extension(at, name, empty, limits, depth)?)
            }
            Child::Unknown => {
                self.references()?;
                self.unknown(namespace, full, at);
                self.leave(name, empty, limits, depth)?;
            }
        }
        if scoped {
            self.bindings.unbind(depth);
        }
        Ok(())
    }

    /// Sees to it that the last start tag is XML, whatever its attributes say.
    pub(super) fn references(&mut self) -> Result<(), Box<Fault>> {
        for place in 0..self.attributes.len() {
            self.value(self.attributes[place])?;
        }
        Ok(())
    }

    /// Notes an element that no specification puts here.
    pub(super) fn unknown(&mut self, namespace: Namespace, name: &str, at: usize) {
        let rule = match namespace {
            Namespace::ResourceSync => rule::resourcesync::ELEMENT,
            _ => rule::sitemap::ELEMENT,
        };
        if namespace != Namespace::Unbound {
            self.note(rule, at, format!("an element {name}, which is passed over"));
        }
    }

    pub(super) fn misspelt(&mut self, at: usize) {
        self.note(rule::resourcesync::NAMESPACE, at, "the ResourceSync namespace is misspelt");
    }

    pub(super) fn stray(&mut self, at: usize) {
        self.note(rule::sitemap::TEXT, at, "text between the elements");
    }

    /// Notes attributes on an element of the Sitemap protocol, which has none.
    fn no_attributes(&mut self, name: Span) -> Result<(), Box<Fault>> {
        for place in 0..self.attributes.len() {
            // What it says does not matter, but it has to be XML.
            self.value(self.attributes[place])?;
            let attribute = self.attributes[place].name.of(self.text);
            let at = self.attributes[place].name.start;
            if declared_prefix(attribute).is_some() {
                continue;
            }
            match self.bindings.attribute(attribute).0 {
                Namespace::Foreign => {}
                Namespace::Unbound => self.unbound(split(attribute).0, at),
                _ => {
                    let detail = format!("an attribute {attribute} on {}", name.of(self.text));
                    self.note(rule::sitemap::ATTRIBUTE, at, detail);
                }
            }
        }
        Ok(())
    }
}

pub(super) fn mismatch(at: usize) -> Box<Fault> {
    Box::new(Fault {
        rule: rule::xml::MALFORMED,
        detail: "an end tag that does not match its start tag".into(),
        at,
    })
}

pub(super) fn too_deep(at: usize) -> Box<Fault> {
    Box::new(Fault {
        rule: rule::limit::DEPTH,
        detail: "elements nested deeper than the limit".into(),
        at,
    })
}
