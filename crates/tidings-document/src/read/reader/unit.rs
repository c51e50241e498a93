//! The elements under the root: entries, and what stands beside them.

use std::io::Read;

use super::{Reader, State, commit, scanner};
use crate::read::element::{Context, too_deep};
use crate::read::{Limits, ReadError};
use crate::xml::escape;
use crate::xml::namespace::{Namespace, SITEMAP, declared_prefix, split};
use crate::xml::scan::{Fault, RawAttribute, Span, Stop, Token, is_blank};
use crate::{Head, Metadata, rule};

/// What stands next under the root element.
pub(super) enum Unit {
    Entry(Span),
    End,
}

impl<R: Read> Reader<R> {
    /// Goes on to the next entry that has a URI, which is then whole in the window, or to the end.
    pub(super) fn next_unit(&mut self) -> Result<Unit, ReadError> {
        // A root element without content was closed as it was opened.
        if self.closed {
            return self.read_epilog();
        }
        loop {
            if let Some(span) = self.plain_entry() {
                return Ok(Unit::Entry(span));
            }
            self.skip_blanks()?;
            let (start, token) = self.token()?;
            match token {
                Token::Text { span, plain } => {
                    let text = span.of(&self.window.text);
                    if let Some(junk) = text.bytes().position(|byte| !is_blank(byte)) {
                        if !plain {
                            let mut bare = false;
                            escape::resolve(text, start, false, &mut bare)
                                .map_err(|fault| self.fault(fault))?;
                            if bare {
                                let detail = "an ampersand that is not escaped";
                                self.note(rule::xml::AMPERSAND, start, detail);
                            }
                        }
                        self.note(rule::sitemap::TEXT, start + junk, "text between the elements");
                    }
                }
                Token::Cdata { .. } => {
                    self.note(rule::sitemap::TEXT, start, "text between the elements")
                }
                Token::Instruction { target } if target.of(&self.window.text) == "xml" => {
                    self.note(
                        rule::xml::BLANK_BEFORE_DECLARATION,
                        start,
                        "an XML declaration inside the document",
                    );
                }
                Token::Comment | Token::Instruction { .. } => {}
                Token::End { name } if *name.of(&self.window.text) == *self.root => {
                    if self.nested == 0 {
                        return self.read_epilog();
                    }
                    self.nested -= 1;
                }
                Token::End { name } => {
                    let detail =
                        format!("</{}> where </{}> belongs", name.of(&self.window.text), self.root);
                    return Err(self.fault(Fault {
                        rule: rule::xml::MALFORMED,
                        detail,
                        at: start,
                    }));
                }
                Token::Doctype => {
                    let detail = "a document type declaration inside an element".into();
                    return Err(self.fault(Fault { rule: rule::xml::DOCTYPE, detail, at: start }));
                }
                Token::Eof => {
                    let detail = format!("the document ends before </{}>", self.root);
                    return Err(self.fault(Fault {
                        rule: rule::xml::TRUNCATED,
                        detail,
                        at: start,
                    }));
                }
                Token::Start { name, empty } if self.is_root_again(name) => {
                    self.nested += usize::from(!empty);
                    self.references().map_err(|fault| self.fault(fault))?;
                    // Its prefixes stay bound: what follows may need them.
                    if !empty {
                        self.bindings.bind_again(&self.window.text, &self.attributes);
                    }
                    self.note(
                        rule::sitemap::ROOT_NESTED,
                        start,
                        "the root element again, inside itself",
                    );
                    if self.nested + 1 > self.options.limits.depth {
                        return Err(self.fault(too_deep(start)));
                    }
                }
                Token::Start { name, empty } => {
                    let length = name.end - name.start;
                    let start = if empty { start } else { self.whole_element(start, length)? };
                    let end = self.at;
                    if end - start > self.options.limits.entry {
                        let detail = "an entry longer than the limit".into();
                        return Err(self.fault(Fault {
                            rule: rule::limit::ENTRY,
                            detail,
                            at: start,
                        }));
                    }
                    if self.read_unit(Span { start, end })? {
                        return Ok(Unit::Entry(Span { start, end }));
                    }
                }
            }
        }
    }

    /// Past white space, however much of it there is.
    fn skip_blanks(&mut self) -> Result<(), ReadError> {
        loop {
            let bytes = self.window.text.as_bytes();
            while self.at < bytes.len() && is_blank(bytes[self.at]) {
                self.at += 1;
            }
            if self.at < bytes.len() || self.window.whole {
                return Ok(());
            }
            self.window.fill(self.at)?;
            self.at = 0;
        }
    }

