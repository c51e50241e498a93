//! Elements that are passed over, and elements of other namespaces, which are kept as they are.

use std::borrow::Cow;

use super::{Context, mismatch, too_deep};
use crate::read::Limits;
use crate::rule;
use crate::xml::escape;
use crate::xml::namespace::{SITEMAP, declared_prefix, split};
use crate::xml::scan::{Fault, Span, Token};

impl<'t> Context<'_, 't> {
    /// Past the end tag of an element that has nothing inside, by its specification.
    pub(in crate::read) fn leave_empty(
        &mut self,
        name: Span,
        empty: bool,
        limits: &Limits,
        depth: usize,
    ) -> Result<(), Box<Fault>> {
        let at = self.scanner.at;
        if self.leave(name, empty, limits, depth)? {
            let detail = format!("something inside {}, which is passed over", name.of(self.text));
            self.note(rule::resourcesync::ELEMENT, at, detail);
        }
        Ok(())
    }

    /// Past the end tag of the element whose start tag was just read; what is inside is not looked
    /// at, only kept to the limit of depth. True if there is anything.
    pub(in crate::read) fn leave(
        &mut self,
        name: Span,
        empty: bool,
        limits: &Limits,
        depth: usize,
    ) -> Result<bool, Box<Fault>> {
        if empty {
            return Ok(false);
        }
        let mut anything = false;
        let mut open = vec![name];
        while let Some(innermost) = open.last() {
            let at = self.scanner.at;
            match self.token()? {
                Token::Start { name, empty } => {
                    anything = true;
                    self.references()?;
                    if !empty {
                        open.push(name);
                    }
                    if open.len() + depth > limits.depth + 1 {
                        return Err(too_deep(at));
                    }
                }
                Token::End { name } if name.of(self.text) == innermost.of(self.text) => {
                    open.pop();
                }
                Token::End { .. } | Token::Doctype | Token::Eof => return Err(mismatch(at)),
                Token::Text { span, plain } => {
                    anything |= !span.of(self.text).trim_ascii().is_empty();
                    if !plain {
                        self.resolved(span)?;
                    }
                }
                Token::Cdata { .. } => anything = true,
                Token::Instruction { target } => self.instruction(target),
                Token::Comment => {}
            }
        }
        Ok(anything)
    }

    /// The foreign element whose start tag was just read, as its XML: with what it needs of
    /// namespaces declared on it, unless that is bound on the root element.
    pub(in crate::read) fn extension(
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
                Token::End { .. } | Token::Doctype | Token::Eof => return Err(mismatch(at)),
                Token::Text { span, plain: false } => {
                    let before = self.notes.len();
                    self.resolved(span)?;
                    usable &= self.notes.len() == before;
                }
                Token::Instruction { target } => {
                    let before = self.notes.len();
                    self.instruction(target);
                    usable &= self.notes.len() == before;
                }
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
    pub(super) fn needs(
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
            let uri = match self.bindings.origin(prefix) {
                Some((_, bound)) if bound >= depth => continue,
                // Without a prefix it would be of the namespace that a writer gives to the root.
                Some((SITEMAP, 1)) if prefix.is_empty() => continue,
                Some((uri, _)) => uri,
                None if prefix.is_empty() => "",
                None => {
                    self.unbound(prefix, at);
                    usable = false;
                    continue;
                }
            };
            let pair = (prefix.to_owned(), uri.to_owned());
            if !needed.contains(&pair) {
                needed.push(pair);
            }
        }
        Ok(usable)
    }
}
