//! The text of an entry's own elements.

use std::borrow::Cow;

use super::{Context, LONG_LOC, LONGEST_LOC, mismatch};
use crate::read::Limits;
use crate::read::attributes::trimmed;
use crate::uri::{self, UriFault};
use crate::xml::escape;
use crate::xml::scan::{Fault, Span, Token};
use crate::{Moment, rule};

impl<'t> Context<'_, 't> {
    /// The text inside the element whose start tag was just read, and past its end tag.
    #[inline]
    pub(super) fn content(
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
                    self.references()?;
                    self.leave(inner, empty, limits, depth + 1)?;
                    continue;
                }
                Token::End { .. } | Token::Doctype | Token::Eof => return Err(mismatch(at)),
            };
            if content.is_empty() {
                content = piece;
            } else {
                content.to_mut().push_str(&piece);
            }
        }
        Ok(content)
    }

    pub(super) fn resolved(&mut self, span: Span) -> Result<Cow<'t, str>, Box<Fault>> {
        let mut bare = false;
        let text = escape::resolve(span.of(self.text), span.start, false, &mut bare)?;
        if bare {
            self.note(rule::xml::AMPERSAND, span.start, "an ampersand that is not escaped");
        }
        Ok(text)
    }

    pub(super) fn loc(&mut self, content: Cow<'t, str>, at: usize) -> Cow<'t, str> {
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

    pub(super) fn lastmod(&mut self, content: &str, at: usize) -> Option<Moment> {
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
}
