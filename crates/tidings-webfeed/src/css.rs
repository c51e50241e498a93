//! What of a style sheet may be used.
//!
//! It is read token by token, and written anew. Whatever the structure, no token is written that is not
//! on a list: the at-rules, the functions and the signs that are known, and of addresses only those that
//! `pictures` has. So it does not matter if a browser takes for a rule what we take for a declaration.
//! `z-index` and the like stay: a post is shown in a frame of its own, and has nothing to cover but
//! itself.

mod names;
mod tokens;
mod writer;

use cssparser::{Delimiter, ParseError, Parser, Token};
use url::Url;

use self::names::{at_rule, is_dropped, is_effect};
use self::tokens::Refused;
use self::writer::Writer;
use crate::{Dress, Pictures};

/// How many bytes a style sheet may have that is fetched.
pub const MAX_BYTES: u64 = 256 << 10;
/// How much of a style sheet is used.
const LONGEST: usize = 256 << 10;
/// What one selector may cost, and all of a sheet: see [`selector_cost`].
const MAX_SELECTOR_COST: usize = 200;
const MAX_SELECTORS_COST: usize = 20_000;
/// How many blocks may be within each other. Each takes some of the stack.
const DEEPEST: usize = 16;

/// A style sheet with only what cannot load anything, cover anything or run anything: safe to stand in a
/// `<style>` element. URLs are resolved against `at`, and each becomes the address that `pictures` has.
#[must_use]
pub fn sanitise(css: &str, at: &Url, pictures: Pictures<'_>) -> String {
    made(css, Body::Rules, Dress::Full, Writer::new(false, at, pictures))
}

/// The same with only what costs nothing to draw, unless `dress` has all.
#[must_use]
pub fn sanitise_dressed(css: &str, dress: Dress, at: &Url, pictures: Pictures<'_>) -> String {
    match dress {
        Dress::None => String::new(),
        dress => made(css, Body::Rules, dress, Writer::new(false, at, pictures)),
    }
}

/// The same for the value of a `style` attribute.
#[must_use]
pub fn sanitise_declarations(css: &str, at: &Url, pictures: Pictures<'_>) -> String {
    declarations(css, Dress::Full, at, pictures)
}

pub(crate) fn declarations(css: &str, dress: Dress, at: &Url, pictures: Pictures<'_>) -> String {
    made(css, Body::Declarations, dress, Writer::new(true, at, pictures))
}

fn made(css: &str, body: Body, dress: Dress, writer: Writer<'_>) -> String {
    let mut sheet =
        Sheet { css, writer, is_calm: dress == Dress::Calm, selectors: 0, is_full: false };
    sheet.body(&mut Parser::new(css), body, 0);
    sheet.writer.finish()
}

/// What may be in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Rules, as in a sheet or in `@media`.
    Rules,
    /// Declarations, and rules within.
    Style,
    /// Declarations, and nothing else.
    Declarations,
}

struct Sheet<'c, 'a> {
    /// As it came.
    css: &'c str,
    writer: Writer<'a>,
    /// Whether effects are left out.
    is_calm: bool,
    /// What the selectors so far cost.
    selectors: usize,
    is_full: bool,
}

impl Sheet<'_, '_> {
    /// Goes through a block, or the whole sheet. What is not let through leaves no trace.
    fn body(&mut self, parser: &mut Parser<'_>, body: Body, depth: usize) {
        while !self.is_full {
            let before = parser.state();
            let Ok(token) = parser.next() else { return };
            let mark = self.writer.mark();
            let result = match token {
                Token::Semicolon | Token::CDO | Token::CDC => continue,
                Token::AtKeyword(name) => {
                    let rule = at_rule(name).filter(|_| body != Body::Declarations);
                    self.at_rule(parser, rule, body, depth)
                }
                token => {
                    let is_name = matches!(token, Token::Ident(_)) && body != Body::Rules;
                    // The value of a variable may have braces; what is in it is no rule.
                    let is_variable = matches!(token, Token::Ident(name) if name.starts_with("--"));
                    let rest = &self.css[parser.position().byte_index()..];
                    parser.reset(&before);
                    if is_name && (is_variable || ends_plainly(rest) || !begins_rule(parser, body))
                    {
                        self.declaration(parser)
                    } else {
                        self.rule(parser, body, depth)
                    }
                }
            };
            // One that is cut is none.
            self.is_full = self.writer.len() > LONGEST;
            if result.is_err() || self.is_full {
                self.writer.back_to(mark);
            }
        }
    }