    /// Sees to it that the last start tag is XML, whatever its attributes say.
    fn references(&self) -> Result<(), Box<Fault>> {
        for attribute in self.attributes.iter().filter(|attribute| !attribute.plain) {
            let (value, at) = (attribute.value.of(&self.window.text), attribute.value.start);
            escape::resolve(value, at, true, &mut false)?;
        }
        Ok(())
    }

    /// True if the start tag just read is the root element's again; one of that name may also be
    /// of another namespace.
    pub(super) fn is_root_again(&self, name: Span) -> bool {
        let text = &self.window.text;
        let (prefix, _) = split(&self.root);
        let declares =
            |attribute: &&RawAttribute| declared_prefix(attribute.name.of(text)) == Some(prefix);
        *name.of(text) == *self.root
            && self.attributes.iter().filter(declares).all(|attribute| {
                let uri = attribute.value.of(text);
                uri == SITEMAP || self.bindings.uri(prefix) == Some(uri)
            })
    }

    /// The usual entry, if that is what comes next and is whole: a tag without attributes, a `loc`
    /// first, and nothing in it that needs a second look. Sees to it that most entries are scanned
    /// once only.
    #[inline]
    pub(super) fn plain_entry(&mut self) -> Option<Span> {
        let bytes = self.window.text.as_bytes();
        let mut at = self.at;
        while at < bytes.len() && is_blank(bytes[at]) {
            at += 1;
        }
        if self.state != State::Entries || self.root != self.head.form.root() {
            return None;
        }
        let entry = self.head.form.entry().as_bytes();
        let opening = entry.len() + 2;
        let rest = &bytes[at..];
        if rest.len() < opening
            || rest[0] != b'<'
            || &rest[1..=entry.len()] != entry
            || rest[opening - 1] != b'>'
        {
            return None;
        }
        let mut loc = opening;
        while loc < rest.len() && is_blank(rest[loc]) {
            loc += 1;
        }
        let first = rest[loc..].strip_prefix(b"<loc>")?.first()?;
        if is_blank(*first) || *first == b'<' || *first == b'&' {
            return None;
        }
        let length = self.finders.extent(rest)?;
        // Beyond that length there might be a URI too long to keep.
        (length <= self.options.limits.entry.min(8 << 10))
            .then_some(Span { start: at, end: at + length })
    }

    /// Sees to it that the element whose start tag begins at `start`, with a name of that length, is
    /// whole in the window. Answers where it begins then; `self.at` is where it ends.
    pub(super) fn whole_element(&mut self, start: usize, name: usize) -> Result<usize, ReadError> {
        let mut start = start;
        loop {
            let mut scanner =
                scanner(&self.window.text, start, self.window.whole, &self.options.limits);
            let mut depth = 0_usize;
            let stop = loop {
                match scanner.next(&mut self.attributes) {
                    Ok(Token::Start { empty: false, .. }) => depth += 1,
                    Ok(Token::End { .. }) => {
                        depth -= 1;
                        if depth == 0 {
                            self.at = scanner.at;
                            return Ok(start);
                        }
                    }
                    Ok(Token::Eof) => break Stop::More(scanner.at),
                    Ok(Token::Doctype) => {
                        let detail = "a document type declaration inside an element".into();
                        let fault = Fault { rule: rule::xml::DOCTYPE, detail, at: scanner.at };
                        break Stop::Fault(Box::new(fault));
                    }
                    Ok(_) => {}
                    Err(stop) => break stop,
                }
                if depth + 1 > self.options.limits.depth {
                    return Err(self.fault(too_deep(scanner.at)));
                }
            };
            match stop {
                Stop::Fault(fault) => return Err(self.fault(fault)),
                Stop::More(at) if self.window.whole => {
                    let element = &self.window.text[start + 1..start + 1 + name];
                    let detail = format!("the document ends before </{element}>");
                    return Err(self.fault(Fault { rule: rule::xml::TRUNCATED, detail, at }));
                }
                Stop::More(_) if self.window.text.len() - start > self.options.limits.entry => {
                    let detail = "an entry longer than the limit".into();
                    return Err(self.fault(Fault { rule: rule::limit::ENTRY, detail, at: start }));
                }
                Stop::More(_) => {
                    self.window.fill(start)?;
                    start = 0;
                }
            }
        }
    }

