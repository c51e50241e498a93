//! The scanner: one token at a time over text that may not all be there yet.

use memchr::{memchr, memchr3, memmem};

use crate::{Rule, rule};

/// A piece of the scanned text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }
}

/// An attribute of the last start tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawAttribute {
    pub(crate) name: Span,
    pub(crate) value: Span,
    /// No references and no white space but blanks: the value is what stands there.
    pub(crate) plain: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Token {
    Start {
        name: Span,
        empty: bool,
    },
    End {
        name: Span,
    },
    /// Character data; `plain` if it holds no reference.
    Text {
        span: Span,
        plain: bool,
    },
    Cdata {
        span: Span,
    },
    Comment,
    /// A processing instruction or the XML declaration.
    Instruction {
        target: Span,
    },
    Doctype,
    /// All input is used up.
    Eof,
}

/// Why the scanner stops.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The text ends inside a token that began at this offset; there may be more to come.
    More(usize),
    /// The text is not XML.
    Fault(Box<Fault>),
}

/// What makes it impossible to read on, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) rule: &'static Rule,
    pub(crate) detail: String,
    pub(crate) at: usize,
}

#[cold]
fn fault<T>(rule: &'static Rule, at: usize, detail: &str) -> Result<T, Stop> {
    Err(Stop::Fault(Box::new(Fault { rule, detail: detail.into(), at })))
}

/// Reads tokens from `text`, from `at` on.
pub(crate) struct Scanner<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
    /// True where nothing follows the text.
    pub(crate) whole: bool,
    pub(crate) most_attributes: usize,
    /// How long a token may be.
    pub(crate) most_bytes: usize,
}

const NAME: u8 = 1;
const NAME_START: u8 = 2;
const BLANK: u8 = 4;

/// What a byte may be part of. Bytes beyond ASCII count as name characters: telling the few that
/// are not (`×`, `÷`) apart is left to stricter tools.
const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        if c.is_ascii_alphabetic() || c == b'_' || c == b':' || c >= 0x80 {
            table[byte] = NAME | NAME_START;
        } else if c.is_ascii_digit() || c == b'-' || c == b'.' {
            table[byte] = NAME;
        } else if c == b' ' || c == b'\t' || c == b'\n' || c == b'\r' {
            table[byte] = BLANK;
        }
        byte += 1;
    }
    table
};

pub(crate) fn is_blank(byte: u8) -> bool {
    CLASS[usize::from(byte)] & BLANK != 0
}

impl<'t> Scanner<'t> {
    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    /// Past any white space.
    pub(crate) fn skip_blank(&mut self) {
        let bytes = self.bytes();
        while self.at < bytes.len() && is_blank(bytes[self.at]) {
            self.at += 1;
        }
    }

    /// The next token; the attributes of a start tag go into `attributes`. On [`Stop::More`] the
    /// scanner stands where it stood, so that it can begin the token again.
    pub(crate) fn next(&mut self, attributes: &mut Vec<RawAttribute>) -> Result<Token, Stop> {
        let start = self.at;
        let result = self.token(start, attributes);
        let end = match &result {
            Ok(_) => self.at,
            Err(Stop::More(_)) => self.text.len(),
            Err(Stop::Fault(_)) => start,
        };
        if end - start > self.most_bytes {
            return fault(
                rule::limit::TOKEN,
                start,
                "a tag, text, comment or section longer than the limit",
            );
        }
        result
    }

    #[inline]
    fn token(&mut self, start: usize, attributes: &mut Vec<RawAttribute>) -> Result<Token, Stop> {
        let bytes = self.bytes();
        match bytes.get(start) {
            None if self.whole => Ok(Token::Eof),
            None => Err(Stop::More(start)),
            Some(b'<') => match bytes.get(start + 1) {
                None => self.more(start),
                Some(b'/') => self.end_tag(start),
                Some(b'!') => self.declaration(start),
                Some(b'?') => self.instruction(start),
                Some(_) => self.start_tag(start, attributes),
            },
            Some(_) => self.character_data(start),
        }
    }