    /// A rule: a selector, or a step of an animation, and a block.
    fn rule(&mut self, parser: &mut Parser<'_>, body: Body, depth: usize) -> Result<(), Refused> {
        let ends = match body {
            Body::Rules => Delimiter::CurlyBracketBlock,
            Body::Style | Body::Declarations => Delimiter::CurlyBracketBlock | Delimiter::Semicolon,
        };
        let from = self.writer.mark();
        let prelude: Result<(), ParseError<Refused>> = parser.parse_until_before(ends, |parser| {
            self.writer.selector(parser).map_err(ParseError::custom::<Refused>)
        });
        let cost = selector_cost(self.writer.since(from));
        self.selectors = self.selectors.saturating_add(cost);
        let is_dear = cost > MAX_SELECTOR_COST || self.selectors > MAX_SELECTORS_COST;
        if !matches!(parser.next(), Ok(Token::CurlyBracketBlock)) || body == Body::Declarations {
            return Err(Refused);
        }
        if prelude.is_err() || is_dear || depth >= DEEPEST {
            return Err(Refused);
        }
        self.block(parser, Body::Style, depth)
    }

    fn at_rule(
        &mut self,
        parser: &mut Parser<'_>,
        rule: Option<&'static str>,
        body: Body,
        depth: usize,
    ) -> Result<(), Refused> {
        if let Some(rule) = rule {
            self.writer.at_keyword(rule);
        }
        let ends = Delimiter::CurlyBracketBlock | Delimiter::Semicolon;
        let prelude: Result<(), ParseError<Refused>> = parser.parse_until_before(ends, |parser| {
            let query = rule.ok_or(Refused).and_then(|_| self.writer.query(parser));
            query.map_err(ParseError::custom::<Refused>)
        });
        // A statement has no block: `@import`, `@charset`.
        if !matches!(parser.next(), Ok(Token::CurlyBracketBlock)) {
            return Err(Refused);
        }
        let is_steps = rule.is_some_and(|rule| rule.ends_with("keyframes"));
        if prelude.is_err() || depth >= DEEPEST || is_steps && self.is_calm {
            return Err(Refused);
        }
        self.block(parser, if is_steps { Body::Rules } else { body }, depth)
    }

    fn block(&mut self, parser: &mut Parser<'_>, body: Body, depth: usize) -> Result<(), Refused> {
        self.writer.open_block();
        let done: Result<(), ParseError<()>> = parser.parse_nested_block(|parser| {
            self.body(parser, body, depth + 1);
            Ok(())
        });
        self.writer.close_block();
        done.map_err(|_| Refused)
    }

    fn declaration(&mut self, parser: &mut Parser<'_>) -> Result<(), Refused> {
        let done = parser.parse_until_after(Delimiter::Semicolon, |parser| {
            self.value(parser).map_err(ParseError::custom::<Refused>)
        });
        done.map_err(|_: ParseError<Refused>| Refused)
    }

    fn value(&mut self, parser: &mut Parser<'_>) -> Result<(), Refused> {
        let name = parser.expect_ident_cloned().map_err(|_| Refused)?;
        parser.expect_colon().map_err(|_| Refused)?;
        if is_dropped(&name) || self.is_calm && is_effect(&name) {
            return Err(Refused);
        }
        self.writer.property(&name);
        if name.eq_ignore_ascii_case("position") {
            self.writer.position(parser)?;
        } else {
            self.writer.value(parser, name.eq_ignore_ascii_case("cursor"))?;
        }
        self.writer.end_declaration();
        Ok(())
    }
}

/// What it costs to find out what a selector means: each part that is looked for around an element costs
/// one, and what is looked for in all that is in it costs far more.
fn selector_cost(selector: &str) -> usize {
    let parts = selector.bytes().filter(|byte| b" >+~*,".contains(byte)).count();
    let counts = |word: &str| selector.matches(word).count();
    parts + 50 * counts(":has(") + 5 * counts(":nth-")
}

/// Whether what begins with a name is a declaration at first sight: it ends before there is anything that
/// has to be read to be skipped. Most do, and are so read but once.
fn ends_plainly(rest: &str) -> bool {
    let end = rest.bytes().find(|byte| b";{}()[]\"'\\/".contains(byte));
    matches!(end, Some(b';' | b'}'))
}

