//! From elements to the model.

use std::borrow::Cow;

use super::Limits;
use super::attributes::trimmed;
use crate::uri::{self, UriFault};
use crate::xml::escape;
use crate::xml::namespace::{Bindings, Namespace, declared_prefix, declares, split};
use crate::xml::scan::{Fault, RawAttribute, Scanner, Span, Stop, Token};
use crate::{ChangeFreq, Entry, Moment, Priority, Rule, rule};

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
            self.bindings.wild_resourcesync = false;
            self.bindings.bind(self.text, self.attributes, depth);
            if self.bindings.wild_resourcesync {
                self.misspelt(start);
            }
            self.no_attributes(name)?;
        }
        if empty {
            self.note(
                rule::sitemap::LOC_MISSING,
                start,
                "an entry without a URI, which is passed over",
            );
            self.bindings.unbind(depth);
            return Ok(entry);
        }
        loop {
            self.scanner.skip_blank();
            let at = self.scanner.at;
            match self.token()? {
                Token::Start { name: child, empty } => {
                    self.child(at, child, empty, depth + 1, limits, &mut entry, &mut seen)?
                }
                Token::End { name: end } if end.of(self.text) == name.of(self.text) => break,
                Token::Text { span, plain } => {
                    if !plain {
                        self.resolved(span)?;
                    }
                    self.stray(at);
                }
                Token::Cdata { .. } => self.stray(at),
                Token::Comment => {}
                Token::Instruction { target } => self.instruction(target),
                Token::End { .. } | Token::Doctype | Token::End0 => return Err(mismatch(at)),
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
        if scoped {
            self.bindings.wild_resourcesync = false;
            self.bindings.bind(self.text, self.attributes, depth);
        }
        let full = name.of(self.text);
        let (mut namespace, local) = self.bindings.element(full);
        if namespace == Namespace::Unbound {
            self.unbound(split(full).0, at);
            if full == "rs:md" || full == "rs:ln" {
                namespace = Namespace::ResourceSync;
            }
        }
        if scoped && self.bindings.wild_resourcesync && namespace == Namespace::ResourceSync {
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
                    self.note(
                        rule::resourcesync::ENTRY_MD_TWICE,
                        at,
                        "a second rs:md, which is passed over",
                    );
                } else {
                    self.metadata(true, &mut entry.metadata)?;
                }
                self.leave(name, empty, limits, depth)?;
            }
            Child::Link => {
                entry.links.extend(self.link(at)?);
                self.leave(name, empty, limits, depth)?;
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

    /// The text inside the element whose start tag was just read, and past its end tag.
    #[inline]
    fn content(
        &mut self,
        name: Span,
        empty: bool,
        limits: &Limits,
        depth: usize,
    ) -> Result<Cow<'t, str>, Box<Fault>> {
        let mut content = Cow::Borrowed("");
        if empty {
            return Ok(content);
        }
        loop {
            let at = self.scanner.at;
            let piece = match self.token()? {
                Token::Text { span, plain: true } => Cow::Borrowed(span.of(self.text)),
                Token::Text { span, plain: false } => self.resolved(span)?,
                Token::Cdata { span } => Cow::Borrowed(span.of(self.text)),
                Token::End { name: end } if end.of(self.text) == name.of(self.text) => break,
                Token::Comment => continue,
                Token::Instruction { target } => {
                    self.instruction(target);
                    continue;
                }
                Token::Start { name: inner, empty } => {
                    let detail =
                        format!("an element {} where only text belongs", inner.of(self.text));
                    self.note(rule::sitemap::ELEMENT, at, detail);
                    self.leave(inner, empty, limits, depth + 1)?;
                    continue;
                }
                Token::End { .. } | Token::Doctype | Token::End0 => return Err(mismatch(at)),
            };
            if content.is_empty() {
                content = piece;
            } else {
                content.to_mut().push_str(&piece);
            }
        }
        Ok(content)
    }

    fn resolved(&mut self, span: Span) -> Result<Cow<'t, str>, Box<Fault>> {
        let mut bare = false;
        let text = escape::resolve(span.of(self.text), span.start, false, &mut bare)?;
        if bare {
            self.note(rule::xml::AMPERSAND, span.start, "an ampersand that is not escaped");
        }
        Ok(text)
    }

    fn loc(&mut self, content: Cow<'t, str>, at: usize) -> Cow<'t, str> {
        let length = content.len();
        let loc = trimmed(content);
        if loc.len() < length && !loc.is_empty() {
            self.note(rule::sitemap::LOC_BLANK, at, "white space around the URI");
        }
        if loc.len() > LONGEST_LOC {
            self.note(rule::sitemap::LOC_TOO_LONG, at, format!("a URI of {} bytes", loc.len()));
            return Cow::Borrowed("");
        }
        if loc.len() >= LONG_LOC {
            self.note(rule::sitemap::LOC_LONG, at, format!("a URI of {} bytes", loc.len()));
        }
        let rule = match uri::check(&loc) {
            Ok(()) => return loc,
            Err(_) if loc.is_empty() => return loc,
            Err(UriFault::Relative) => rule::sitemap::LOC_RELATIVE,
            Err(UriFault::Character) => rule::sitemap::LOC_CHARACTER,
            Err(UriFault::NotAscii) => rule::sitemap::LOC_IRI,
        };
        let shown: String = loc.chars().take(120).collect();
        self.note(rule, at, format!("loc {shown:?}"));
        loc
    }

    fn lastmod(&mut self, content: &str, at: usize) -> Option<Moment> {
        if let Ok(moment) = Moment::parse(content) {
            return Some(moment);
        }
        if content.trim_ascii().is_empty() {
            self.note(rule::sitemap::LASTMOD_EMPTY, at, "an empty lastmod");
            return None;
        }
        // Blanks around an element's text do not change its meaning.
        match Moment::parse(content.trim_ascii()) {
            Ok(moment) => Some(moment),
            Err(_) => {
                let rules = (rule::sitemap::LASTMOD, rule::sitemap::LASTMOD_FORM);
                self.wild_time("lastmod", content.trim_ascii(), at, rules)
            }
        }
    }

    /// Past the end tag of the element whose start tag was just read; what is inside is not looked
    /// at, only kept to the limit of depth.
    pub(super) fn leave(
        &mut self,
        name: Span,
        empty: bool,
        limits: &Limits,
        depth: usize,
    ) -> Result<(), Box<Fault>> {
        if empty {
            return Ok(());
        }
        let mut open = vec![name];
        while let Some(innermost) = open.last() {
            let at = self.scanner.at;
            match self.token()? {
                Token::Start { empty: true, .. } => self.references()?,
                Token::Start { name, empty: false } => {
                    self.references()?;
                    open.push(name);
                    if open.len() + depth > limits.depth + 1 {
                        return Err(too_deep(at));
                    }
                }
                Token::End { name } if name.of(self.text) == innermost.of(self.text) => {
                    open.pop();
                }
                Token::End { .. } | Token::Doctype | Token::End0 => return Err(mismatch(at)),
                Token::Text { span, plain: false } => {
                    self.resolved(span)?;
                }
                Token::Instruction { target } => self.instruction(target),
                Token::Text { .. } | Token::Cdata { .. } | Token::Comment => {}
            }
        }
        Ok(())
    }

    /// The foreign element whose start tag was just read, as its XML: with what it needs of
    /// namespaces declared on it, unless that is bound on the root element.
    pub(super) fn extension(
        &mut self,
        start: usize,
        name: Span,
        empty: bool,
        limits: &Limits,
        depth: usize,
    ) -> Result<Option<Cow<'t, str>>, Box<Fault>> {
        let mut needed: Vec<(String, String)> = Vec::new();
        let mut usable = true;
        let mut open: Vec<Span> = Vec::new();
        let mut next = Some((name, empty));
        loop {
            if let Some((name, empty)) = next.take() {
                // The first tag's own declarations are bound already.
                if !open.is_empty() {
                    self.bindings.bind(self.text, self.attributes, depth + open.len());
                }
                usable &= self.needs(name, depth, &mut needed)?;
                open.push(name);
                if open.len() + depth > limits.depth + 1 {
                    return Err(too_deep(self.scanner.at));
                }
                if empty {
                    open.pop();
                    self.bindings.unbind(depth + open.len().max(1));
                }
            }
            let Some(innermost) = open.last() else { break };
            let at = self.scanner.at;
            match self.token()? {
                Token::Start { name, empty } => next = Some((name, empty)),
                Token::End { name } if name.of(self.text) == innermost.of(self.text) => {
                    open.pop();
                    self.bindings.unbind(depth + open.len().max(1));
                }
                Token::End { .. } | Token::Doctype | Token::End0 => return Err(mismatch(at)),
                Token::Text { span, plain: false } => {
                    let before = self.notes.len();
                    self.resolved(span)?;
                    usable &= self.notes.len() == before;
                }
                Token::Instruction { target } => self.instruction(target),
                Token::Text { .. } | Token::Cdata { .. } | Token::Comment => {}
            }
        }
        if !usable {
            return Ok(None);
        }
        let raw = &self.text[start..self.scanner.at];
        if needed.is_empty() {
            return Ok(Some(Cow::Borrowed(raw)));
        }
        let mut out = raw.as_bytes()[..name.end - start].to_vec();
        for (prefix, uri) in needed {
            let attribute =
                if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
            out.extend_from_slice(format!(" {attribute}=\"").as_bytes());
            if !escape::write(&mut out, &uri, true) {
                return Ok(None);
            }
            out.push(b'"');
        }
        out.extend_from_slice(&raw.as_bytes()[name.end - start..]);
        Ok(String::from_utf8(out).ok().map(Cow::Owned))
    }

    /// Collects the prefixes of a tag inside an extension that are bound outside of it, but not
    /// where a writer would bind them again. False if it cannot stand alone.
    fn needs(
        &mut self,
        name: Span,
        depth: usize,
        needed: &mut Vec<(String, String)>,
    ) -> Result<bool, Box<Fault>> {
        let mut usable = true;
        for place in 0..=self.attributes.len() {
            let (prefix, at) = match place.checked_sub(1).map(|place| self.attributes[place]) {
                None => (split(name.of(self.text)).0, name.start),
                Some(attribute) => {
                    if !attribute.plain {
                        let before = self.notes.len();
                        self.value(attribute)?;
                        usable &= self.notes.len() == before;
                    }
                    let name = attribute.name.of(self.text);
                    if declared_prefix(name).is_some() || !name.contains(':') {
                        continue;
                    }
                    (split(name).0, attribute.name.start)
                }
            };
            if self.bindings.is_of_root(prefix) {
                continue;
            }
            match self.bindings.origin(prefix) {
                Some((_, bound)) if bound >= depth => {}
                Some((uri, _)) => {
                    let pair = (prefix.to_owned(), uri.to_owned());
                    if !needed.contains(&pair) {
                        needed.push(pair);
                    }
                }
                None if prefix.is_empty() => {}
                None => {
                    self.unbound(prefix, at);
                    usable = false;
                }
            }
        }
        Ok(usable)
    }
}

fn mismatch(at: usize) -> Box<Fault> {
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