    fn more<T>(&self, start: usize) -> Result<T, Stop> {
        if self.whole {
            return fault(
                rule::xml::TRUNCATED,
                start,
                "the document ends inside a tag, comment or section",
            );
        }
        Err(Stop::More(start))
    }

    /// The end of the name that begins at `from`, or none if the text ends first.
    #[inline]
    fn name_end(&self, from: usize) -> Option<usize> {
        let rest = &self.bytes()[from..];
        rest.iter()
            .position(|byte| CLASS[usize::from(*byte)] & NAME == 0)
            .map(|length| from + length)
    }

    #[inline]
    fn start_tag(
        &mut self,
        start: usize,
        attributes: &mut Vec<RawAttribute>,
    ) -> Result<Token, Stop> {
        attributes.clear();
        let bytes = self.bytes();
        if CLASS[usize::from(bytes[start + 1])] & NAME_START == 0 {
            return fault(
                rule::xml::MALFORMED,
                start,
                "a < that begins no tag; in text it is written &lt;",
            );
        }
        let Some(name_end) = self.name_end(start + 1) else { return self.more(start) };
        let name = Span { start: start + 1, end: name_end };
        let mut at = name_end;
        loop {
            let before = at;
            while at < bytes.len() && is_blank(bytes[at]) {
                at += 1;
            }
            match bytes.get(at) {
                None => return self.more(start),
                Some(b'>') => {
                    self.at = at + 1;
                    return Ok(Token::Start { name, empty: false });
                }
                Some(b'/') => {
                    return match bytes.get(at + 1) {
                        None => self.more(start),
                        Some(b'>') => {
                            self.at = at + 2;
                            Ok(Token::Start { name, empty: true })
                        }
                        Some(_) => fault(
                            rule::xml::MALFORMED,
                            at,
                            "a / in a start tag that does not end it",
                        ),
                    };
                }
                Some(_) if before == at => {
                    return fault(
                        rule::xml::MALFORMED,
                        at,
                        "attributes without white space before them",
                    );
                }
                Some(_) => at = self.attribute(start, at, attributes)?,
            }
        }
    }

    #[inline]
    fn attribute(
        &self,
        tag: usize,
        at: usize,
        attributes: &mut Vec<RawAttribute>,
    ) -> Result<usize, Stop> {
        let bytes = self.bytes();
        if CLASS[usize::from(bytes[at])] & NAME_START == 0 {
            return fault(
                rule::xml::MALFORMED,
                at,
                "a character in a start tag that begins no attribute",
            );
        }
        let Some(name_end) = self.name_end(at) else { return self.more(tag) };
        let name = Span { start: at, end: name_end };
        let mut at = name_end;
        // The usual case has no white space around the equals sign.
        if bytes.get(at) != Some(&b'=') {
            while at < bytes.len() && is_blank(bytes[at]) {
                at += 1;
            }
        }
        match bytes.get(at) {
            None => return self.more(tag),
            Some(b'=') => at += 1,
            Some(_) => return fault(rule::xml::MALFORMED, at, "an attribute without a value"),
        }
        while at < bytes.len() && is_blank(bytes[at]) {
            at += 1;
        }
        let quote = match bytes.get(at) {
            None => return self.more(tag),
            Some(quote @ (b'"' | b'\'')) => *quote,
            Some(_) => {
                return fault(
                    rule::xml::MALFORMED,
                    at,
                    "an attribute whose value is not in quotes",
                );
            }
        };
        let Some(length) = memchr(quote, &bytes[at + 1..]) else { return self.more(tag) };
        let value = Span { start: at + 1, end: at + 1 + length };
        let content = &bytes[value.start..value.end];
        let special =
            crate::bytes::any(content, |byte| (byte == b'<') | (byte == b'&') | (byte < b' '));
        if special && memchr(b'<', content).is_some() {
            return fault(
                rule::xml::MALFORMED,
                value.start,
                "a < in an attribute; it is written &lt;",
            );
        }
        let same = |other: &RawAttribute| {
            bytes[other.name.start..other.name.end] == bytes[name.start..name.end]
        };
        if attributes.iter().any(same) {
            return fault(rule::xml::MALFORMED, name.start, "the same attribute twice in one tag");
        }
        if attributes.len() == self.most_attributes {
            return fault(rule::limit::ATTRIBUTES, name.start, "more attributes than the limit");
        }
        attributes.push(RawAttribute { name, value, plain: !special });
        Ok(value.end + 1)
    }

