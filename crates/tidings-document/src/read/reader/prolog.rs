//! What stands around the entries: the prolog, the root element's start tag, the epilog.

use std::io::Read;

use super::unit::Unit;
use super::{Finders, Reader, State, commit};
use crate::read::ReadError;
use crate::read::element::Context;
use crate::xml::namespace::{SITEMAP, split};
use crate::xml::scan::{Fault, Span, Token, is_blank};
use crate::{Form, rule};

impl<R: Read> Reader<R> {
    /// Everything up to the root element's start tag.
    pub(super) fn read_prolog(&mut self) -> Result<(), ReadError> {
        let (mut anything, mut markup) = (false, false);
        loop {
            let (start, token) = self.token()?;
            markup |= !matches!(token, Token::Text { .. } | Token::Eof);
            match token {
                Token::Text { span, .. } => {
                    let text = span.of(&self.window.text);
                    let junk = text.bytes().position(|byte| !is_blank(byte));
                    if let Some(junk) = junk {
                        let detail = format!("the document begins with {:?}", shown(&text[junk..]));
                        return Err(self.fault(Fault {
                            rule: rule::xml::NOT_XML,
                            detail,
                            at: start + junk,
                        }));
                    }
                }
                Token::Instruction { target } if target.of(&self.window.text) == "xml" => {
                    if anything {
                        self.note(
                            rule::xml::BLANK_BEFORE_DECLARATION,
                            start,
                            "the XML declaration is not at the very beginning",
                        );
                    }
                }
                Token::Instruction { .. } | Token::Comment => {}
                Token::Doctype => {
                    let rest = self.window.text[start + 9..].trim_start();
                    let html = rest.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("html"));
                    let (rule, detail) = match html {
                        true => (rule::xml::HTML, "an HTML page where a document was expected"),
                        false => (rule::xml::DOCTYPE, "a document type declaration"),
                    };
                    return Err(self.fault(Fault { rule, detail: detail.into(), at: start }));
                }
                Token::Start { name, empty } => return self.read_root(start, name, empty),
                Token::Cdata { .. } | Token::End { .. } => {
                    let detail =
                        "the document begins with neither a declaration nor a root element".into();
                    return Err(self.fault(Fault {
                        rule: rule::xml::MALFORMED,
                        detail,
                        at: start,
                    }));
                }
                Token::Eof => {
                    let rule = if markup { rule::xml::TRUNCATED } else { rule::xml::EMPTY };
                    let detail = "the document has no root element".into();
                    return Err(self.fault(Fault { rule, detail, at: start }));
                }
            }
            anything = true;
        }
    }

    pub(super) fn read_root(
        &mut self,
        start: usize,
        name: Span,
        empty: bool,
    ) -> Result<(), ReadError> {
        let name = name.of(&self.window.text).to_owned();
        let misspelt = self.bindings.bind(&self.window.text, &self.attributes, 1);
        let (prefix, local) = split(&name);
        self.head.form = match local {
            "urlset" => Form::List,
            "sitemapindex" => Form::Index,
            _ => {
                let html = local.eq_ignore_ascii_case("html");
                let rule = if html { rule::xml::HTML } else { rule::sitemap::ROOT };
                let detail = match local.to_ascii_lowercase().as_str() {
                    "html" => "an HTML page where a document was expected".into(),
                    "rss" | "feed" | "rdf" => format!("the root element is {name}: this is a feed"),
                    _ => format!("the root element is {}", shown(&name)),
                };
                return Err(self.fault(Fault { rule, detail, at: start }));
            }
        };
        self.finders = Finders::new(self.head.form);
        if self.bindings.uri(prefix) != Some(SITEMAP) {
            let detail = match self.bindings.uri(prefix) {
                None | Some("") => "the root element has no namespace".into(),
                Some(uri) => format!("the root element is in the namespace {:?}", shown(uri)),
            };
            self.note(rule::sitemap::NAMESPACE, start, detail);
            self.bindings.adopt_root(prefix);
        }
        if misspelt {
            self.note(
                rule::resourcesync::NAMESPACE,
                start,
                "the ResourceSync namespace is misspelt",
            );
        }
        let (head, limits) = (&mut self.head, &self.options.limits);
        let mut context = Context::new(
            &self.window.text,
            Span { start: self.at, end: self.at },
            &mut self.bindings,
            &mut self.attributes,
            &mut self.notes,
            limits,
        );
        let mut kept = Ok(());
        for place in 0..context.attributes.len() {
            let attribute = context.attributes[place];
            match context.foreign(attribute) {
                Ok(attribute) => {
                    head.attributes.extend(attribute.map(crate::Attribute::into_owned))
                }
                Err(fault) => kept = Err(fault),
            }
        }
        kept.map_err(|fault| self.fault(fault))?;
        for note in &mut self.notes {
            if note.rule == rule::resourcesync::ATTRIBUTE {
                note.rule = rule::sitemap::ATTRIBUTE;
            }
        }
        commit(&mut self.notes, &mut self.noted, &mut self.findings, &self.window, None);
        self.mark(Span { start, end: self.at });
        self.root = name;
        self.closed = empty;
        Ok(())
    }

    /// What follows the root element: nothing that matters.
    pub(super) fn read_epilog(&mut self) -> Result<Unit, ReadError> {
        loop {
            let (start, token) = match self.token() {
                // A tag that breaks off after the root is as little wanted as one that does not.
                Err(ReadError::Document(mut finding)) if finding.rule == rule::xml::TRUNCATED => {
                    finding.rule = rule::xml::AFTER_ROOT;
                    return Err(ReadError::Document(finding));
                }
                result => result?,
            };
            let blank = match token {
                Token::Text { span, .. } => span.of(&self.window.text).bytes().all(is_blank),
                Token::Instruction { target } => target.of(&self.window.text) != "xml",
                Token::Comment => true,
                Token::Eof => {
                    self.state = State::Ended;
                    return Ok(Unit::End);
                }
                _ => false,
            };
            if !blank {
                let detail = "something follows the root element".into();
                return Err(self.fault(Fault { rule: rule::xml::AFTER_ROOT, detail, at: start }));
            }
        }
    }
}

fn shown(text: &str) -> String {
    text.trim().chars().take(40).collect()
}
