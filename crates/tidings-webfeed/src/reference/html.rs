//! Finds the files that a page uses.

use std::ops::Range;

use html5gum::emitters::default::{DefaultEmitter, StartTag};
use html5gum::{Token, Tokenizer};

use super::{MAX_REFERENCES, Reference, References, SubresourceKind, in_sheet};

/// The files that a page names. Only its bytes are looked at: addresses are ASCII in all encodings but
/// UTF-16.
pub(crate) fn in_page(html: &[u8]) -> References {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let mut references = References::default();
    // Where the text of a style sheet begins.
    let mut style = None;
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        if references.found.len() >= MAX_REFERENCES {
            break;
        }
        match token {
            Token::StartTag(tag) => {
                if &tag.name[..] == b"style" {
                    style = Some(tag.span.end);
                }
                references.tag(html, &tag);
            }
            Token::EndTag(tag) if &tag.name[..] == b"style" => {
                let text = style.take().and_then(|from| html.get(from..tag.span.start));
                if let (Some(text), Some(from)) = (text, text.and_then(|text| offset(html, text))) {
                    references.sheet(text, from);
                }
            }
            _ => {}
        }
    }
    references
}

fn offset(whole: &[u8], part: &[u8]) -> Option<usize> {
    (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)
}

impl References {
    fn tag(&mut self, html: &[u8], tag: &StartTag<usize>) {
        let name = &tag.name[..];
        let rel = value(tag, b"rel").unwrap_or_default();
        let has = |word: &str| rel.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(word));
        use SubresourceKind::{Icon, Other, Picture, StyleSheet};
        match name {
            b"base" if self.base.is_none() => self.base = value(tag, b"href"),
            b"link" if has("stylesheet") => self.attribute(html, tag, b"href", StyleSheet),
            b"link" if has("icon") || has("apple-touch-icon") => {
                self.attribute(html, tag, b"href", Icon);
            }
            b"img" | b"source" => {
                let is_picture = name == b"img" || value(tag, b"srcset").is_some();
                let kind = if is_picture { Picture } else { Other };
                self.attribute(html, tag, b"src", kind);
                self.set(html, tag);
            }
            b"video" | b"audio" => {
                self.attribute(html, tag, b"src", Other);
                self.attribute(html, tag, b"poster", Picture);
            }
            b"track" | b"embed" => self.attribute(html, tag, b"src", Other),
            b"object" => self.attribute(html, tag, b"data", Other),
            _ => {}
        }
        if let Some(span) = span(html, tag, b"style") {
            self.sheet(&html[span.clone()], span.start);
        }
    }

    fn attribute(
        &mut self,
        html: &[u8],
        tag: &StartTag<usize>,
        name: &[u8],
        kind: SubresourceKind,
    ) {
        if let (Some(address), Some(span)) = (value(tag, name), span(html, tag, name)) {
            self.push(kind, address.trim().to_owned(), span, ["", ""]);
        }
    }

    /// The candidates of a `srcset`.
    fn set(&mut self, html: &[u8], tag: &StartTag<usize>) {
        let Some(span) = span(html, tag, b"srcset") else { return };
        let raw = String::from_utf8_lossy(&html[span.clone()]).into_owned();
        if raw.len() != span.len() {
            return;
        }
        let mut at = 0;
        while at < raw.len() {
            let rest = &raw[at..];
            let skipped = rest.len()
                - rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',').len();
            let from = at + skipped;
            let length = raw[from..].find(|c: char| c.is_ascii_whitespace());
            let written = &raw[from..length.map_or(raw.len(), |length| from + length)];
            let address = written.trim_end_matches(',');
            let place = span.start + from..span.start + from + address.len();
            self.push(SubresourceKind::Picture, unescaped(address), place, ["", ""]);
            let end = from + written.len();
            // A comma behind the address ends the candidate; else one behind its descriptor does.
            let is_over = written.ends_with(',');
            at = if is_over { end } else { raw[end..].find(',').map_or(raw.len(), |it| end + it) };
        }
    }

    fn sheet(&mut self, css: &[u8], from: usize) {
        let Ok(text) = std::str::from_utf8(css) else { return };
        for found in in_sheet(text) {
            let span = found.span.start + from..found.span.end + from;
            // In an attribute quotes are written as entities.
            let address = unescaped(&found.address);
            let address = address.trim_matches(['"', '\'']).to_owned();
            self.push(found.kind, address, span, found.around);
        }
    }

    fn push(
        &mut self,
        kind: SubresourceKind,
        address: String,
        span: Range<usize>,
        around: [&'static str; 2],
    ) {
        if !address.is_empty() && !address.starts_with('#') {
            self.found.push(Reference { kind, address, span, around });
        }
    }
}

fn value(tag: &StartTag<usize>, name: &[u8]) -> Option<String> {
    let (_, value) = tag.attributes.iter().find(|(it, _)| &it[..] == name)?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// Where the value of an attribute stands, without its quotes (HTML Standard, 13.2.5.32 to 13.2.5.39).
fn span(html: &[u8], tag: &StartTag<usize>, name: &[u8]) -> Option<Range<usize>> {
    tag.attributes.iter().find(|(it, _)| &it[..] == name)?;
    let end = tag.span.end.min(html.len());
    let is_blank = |at: usize| html[at].is_ascii_whitespace();
    let skip = |mut at: usize, is: &dyn Fn(usize) -> bool| {
        while at < end && is(at) {
            at += 1;
        }
        at
    };
    let mut at = skip(tag.span.start, &|at| !is_blank(at) && html[at] != b'/');
    while at < end {
        let from = skip(at, &|at| is_blank(at) || html[at] == b'/');
        let first = (from + 1).min(end);
        let to = skip(first, &|at| !is_blank(at) && !b"/>=".contains(&html[at]));
        let sign = skip(to, &is_blank);
        if html.get(sign) != Some(&b'=') || sign >= end {
            at = to.max(at + 1);
            continue;
        }
        let value = skip(sign + 1, &is_blank);
        let quote = html.get(value).copied().filter(|sign| matches!(sign, b'"' | b'\''));
        let value = match quote {
            Some(quote) => value + 1..skip(value + 1, &|at| html[at] != quote),
            None => value..skip(value, &|at| !is_blank(at) && html[at] != b'>'),
        };
        if html.get(from..to)?.eq_ignore_ascii_case(name) {
            return Some(value).filter(|value| value.start <= value.end && value.end <= end);
        }
        at = value.end + usize::from(quote.is_some());
    }
    None
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    text.replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}
