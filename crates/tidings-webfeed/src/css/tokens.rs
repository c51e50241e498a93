//! Which tokens are let through.

use cssparser::{ParseError, Parser, ToCss, Token, TokenSerializationType};

use super::names::{is_function, position};
use super::writer::Writer;

/// How many brackets may be within each other. Each takes some of the stack.
const DEEPEST: usize = 16;

/// Something is not let through, and with it the rule or declaration that it is in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refused;

/// Where tokens are, which says what may be among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Selector,
    Query,
    Value,
    /// The same, where no address may be.
    Plain,
}

impl Writer<'_> {
    pub(super) fn selector(&mut self, parser: &mut Parser<'_>) -> Result<(), Refused> {
        let from = self.css.len();
        self.tokens(parser, Place::Selector, 0)?;
        if self.css.len() == from { Err(Refused) } else { Ok(()) }
    }

    pub(super) fn query(&mut self, parser: &mut Parser<'_>) -> Result<(), Refused> {
        self.tokens(parser, Place::Query, 0)
    }

    pub(super) fn value(&mut self, parser: &mut Parser<'_>, is_plain: bool) -> Result<(), Refused> {
        parser.skip_whitespace();
        self.tokens(parser, if is_plain { Place::Plain } else { Place::Value }, 0)
    }

    /// The value of `position`, which has to be a word that is known: not one that a variable has.
    pub(super) fn position(&mut self, parser: &mut Parser<'_>) -> Result<(), Refused> {
        let word = parser.expect_ident_cloned().map_err(|_| Refused)?;
        self.css.push_str(position(&word).ok_or(Refused)?);
        match parser.next() {
            Err(_) => {}
            Ok(Token::Delim('!')) => {
                parser.expect_ident_matching("important").map_err(|_| Refused)?;
                if !self.is_inline {
                    self.css.push_str("!important");
                }
                parser.expect_exhausted().map_err(|_| Refused)?;
            }
            Ok(_) => return Err(Refused),
        }
        Ok(())
    }

    /// All tokens until the parser's end, with what is in their brackets.
    fn tokens(
        &mut self,
        parser: &mut Parser<'_>,
        place: Place,
        depth: usize,
    ) -> Result<(), Refused> {
        let mut is_pseudo = false;
        // White space is written when it is known that something follows, as one space.
        let mut is_apart = false;
        let mut is_commented = false;
        // What stood before each `<` of a range.
        let from = self.css.len();
        let mut turned: Vec<(String, &str)> = Vec::new();
        loop {
            let start = parser.position();
            let Ok(token) = parser.next_including_whitespace_and_comments() else { break };
            let token = match token {
                Token::WhiteSpace(_) => {
                    is_apart = true;
                    continue;
                }
                Token::Comment(_) => {
                    is_commented = true;
                    continue;
                }
                token => token.clone(),
            };
            let is_first = self.last == TokenSerializationType::Nothing
                && (self.css.is_empty() || self.css.ends_with([' ', '{', '}', ';', '(', '[', ':']));
            if std::mem::take(&mut is_apart) && !is_first {
                self.css.push(' ');
                self.last = TokenSerializationType::Nothing;
            }
            // What a comment kept apart stays apart.
            let kind = token.serialization_type();
            if std::mem::take(&mut is_commented) && self.last.needs_separator_when_before(kind) {
                self.css.push_str("/**/");
            }
            let before = std::mem::replace(&mut self.last, kind);
            let was_pseudo = std::mem::replace(&mut is_pseudo, token == Token::Colon);
            match &token {
                Token::Ident(name) => {
                    // They are for what is around the post.
                    if was_pseudo && name.eq_ignore_ascii_case("host") {
                        return Err(Refused);
                    }
                    self.name(name);
                }
                Token::Function(name) => {
                    let name = name.clone();
                    self.function(parser, &name, place, depth)?;
                }
                // `#expression(` is no function; but whoever writes it means one.
                Token::ParenthesisBlock if !is_word(before) => {
                    self.brackets(parser, ("(", ")"), place, depth)?;
                }
                Token::SquareBracketBlock => self.brackets(parser, ("[", "]"), place, depth)?,
                Token::UnquotedUrl(address) => self.picture(address, place)?,
                Token::Number { .. } | Token::Percentage { .. } | Token::Dimension { .. } => {
                    self.number(parser.slice_from(start))?;
                }
                Token::Delim('!') if self.is_inline => {
                    self.css.truncate(self.css.trim_end_matches(' ').len());
                    let is_end = depth == 0 && parser.expect_ident_matching("important").is_ok();
                    return if is_end && parser.is_exhausted() { Ok(()) } else { Err(Refused) };
                }
                Token::Delim(sign) if is_sign(*sign) => {
                    // A name that was written with escapes might make `-->` of it.
                    if *sign == '>' && self.css.ends_with("--") {
                        self.css.push(' ');
                    }
                    self.css.push(*sign);
                }
                Token::Delim('<') if place == Place::Query && depth > 0 => {
                    turned.push((self.css.split_off(from), greater(parser)));
                    self.last = TokenSerializationType::Nothing;
                }
                Token::QuotedString(string) => self.string(string),
                Token::Hash(_)
                | Token::IDHash(_)
                | Token::Colon
                | Token::Comma
                | Token::IncludeMatch
                | Token::DashMatch
                | Token::PrefixMatch
                | Token::SuffixMatch
                | Token::SubstringMatch => self.escaped("\\<", |css| token.to_css(css)),
                _ => return Err(Refused),
            }
        }
        // `a < b` is written as `b > a`.
        let mut last = if turned.is_empty() { String::new() } else { self.css.split_off(from) };
        for (operand, sign) in turned.into_iter().rev() {
            last.push_str(sign);
            last.push_str(operand.trim());
        }
        self.css.push_str(&last);
        Ok(())
    }

    fn function(
        &mut self,
        parser: &mut Parser<'_>,
        name: &str,
        place: Place,
        depth: usize,
    ) -> Result<(), Refused> {
        if name.eq_ignore_ascii_case("url") {
            // With modifiers behind the string it is an address that nobody knows.
            let address: Result<_, ParseError<()>> = parser.parse_nested_block(|parser| {
                let address = parser.expect_string_cloned()?;
                parser.expect_exhausted()?;
                Ok(address)
            });
            return self.picture(&address.map_err(|_| Refused)?, place);
        }
        if name.eq_ignore_ascii_case("attr") {
            // A name, and no type, which might be that of an address.
            let attribute: Result<_, ParseError<()>> = parser.parse_nested_block(|parser| {
                let attribute = parser.expect_ident_cloned()?;
                parser.expect_exhausted()?;
                Ok(attribute)
            });
            let attribute = attribute.map_err(|_| Refused)?;
            self.css.push_str("attr(");
            self.name(&attribute);
            self.sign(")");
            return Ok(());
        }
        if !is_function(name) {
            return Err(Refused);
        }
        self.name(name);
        self.brackets(parser, ("(", ")"), place, depth)
    }

    fn brackets(
        &mut self,
        parser: &mut Parser<'_>,
        (open, close): (&str, &str),
        place: Place,
        depth: usize,
    ) -> Result<(), Refused> {
        if depth >= DEEPEST {
            return Err(Refused);
        }
        self.sign(open);
        let done = parser.parse_nested_block(|parser| {
            self.tokens(parser, place, depth + 1).map_err(ParseError::custom::<Refused>)
        });
        self.sign(close);
        done.map_err(|_: ParseError<Refused>| Refused)
    }

    /// A picture, as a string: nothing of it can end the function.
    fn picture(&mut self, address: &str, place: Place) -> Result<(), Refused> {
        let is_empty = address.trim().is_empty() || address.starts_with('#');
        if place != Place::Value || is_empty {
            return Err(Refused);
        }
        let url = self.at.join(address).map_err(|_| Refused)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refused);
        }
        let address = (self.pictures)(&url).ok_or(Refused)?;
        self.css.push_str("url(");
        self.string(&address);
        self.sign(")");
        Ok(())
    }

    /// As it is written: to read and to write it might change it. No unit has signs or escapes in it.
    fn number(&mut self, text: &str) -> Result<(), Refused> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.%".contains(&byte);
        if !text.bytes().all(is_plain) {
            return Err(Refused);
        }
        self.css.push_str(text);
        Ok(())
    }
}

/// Whether brackets behind it, with nothing between, might look like those of a function.
fn is_word(kind: TokenSerializationType) -> bool {
    use TokenSerializationType::{AtKeywordOrHash, Dimension, Number, Percentage};
    matches!(kind, AtKeywordOrHash | Dimension | Number | Percentage)
}

/// What a `<` becomes when its sides are turned; it may be one of `<=`.
fn greater(parser: &mut Parser<'_>) -> &'static str {
    let or_equal = parser.try_parse(|parser| match parser.next_including_whitespace() {
        Ok(Token::Delim('=')) => Ok(()),
        _ => Err(()),
    });
    if or_equal.is_ok() { " >= " } else { " > " }
}

/// Signs that may stand alone. Not `<`, which would begin a tag.
fn is_sign(sign: char) -> bool {
    matches!(sign, '.' | '>' | '+' | '~' | '*' | '&' | '|' | '/' | '!' | '-' | '=' | '%' | '?')
}