    /// Takes one whole element under the root: true if it is an entry that has a URI, which is left
    /// to be read once more by the caller.
    pub(super) fn read_unit(&mut self, span: Span) -> Result<bool, ReadError> {
        let late = self.entries > 0;
        if !late {
            self.mark(span);
        }
        let (head, limits) = (&mut self.head, &self.options.limits);
        let mut context = Context::new(
            &self.window.text,
            span,
            &mut self.bindings,
            &mut self.attributes,
            &mut self.notes,
            limits,
        );
        let result = read_unit(&mut context, head, limits, late, &mut self.has_metadata);
        let entry = late.then_some(self.entries);
        match result {
            Ok(Kind::Entry { usable: true }) => {
                self.notes.clear();
                Ok(true)
            }
            Ok(kind) => {
                let mut entry = entry;
                if let Kind::Entry { .. } = kind {
                    self.entries += 1;
                    self.last = span;
                    self.within(span).map_err(|fault| self.fault(fault))?;
                    entry = Some(self.entries);
                } else if !late {
                    self.head_bytes += span.end - span.start;
                }
                commit(&mut self.notes, &mut self.noted, &mut self.findings, &self.window, entry);
                if self.head_bytes > self.options.limits.head {
                    let detail = "more before the first entry than the limit".into();
                    let at = span.start;
                    return Err(self.fault(Fault { rule: rule::limit::HEAD, detail, at }));
                }
                self.at = span.end;
                Ok(false)
            }
            Err(fault) => Err(self.fault(fault)),
        }
    }
}

/// What an element under the root turned out to be.
enum Kind {
    Entry { usable: bool },
    Other,
}

fn read_unit(
    context: &mut Context<'_, '_>,
    head: &mut Head<'static>,
    limits: &Limits,
    late: bool,
    has_metadata: &mut bool,
) -> Result<Kind, Box<Fault>> {
    let start = context.scanner.at;
    let Token::Start { name, empty } = context.token()? else { return Ok(Kind::Other) };
    let full = name.of(context.text);
    let misspelt = context.bindings.bind(context.text, context.attributes, 2);
    let (mut namespace, local) = context.bindings.element(full);
    if namespace == Namespace::Unbound {
        context.unbound(split(full).0, start);
        if full == "rs:md" || full == "rs:ln" {
            namespace = Namespace::ResourceSync;
        }
    }
    if misspelt && namespace == Namespace::ResourceSync {
        context.misspelt(start);
    }
    match (namespace, local) {
        (Namespace::Sitemap, local) if local == head.form.entry() => {
            context.bindings.unbind(2);
            context.scanner.at = start;
            let usable = !context.entry(2, limits)?.loc.is_empty();
            return Ok(Kind::Entry { usable });
        }
        (Namespace::Sitemap, "url" | "sitemap") => {
            let detail = format!("{local} in a {}, which is passed over", head.form.root());
            context.references()?;
            context.note(rule::sitemap::MISPLACED, start, detail);
            context.leave(name, empty, limits, 2)?;
        }
        (Namespace::Sitemap, "urlset" | "sitemapindex") => {
            let detail = format!("{local} in a {}, which is passed over", head.form.root());
            context.note(rule::sitemap::ROOT_NESTED, start, detail);
            context.leave(name, empty, limits, 2)?;
        }
        (Namespace::ResourceSync, "md") => {
            let mut metadata = Metadata::default();
            context.metadata(false, &mut metadata)?;
            if late {
                context.note(
                    rule::resourcesync::MD_LATE,
                    start,
                    "the document's rs:md after an entry, which is passed over",
                );
            } else if std::mem::replace(has_metadata, true) {
                context.note(
                    rule::resourcesync::MD_TWICE,
                    start,
                    "a second rs:md of the document, which is passed over",
                );
            } else {
                head.metadata = metadata.into_owned();
            }
            context.leave_empty(name, empty, limits, 2)?;
        }
        (Namespace::ResourceSync, "ln") => {
            let link = context.link(start)?.map(crate::Link::into_owned);
            if late {
                context.note(
                    rule::resourcesync::LN_LATE,
                    start,
                    "a link of the document after an entry, which is passed over",
                );
            } else {
                head.links.extend(link);
            }
            context.leave_empty(name, empty, limits, 2)?;
        }
        (Namespace::Foreign, _) => {
            let extension = context.extension(start, name, empty, limits, 2)?;
            if !late {
                head.extensions.extend(extension.map(|xml| xml.into_owned().into()));
            }
        }
        _ => {
            context.references()?;
            context.unknown(namespace, full, start);
            context.leave(name, empty, limits, 2)?;
        }
    }
    context.bindings.unbind(2);
    Ok(Kind::Other)
}
