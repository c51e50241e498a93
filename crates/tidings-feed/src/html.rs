//! HTML, as tokens: tags and text, whatever their order.

use html5gum::emitters::default::{DefaultEmitter, StartTag};
use html5gum::{HtmlString, Token, Tokenizer};
use url::Url;

use crate::{plain, uri};

/// A piece of a page.
pub(crate) enum Piece {
    Start(Tag),
    End(String),
    Text(String),
}

/// A start tag.
pub(crate) struct Tag(StartTag<()>);

impl Tag {
    /// Whether it is of that name, which is in lower case.
    pub(crate) fn is(&self, name: &str) -> bool {
        *self.0.name == name.as_bytes()
    }

    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.0.name).into_owned()
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let value = self.0.attributes.get(&HtmlString(name.as_bytes().to_owned()))?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    /// Whether one of the words of `rel` is this one.
    pub(crate) fn has_rel(&self, word: &str) -> bool {
        let rel = self.attribute("rel").unwrap_or_default();
        rel.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(word))
    }
}

/// The pieces of a page, with what is in scripts, styles and titles as text.
pub(crate) fn pieces(html: &[u8]) -> impl Iterator<Item = Piece> + '_ {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(html, emitter).flatten().filter_map(|token| match token {
        Token::StartTag(tag) => Some(Piece::Start(Tag(tag))),
        Token::EndTag(tag) => Some(Piece::End(String::from_utf8_lossy(&tag.name).into_owned())),
        Token::String(text) => Some(Piece::Text(String::from_utf8_lossy(&text).into_owned())),
        _ => None,
    })
}

/// The start tags of a page.
pub(crate) fn tags(html: &[u8]) -> impl Iterator<Item = Tag> + '_ {
    pieces(html).filter_map(|piece| match piece {
        Piece::Start(tag) => Some(tag),
        _ => None,
    })
}

/// What `<base href>` makes of the page's address. The first one counts, for links before it, too.
pub(crate) fn base(tags: &[Tag], url: &Url) -> Url {
    let mut bases = tags.iter().filter(|tag| tag.is("base"));
    bases.find_map(|tag| uri::resolve(url, &tag.attribute("href")?)).unwrap_or_else(|| url.clone())
}

/// Whether a document begins as HTML does.
pub(crate) fn is_html(text: &str) -> bool {
    let mut text = text.trim_start();
    // A declaration or comments may come first.
    loop {
        let end = match text {
            _ if text.starts_with("<?") => "?>",
            _ if text.starts_with("<!--") => "-->",
            _ => break,
        };
        let Some(at) = text.find(end) else { return false };
        text = text[at + end.len()..].trim_start();
    }
    ["<!doctype html", "<html", "<head", "<body", "<title", "<meta"].iter().any(|start| {
        let begins = text.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start));
        let next = text.as_bytes().get(start.len());
        begins && next.is_none_or(|byte| byte.is_ascii_whitespace() || b">/".contains(byte))
    })
}

/// A line of text without the tags and entities there may be in it.
pub(crate) fn line(html: &str) -> Option<String> {
    let mut text = Text::new(4 << 10);
    for piece in pieces(html.as_bytes()) {
        text.push(&piece);
        if text.is_full() {
            break;
        }
    }
    plain::line(&text.finish())
}

/// Collects what a person would read of a page: one block per line.
pub(crate) struct Text {
    out: String,
    most: usize,
    /// How deep it is in an element whose text is not for people, and that element's name.
    skipped: Option<(String, usize)>,
    preformatted: usize,
    blank: bool,
}

impl Text {
    pub(crate) fn new(most: usize) -> Self {
        Self { out: String::new(), most, skipped: None, preformatted: 0, blank: false }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.out.len() >= self.most
    }

    pub(crate) fn push(&mut self, piece: &Piece) {
        if let Some((name, depth)) = &mut self.skipped {
            match piece {
                Piece::Start(tag) if tag.is(name) => *depth += 1,
                Piece::End(end) if end == name => *depth -= 1,
                _ => {}
            }
            if *depth == 0 {
                self.skipped = None;
            }
            return;
        }
        match piece {
            Piece::Start(tag) => self.start(&tag.name()),
            Piece::End(name) => {
                if name == "pre" {
                    self.preformatted = self.preformatted.saturating_sub(1);
                }
                self.boundary(name);
            }
            Piece::Text(text) => self.text(text),
        }
    }

    fn start(&mut self, name: &str) {
        match name {
            "script" | "style" | "template" | "noscript" | "title" => {
                self.skipped = Some((name.to_owned(), 1));
            }
            "pre" => self.preformatted += 1,
            _ => {}
        }
        self.boundary(name);
    }

    fn boundary(&mut self, name: &str) {
        if is_block(name) {
            self.break_line();
        } else if matches!(name, "td" | "th" | "img" | "option") {
            self.blank = true;
        }
    }

    pub(crate) fn break_line(&mut self) {
        self.blank = false;
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn text(&mut self, text: &str) {
        for character in text.chars() {
            if self.is_full() {
                return;
            }
            match character {
                '\n' if self.preformatted > 0 => self.break_line(),
                blank if blank.is_whitespace() => self.blank = true,
                hidden if plain::is_hidden(hidden) => {}
                character => {
                    if self.blank && !self.out.is_empty() && !self.out.ends_with('\n') {
                        self.out.push(' ');
                    }
                    self.blank = false;
                    self.out.push(character);
                }
            }
        }
    }

    /// The text, cut to its limit at the end of a character.
    pub(crate) fn finish(mut self) -> String {
        self.out.truncate(self.out.floor_char_boundary(self.most));
        self.out.truncate(self.out.trim_end().len());
        self.out
    }
}

fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "br"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "head"
            | "header"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "tfoot"
            | "thead"
            | "tr"
            | "ul"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_told_from_xml() {
        for html in ["<!DOCTYPE html>", " <HTML lang=en>", "<?xml version='1.0'?><!-- x --><html/>"]
        {
            assert!(is_html(html), "{html}");
        }
        for other in ["<feed>", "<?xml", "<!-- <html>", "html", "", "<htmlx>", "{}", "<header>"] {
            assert!(!is_html(other), "{other}");
        }
    }

    #[test]
    fn tags_and_entities_go() {
        for (html, expected) in [
            ("Fish &amp; <b>Chips</b>", Some("Fish & Chips")),
            ("a<script>alert('x')</script>b<br>c", Some("ab c")),
            ("1 < 2", Some("1 < 2")),
            ("<p> </p>", None),
        ] {
            assert_eq!(line(html).as_deref(), expected, "{html}");
        }
    }
}
