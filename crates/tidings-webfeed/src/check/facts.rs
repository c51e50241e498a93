//! What a post has that readers leave out.

use html5gum::emitters::default::{DefaultEmitter, StartTag};
use html5gum::{Token, Tokenizer};

/// What can be said of a post only by what readers leave out.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Sections that are in no other element.
    pub(super) top: usize,
    pub(super) has_body: bool,
    pub(super) says_charset: bool,
    /// How text outside of sections begins.
    pub(super) outside: Option<String>,
    pub(super) ignored: Vec<String>,
    pub(super) handlers: Vec<String>,
    /// Elements that readers show as links.
    pub(super) linked: Vec<String>,
}

impl Facts {
    pub(super) fn of(html: &str) -> Self {
        let mut facts = Self::default();
        let mut emitter = DefaultEmitter::default();
        emitter.naively_switch_states(true);
        let (mut sections, mut others, mut hidden) = (0_usize, 0_usize, 0_usize);
        for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
            match token {
                Token::StartTag(tag) => {
                    let name = String::from_utf8_lossy(&tag.name).into_owned();
                    facts.attributes(&tag);
                    match name.as_str() {
                        "section" => {
                            facts.top += usize::from(sections == 0 && others == 0);
                            sections += 1;
                        }
                        "body" => facts.has_body = true,
                        "meta" => facts.says_charset |= says_charset(&tag),
                        "script" | "frame" | "frameset" | "iframe" | "portal" => {
                            facts.ignores(&name);
                            hidden += usize::from(name == "script");
                        }
                        "video" | "audio" | "svg" | "embed" | "object" | "canvas" | "math"
                            if !facts.linked.contains(&name) =>
                        {
                            facts.linked.push(name);
                        }
                        "style" | "title" | "head" => hidden += 1,
                        "main" | "div" | "article" if !tag.self_closing => others += 1,
                        _ => {}
                    }
                }
                Token::EndTag(tag) => match &tag.name[..] {
                    b"section" => sections = sections.saturating_sub(1),
                    b"style" | b"title" | b"head" | b"script" => hidden = hidden.saturating_sub(1),
                    b"main" | b"div" | b"article" => others = others.saturating_sub(1),
                    _ => {}
                },
                Token::String(text) if sections == 0 && hidden == 0 && facts.outside.is_none() => {
                    let text = String::from_utf8_lossy(&text);
                    let text = text.trim();
                    if !text.is_empty() {
                        facts.outside = Some(text.chars().take(60).collect());
                    }
                }
                _ => {}
            }
        }
        facts
    }

    fn ignores(&mut self, name: &str) {
        if !self.ignored.iter().any(|known| known == name) {
            self.ignored.push(name.to_owned());
        }
    }

    fn attributes(&mut self, tag: &StartTag<()>) {
        for name in tag.attributes.keys() {
            let is_handler = name.len() > 2 && name[..2].eq_ignore_ascii_case(b"on");
            let name = String::from_utf8_lossy(name);
            if is_handler
                && self.handlers.len() < 20
                && !self.handlers.contains(&name.as_ref().to_owned())
            {
                self.handlers.push(name.into_owned());
            }
        }
    }
}

fn says_charset(tag: &StartTag<()>) -> bool {
    tag.attributes.iter().any(|(name, value)| {
        &name[..] == b"charset"
            || (&name[..] == b"content"
                && String::from_utf8_lossy(value).to_ascii_lowercase().contains("charset="))
    })
}
