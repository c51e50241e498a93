//! An HTML page that was not written as a post: what is in its body becomes a section.

use html5gum::emitters::default::{DefaultEmitter, StartTag};
use html5gum::{Token, Tokenizer};

use super::page::{Text, escaped};

/// What of a page goes into a post.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WholePage {
    pub(super) text: Text,
    /// What is in its body.
    pub(super) body: String,
}

/// Takes a page apart. What has no head and no body is all body.
pub(super) fn take_apart(html: &str) -> WholePage {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut page = WholePage::default();
    let (mut body_from, mut body_to, mut after_head) = (None, None, None);
    // Parts of the head that are none of the body: where they begin.
    let mut style = None;
    let mut dropped = Vec::new();
    for Ok(token) in Tokenizer::new_with_emitter(html.as_bytes(), emitter) {
        match token {
            Token::Doctype(doctype) => dropped.push(doctype.span.start..doctype.span.end),
            Token::StartTag(tag) => {
                let span = tag.span.start..tag.span.end;
                match &tag.name[..] {
                    b"html" => {
                        page.said(&tag);
                        dropped.push(span);
                    }
                    b"body" => {
                        page.said(&tag);
                        body_from.get_or_insert(tag.span.end);
                    }
                    b"style" | b"title" if body_from.is_none() => style = Some(tag.span.start),
                    b"link" if is_sheet(&tag) && body_from.is_none() => {
                        page.text.head.push_str(&html[span.clone()]);
                        page.text.head.push('\n');
                        dropped.push(span);
                    }
                    b"meta" | b"base" | b"link" | b"head" if body_from.is_none() => {
                        dropped.push(span);
                    }
                    _ => {}
                }
            }
            Token::EndTag(tag) => match &tag.name[..] {
                b"body" => body_to = Some(tag.span.start),
                b"head" => {
                    dropped.push(tag.span.start..tag.span.end);
                    after_head = Some(tag.span.end);
                }
                b"html" => dropped.push(tag.span.start..tag.span.end),
                name @ (b"style" | b"title") => {
                    let Some(from) = style.take() else { continue };
                    if name == b"style" {
                        page.text.head.push_str(&html[from..tag.span.end]);
                        page.text.head.push('\n');
                    }
                    dropped.push(from..tag.span.end);
                }
                _ => {}
            },
            _ => {}
        }
    }
    let from = body_from.or(after_head).unwrap_or(0);
    let to = body_to.filter(|to| *to >= from).unwrap_or(html.len());
    let mut at = from;
    dropped.sort_by_key(|span| span.start);
    for span in dropped {
        if span.start >= at && span.end <= to {
            page.body.push_str(&html[at..span.start]);
            at = span.end;
        }
    }
    page.body.push_str(&html[at..to]);
    page.body = page.body.trim().to_owned();
    page
}

impl WholePage {
    fn said(&mut self, tag: &StartTag<usize>) {
        let value = |name: &[u8]| {
            let found = tag.attributes.iter().find(|(it, _)| &it[..] == name);
            found.map(|(_, value)| String::from_utf8_lossy(value).trim().to_owned())
        };
        if self.text.language.is_none() {
            self.text.language = value(b"lang").filter(|language| !language.is_empty());
        }
        if self.text.direction.is_none() {
            self.text.direction = match value(b"dir").unwrap_or_default().to_ascii_lowercase() {
                it if it == "rtl" => Some("rtl"),
                it if it == "ltr" => Some("ltr"),
                _ => None,
            };
        }
    }
}

fn is_sheet(tag: &StartTag<usize>) -> bool {
    let rel = tag.attributes.iter().find(|(name, _)| &name[..] == b"rel");
    rel.is_some_and(|(_, rel)| {
        let rel = String::from_utf8_lossy(rel).to_ascii_lowercase();
        rel.split_ascii_whitespace().any(|word| word == "stylesheet") && !rel.contains("alternate")
    })
}

/// A heading for a page whose name is in its head alone.
pub(super) fn with_heading(title: Option<&str>, body: String) -> String {
    let has_heading = ["<h1", "<h2", "<H1", "<H2"].iter().any(|heading| body.contains(heading));
    match title.filter(|_| !has_heading) {
        Some(title) => format!("<h1>{}</h1>\n{body}", escaped(title)),
        None => body,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_page_gives_its_body_and_its_styles() {
        let page = take_apart(
            "<!doctype html><html lang=he dir=RTL><head><meta charset=utf-8><title>T</title>\n\
             <style>p{color:red}</style><link rel=stylesheet href=a.css><link rel=next href=b>\n\
             </head><body class=x><p>One</p><style>b{}</style></body></html>\n",
        );
        assert_eq!(page.body, "<p>One</p><style>b{}</style>");
        assert_eq!(
            page.text.head,
            "<style>p{color:red}</style>\n<link rel=stylesheet href=a.css>\n"
        );
        assert_eq!((page.text.language.as_deref(), page.text.direction), (Some("he"), Some("rtl")));
    }

    #[test]
    fn what_has_no_tags_of_a_page_is_all_body() {
        for (html, body) in [
            ("<p>Just a line\n", "<p>Just a line"),
            ("<!doctype html><title>T</title><p>x", "<p>x"),
            ("<head><title>T</title></head><p>x</html>", "<p>x"),
            ("<meta charset=utf-8>", ""),
            ("text", "text"),
        ] {
            assert_eq!(take_apart(html).body, body, "{html}");
        }
        assert_eq!(with_heading(Some("A&B"), "<p>x".to_owned()), "<h1>A&amp;B</h1>\n<p>x");
        assert_eq!(with_heading(Some("A"), "<h2>x".to_owned()), "<h2>x");
    }
}