    #[inline]
    fn end_tag(&mut self, start: usize) -> Result<Token, Stop> {
        let bytes = self.bytes();
        let Some(mut at) = self.name_end(start + 2) else { return self.more(start) };
        let name = Span { start: start + 2, end: at };
        while at < bytes.len() && is_blank(bytes[at]) {
            at += 1;
        }
        match bytes.get(at) {
            None => self.more(start),
            Some(b'>') if name.start < name.end => {
                self.at = at + 1;
                Ok(Token::End { name })
            }
            Some(_) => fault(rule::xml::MALFORMED, start, "an end tag that is not </name>"),
        }
    }

    fn character_data(&mut self, start: usize) -> Result<Token, Stop> {
        let bytes = self.bytes();
        // Most text ends before anything special comes up.
        let mut end = memchr3(b'<', b'&', b']', &bytes[start..]).map(|length| start + length);
        let special = end.is_some_and(|end| bytes[end] != b'<');
        if special {
            end = memchr(b'<', &bytes[start..]).map(|length| start + length);
        }
        let end = match end {
            Some(end) => end,
            None if self.whole => bytes.len(),
            None => return Err(Stop::More(start)),
        };
        let content = &bytes[start..end];
        if special && let Some(length) = memmem::find(content, b"]]>") {
            return fault(
                rule::xml::MALFORMED,
                start + length,
                "]]> in text; it is written ]]&gt;",
            );
        }
        let plain = !special || memchr(b'&', content).is_none();
        self.at = end;
        Ok(Token::Text { span: Span { start, end }, plain })
    }

    /// `<!…`: a comment, a CDATA section or a document type declaration.
    fn declaration(&mut self, start: usize) -> Result<Token, Stop> {
        let rest = &self.bytes()[start..];
        if rest.starts_with(b"<!--") {
            let Some(length) = memmem::find(&rest[4..], b"--") else { return self.more(start) };
            return match rest.get(4 + length + 2) {
                None => self.more(start),
                Some(b'>') => {
                    self.at = start + 4 + length + 3;
                    Ok(Token::Comment)
                }
                Some(_) => fault(rule::xml::MALFORMED, start + 4 + length, "-- inside a comment"),
            };
        }
        if rest.starts_with(b"<![CDATA[") {
            let Some(length) = memmem::find(&rest[9..], b"]]>") else { return self.more(start) };
            self.at = start + 9 + length + 3;
            return Ok(Token::Cdata { span: Span { start: start + 9, end: start + 9 + length } });
        }
        // As soon as it is certain: nothing of a DTD is looked at.
        if rest.starts_with(b"<!DOCTYPE")
            || rest.get(..9).is_some_and(|head| head.eq_ignore_ascii_case(b"<!DOCTYPE"))
        {
            self.at = start + 9;
            return Ok(Token::Doctype);
        }
        if !self.whole && rest.len() < 9 {
            return Err(Stop::More(start));
        }
        fault(
            rule::xml::MALFORMED,
            start,
            "a declaration that is no comment, CDATA section or DOCTYPE",
        )
    }

    fn instruction(&mut self, start: usize) -> Result<Token, Stop> {
        let bytes = self.bytes();
        let Some(length) = memmem::find(&bytes[start + 2..], b"?>") else {
            return self.more(start);
        };
        let end = start + 2 + length;
        let target_end = self.name_end(start + 2).unwrap_or(start + 2).min(end);
        let target = Span { start: start + 2, end: target_end };
        let named =
            target.start < target.end && CLASS[usize::from(bytes[target.start])] & NAME_START != 0;
        if !named || !(target_end == end || is_blank(bytes[target_end])) {
            return fault(rule::xml::MALFORMED, start, "a processing instruction without a name");
        }
        if target.of(self.text).eq_ignore_ascii_case("xml") {
            let content = &self.text[target_end..end];
            if target.of(self.text) != "xml" || !is_declaration(content) {
                return fault(rule::xml::MALFORMED, start, "an XML declaration that is none");
            }
        }
        self.at = end + 2;
        Ok(Token::Instruction { target })
    }
}