/// Whether what begins with a name is a rule within a rule: a block comes before the semicolon.
fn begins_rule(parser: &mut Parser<'_>, body: Body) -> bool {
    if body == Body::Declarations {
        return false;
    }
    let before = parser.state();
    let ends = Delimiter::CurlyBracketBlock | Delimiter::Semicolon;
    let skipped: Result<(), ParseError<()>> = parser.parse_until_before(ends, |parser| {
        while parser.next().is_ok() {}
        Ok(())
    });
    let is_rule = skipped.is_ok() && matches!(parser.next(), Ok(Token::CurlyBracketBlock));
    parser.reset(&before);
    is_rule
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(css: &str) -> String {
        let at = Url::parse("https://a.example/feed/style.css").unwrap();
        sanitise(css, &at, &mut |url| {
            (url.host_str() != Some("gone.example")).then(|| format!("/p?u={url}"))
        })
    }

    fn clean_style(css: &str) -> String {
        let at = Url::parse("https://a.example/feed/").unwrap();
        sanitise_declarations(css, &at, &mut |url| Some(format!("/p?u={url}")))
    }

    #[test]
    fn an_ordinary_sheet_stays_what_it_is() {
        for css in [
            "@media (min-width:40em) and (prefers-color-scheme: dark){.a > b:not(.c), #d::before{\
             color:#fff;margin:0 auto !important;width:calc(100% - 2em);content:\"—\";}}",
            "@keyframes x{from{opacity:0;}50.5%{transform:translate(-1px,+.5em);}}",
            "a[href^=\"x\"]:nth-child(2n+1){--y:1px;left:var(--y, 3px);}",
            "@supports (display:grid) and (not (a:b)){a{b:c;}}",
            "@layer x{a{b:c;}}@container foo (min-width:1px){a{b:c;}}",
            "a:not(.b):nth-child(2n + 1) , [a=\"b\" i]{x:y;}",
            "a{font:12px/1.5 \"A B\",serif;margin:-1px -.5em;color:rgb(0 0 0 / 50%);}",
            ".a{&:hover{color:red;}b &{x:y;}color:blue;p{margin:0;}}",
            "a{grid-template:[x] 1fr / repeat(2, minmax(0, 1fr));}",
        ] {
            assert_eq!(clean(css), css);
        }
    }

    #[test]
    fn rules_that_load_something_or_reach_beyond_the_sheet_are_gone() {
        for css in [
            "@import 'x.css';",
            "@import url(x.css) screen;",
            "@charset 'utf-8';",
            "@namespace x url(y);",
            "@font-face{font-family:x;src:url(x)}",
            "@property --x{syntax:'*'}",
            "@page{margin:0}",
            "@counter-style x{symbols:url(y)}",
            "@view-transition{navigation:auto}",
            "@layer a, b;",
            "@unheard-of (x) {a{b:c}}",
            ":host{a:b}",
            ":host(.x) b{a:b}",
            "x:is(:h\\6fst){a:b}",
            "a::part(x){a:b}",
            "::slotted(b){a:b}",
            ":host-context(x){a:b}",
            "{a:b}",
        ] {
            assert_eq!(clean(&format!("{css} a{{b:c}}")), "a{b:c;}", "{css}");
        }
    }

    #[test]
    fn pictures_are_had_where_they_are_said_to_be_or_not_at_all() {
        let picture = "url(\"/p?u=https://a.example/feed/x.png\")";
        for css in ["url(x.png)", "url( 'x.png' )", "URL(\"x.png\")", "u\\72l(x.png)"] {
            assert_eq!(
                clean(&format!("a{{background:{css} top}}")),
                format!("a{{background:{picture} top;}}")
            );
        }
        for css in [
            "url(javascript:x)",
            "url(data:image/png;base64,x)",
            "url(#x)",
            "url()",
            "url(x y)",
            "url(//gone.example/x)",
            "url(x) url(//gone.example/x)",
            "url(",
            "url('x' type(y))",
            "image-set('x' 1x)",
            "-webkit-image-set(url(x) 1x)",
            "image('x')",
            "src('x')",
            "cross-fade(url(x), url(y))",
            "element(#x)",
            "paint(x)",
            "expression(x)",
            "attr(x url)",
            "attr(x type(<url>))",
        ] {
            assert_eq!(clean(&format!("a{{b:c;background:{css}")), "a{b:c;}", "{css}");
        }
        assert_eq!(clean("a{cursor:url(x),auto;cursor:pointer}"), "a{cursor:pointer;}");
    }

    #[test]
    fn nothing_is_fixed_to_the_window() {
        assert_eq!(clean_style("position:fixed"), "position:absolute;");
        assert_eq!(clean_style("POSITION : Sticky ! important"), "POSITION:relative;");
        assert_eq!(clean_style("--x:fixed;position:var(--x)"), "--x:fixed;");
        assert_eq!(clean_style("position:/**/fix\\65 d"), "position:absolute;");
    }

    #[test]
    fn a_tag_cannot_come_out_of_a_sheet() {
        for css in
            ["a{b:'</style>'}", "a{b:\\</style>}", "a{b:x</style>}", "</style>{a:b}", "\\<a{b:c}"]
        {
            assert!(!clean(css).contains('<'), "{css}");
        }
        assert_eq!(clean("a{b:'</style>'}"), "a{b:\"\\3c /style>\";}");
        assert_eq!(clean("a{b:'\\\\<'}"), "a{b:\"\\\\\\3c \";}");
        assert_eq!(clean("a{b:\\\\\\<}"), "a{b:\\\\\\3c ;}");
        assert_eq!(clean("<!-- a{b:c} -->"), "a{b:c;}");
    }

    #[test]
    fn a_range_is_written_the_other_way_round() {
        assert_eq!(clean("@media (width <= 600px){a{b:c}}"), "@media (600px >= width){a{b:c;}}");
        assert_eq!(
            clean("@media x and (1px<width < 9px){a{b:c}}"),
            "@media x and (9px > width > 1px){a{b:c;}}"
        );
    }

    #[test]
    fn what_is_odd_goes_alone() {
        assert_eq!(
            clean("a{*zoom:1;color:red;filter:progid:DX.Microsoft.Alpha(opacity=50);top:0}"),
            "a{color:red;top:0;}"
        );
        assert_eq!(clean("a{b:c}}d{e:f}g{h:i}"), "a{b:c;}g{h:i;}");
        assert_eq!(clean("a{--x:{b:c};d:e}"), "a{d:e;}");
        assert_eq!(clean("a{b:c"), "a{b:c;}");
        assert_eq!(clean("a{b:c}/* "), "a{b:c;}");
        assert_eq!(clean("a{b:c/**/d}"), "a{b:c/**/d;}");
        assert_eq!(clean("a{b:url/**/(x)}"), "a{b:url/**/(x);}");
    }

    #[test]
    fn declarations_are_only_declarations() {
        assert_eq!(clean_style("color:red;@import 'x';p{a:b};margin:0"), "color:red;margin:0;");
        assert_eq!(clean_style("a:b}c{d:e"), "");
        assert_eq!(clean_style("color:red !important;margin:0!important"), "color:red;margin:0;");
        assert_eq!(clean_style("color:red ! x;top:rgb(0!important)"), "");
        assert_eq!(clean_style(""), "");
        assert_eq!(clean_style("behavior:url(x);-moz-binding:url(x);src:url(x)"), "");
    }

    #[test]
    fn depth_and_length_have_an_end() {
        for css in ["{", "a{", "(", "[", "a{b:(", "a{b:calc(", "@media x{", "a(", "a{b{"] {
            let clean = clean(&css.repeat(100_000));
            assert!(clean.len() < 1000, "{css}");
        }
        let long = clean(&"a{b:c}".repeat(100_000));
        assert!((LONGEST - 10..=LONGEST).contains(&long.len()));
        assert!(long.ends_with("a{b:c;}"));
    }

    #[test]
    fn in_tiles_nothing_moves_and_nothing_is_dear() {
        let at = Url::parse("https://a.example/").unwrap();
        let calm = |css: &str| sanitise_dressed(css, Dress::Calm, &at, &mut |_| None);
        let css = "@keyframes x{from{filter:blur(1px)}to{filter:blur(9px)}}\
            div{filter:blur(3px);-webkit-backdrop-filter:blur(2px);animation:x 1s infinite;color:red;\
            transition:all 1s;will-change:filter}";
        assert_eq!(calm(css), "div{color:red;}");
        assert!(clean(css).contains("blur") && clean(css).contains("@keyframes"));
    }

    #[test]
    fn selectors_have_a_limit_of_what_they_cost() {
        let dear = format!("{}a{{b:c}}", "a ".repeat(300));
        assert_eq!(clean(&format!("{dear}d{{e:f}}")), "d{e:f;}");
        let has = format!("{}{{b:c}}", "a:has(b)".repeat(5));
        assert_eq!(clean(&format!("{has}d:has(e){{e:f}}")), "d:has(e){e:f;}");
        let many = "a:has(b) c{d:e}".repeat(2_000);
        assert!(clean(&many).matches(":has").count() < 400);
        let usual = "nav > ul li a:hover{b:c;}".repeat(1_000);
        assert_eq!(clean(&usual), usual);
    }
}
