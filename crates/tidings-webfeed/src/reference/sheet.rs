//! Finds the files that a style sheet uses.

use std::ops::Range;

use cssparser::{ParseError, Parser, Token};

use super::{MAX_REFERENCES, Reference, SubresourceKind};

/// How many blocks may be within each other. Each takes some of the stack.
const MAX_DEPTH: usize = 32;

/// The files that a style sheet names.
pub(crate) fn in_sheet(css: &str) -> Vec<Reference> {
    let mut sheet = Sheet { found: Vec::new() };
    sheet.block(&mut Parser::new(css), false, 0);
    sheet.found
}

struct Sheet {
    found: Vec<Reference>,
}

/// What a word before an address says about it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Import,
    Namespace,
}

impl Sheet {
    /// Goes through a block. In some functions strings are addresses.
    fn block(&mut self, parser: &mut Parser<'_>, has_addresses: bool, depth: usize) {
        let mut before = Before::Nothing;
        loop {
            parser.skip_whitespace();
            let from = parser.position().byte_index();
            let Ok(token) = parser.next().cloned() else { return };
            if self.found.len() >= MAX_REFERENCES {
                return;
            }
            let said = std::mem::replace(&mut before, Before::Nothing);
            match token {
                Token::AtKeyword(name) if name.eq_ignore_ascii_case("import") => {
                    before = Before::Import;
                }
                Token::AtKeyword(name) if name.eq_ignore_ascii_case("namespace") => {
                    before = Before::Namespace;
                }
                Token::Ident(_) if said == Before::Namespace => before = said,
                Token::UnquotedUrl(address) => {
                    self.push(&address, from..parser.position().byte_index(), said);
                }
                Token::QuotedString(address) if said == Before::Import || has_addresses => {
                    self.push(&address, from..parser.position().byte_index(), said);
                }
                Token::Function(name) if depth < MAX_DEPTH => {
                    let is_url = name.eq_ignore_ascii_case("url");
                    if is_url {
                        let address: Result<String, ParseError<()>> =
                            parser.parse_nested_block(|parser| {
                                Ok(parser.expect_string()?.as_ref().to_owned())
                            });
                        if let Ok(address) = address {
                            self.push(&address, from..parser.position().byte_index(), said);
                        }
                    } else {
                        let is_set = name.to_ascii_lowercase().ends_with("image-set");
                        self.nested(parser, is_set, depth);
                    }
                }
                Token::CurlyBracketBlock | Token::ParenthesisBlock | Token::SquareBracketBlock
                    if depth < MAX_DEPTH =>
                {
                    self.nested(parser, false, depth);
                }
                _ => {}
            }
        }
    }

    fn nested(&mut self, parser: &mut Parser<'_>, has_addresses: bool, depth: usize) {
        // What cannot be read names nothing.
        let _: Result<(), ParseError<()>> = parser.parse_nested_block(|parser| {
            self.block(parser, has_addresses, depth + 1);
            Ok(())
        });
    }

    fn push(&mut self, address: &str, span: Range<usize>, before: Before) {
        let address = address.trim();
        let is_named = !address.is_empty() && !address.starts_with('#');
        let kind = match before {
            Before::Namespace => return,
            Before::Import => SubresourceKind::StyleSheet,
            Before::Nothing if is_font(address) => SubresourceKind::Other,
            Before::Nothing => SubresourceKind::Picture,
        };
        if is_named {
            let around = ["url(", ")"];
            self.found.push(Reference { kind, address: address.to_owned(), span, around });
        }
    }
}

fn is_font(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let extension = path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    ["woff", "woff2", "ttf", "otf", "eot"].iter().any(|it| extension.eq_ignore_ascii_case(it))
}