/// True for what may follow `<?xml`: the version, then perhaps the encoding, then perhaps whether
/// the document stands alone (XML 1.0, 2.8).
fn is_declaration(content: &str) -> bool {
    let mut rest = content;
    let mut value = |name: &str| {
        let begun = rest.trim_ascii_start();
        let after = begun.strip_prefix(name).filter(|_| begun.len() < rest.len())?;
        let after = after.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, tail) = after[1..].split_once(quote)?;
        rest = tail;
        Some(value)
    };
    let version = value("version").and_then(|version| version.strip_prefix("1."));
    let digits = version.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    let named = value("encoding").is_none_or(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    });
    let alone = value("standalone").is_none_or(|alone| matches!(alone, "yes" | "no"));
    digits && named && alone && rest.trim_ascii().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<String>, Stop> {
        let mut scanner =
            Scanner { text, at: 0, whole: true, most_attributes: 64, most_bytes: 1 << 16 };
        let mut attributes = Vec::new();
        let mut shown = Vec::new();
        loop {
            shown.push(match scanner.next(&mut attributes)? {
                Token::Eof => return Ok(shown),
                Token::Start { name, empty } => {
                    let pairs = attributes
                        .iter()
                        .map(|a| format!(" {}={}", a.name.of(text), a.value.of(text)));
                    format!(
                        "<{}{}{}>",
                        name.of(text),
                        pairs.collect::<String>(),
                        if empty { "/" } else { "" }
                    )
                }
                Token::End { name } => format!("</{}>", name.of(text)),
                Token::Text { span, .. } => span.of(text).to_owned(),
                Token::Cdata { span } => format!("[{}]", span.of(text)),
                Token::Comment => "--".into(),
                Token::Instruction { target } => format!("?{}", target.of(text)),
                Token::Doctype => return Ok(vec!["!".into()]),
            });
        }
    }

    #[test]
    fn reads_every_kind_of_token() {
        let text =
            "<?xml version='1.0'?><a b = 'c>' d=\"'\"><!-- - -->x<![CDATA[<y>]]]]><b:c /></a >";
        assert_eq!(
            tokens(text).unwrap(),
            ["?xml", "<a b=c> d='>", "--", "x", "[<y>]]]", "<b:c/>", "</a>"]
        );
    }

    #[test]
    fn refuses_what_is_not_well_formed() {
        for text in [
            "<a b>",
            "<a b=c>",
            "<a b='<'>",
            "<a b='1' b='2'>",
            "<a b='1'c='2'>",
            "<a /x>",
            "< a>",
            "<1>",
            "</>",
            "</a b>",
            "<!-- -- -->",
            "<!ELEMENT x>",
            "x]]>",
            "<? x?>",
            "<??>",
            "<a",
            "<a b='",
            "<!--",
            "<![CDATA[",
            "<",
            "<?x",
        ] {
            assert!(matches!(tokens(text), Err(Stop::Fault(_))), "{text} was taken");
        }
    }

    #[test]
    fn asks_for_more_at_every_cut() {
        let text = "<a b='c'>text</a><!-- x --><![CDATA[y]]><?z w?><d/>";
        for cut in 1..text.len() {
            let mut scanner = Scanner {
                text: &text[..cut],
                at: 0,
                whole: false,
                most_attributes: 64,
                most_bytes: 1 << 16,
            };
            let mut attributes = Vec::new();
            loop {
                let before = scanner.at;
                match scanner.next(&mut attributes) {
                    Ok(_) => assert!(scanner.at > before),
                    Err(Stop::More(start)) => break assert_eq!(start, before),
                    Err(Stop::Fault(fault)) => panic!("{cut}: {fault:?}"),
                }
            }
        }
    }
}
