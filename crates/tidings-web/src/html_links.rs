//! `<link>` elements of HTML pages.

use html5gum::emitters::default::{DefaultEmitter, StartTag};
use html5gum::{HtmlString, Token, Tokenizer};
use url::Url;

use crate::web_link::WebLink;

/// How much of a page is looked at: its head is at its beginning.
pub(crate) const MOST_BYTES: u64 = 256 << 10;

/// The links of `<link rel=… href=…>` elements before the body of an HTML page, in their order, each
/// resolved against the page's `<base href>`, or `url` where it has none. Not more than the first
/// 256 KiB are looked at.
#[must_use]
pub fn html_links(html: &[u8], url: &Url) -> Vec<WebLink> {
    let most = html.len().min(MOST_BYTES as usize);
    let mut emitter = DefaultEmitter::default();
    // A `<link>` in a script or in a title is not one.
    emitter.naively_switch_states(true);
    let mut base = None;
    let mut found = Vec::new();
    for Ok(token) in Tokenizer::new_with_emitter(&html[..most], emitter) {
        let Token::StartTag(tag) = token else { continue };
        match &tag.name[..] {
            b"body" => break,
            // The first one counts, for the links before it, too.
            b"base" => base = base.or_else(|| url.join(&attribute(&tag, "href")?).ok()),
            b"link" => found.push(tag),
            _ => {}
        }
    }
    let base = base.as_ref().unwrap_or(url);
    let link = |tag: &StartTag<()>| {
        let (href, rel) = (attribute(tag, "href")?, attribute(tag, "rel")?);
        WebLink::new(base, &href, &rel, attribute(tag, "type"))
    };
    found.iter().filter_map(link).collect()
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    let value = tag.attributes.get(&HtmlString(name.as_bytes().to_owned()))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(html: &str) -> Vec<String> {
        let url = Url::parse("http://a.example/folder/page").unwrap();
        html_links(html.as_bytes(), &url)
            .iter()
            .map(|link| format!("{} {}", link.rels.join("+"), link.target))
            .collect()
    }

    #[test]
    fn links_are_found_however_they_are_written() {
        for (html, expected) in [
            (
                "<!doctype html><head><link rel=\"resourcesync\" href=\"c.xml\"/></head>",
                &["resourcesync http://a.example/folder/c.xml"][..],
            ),
            (
                "<LINK HREF='/c.xml' REL='Alternate  ResourceSync'>",
                &["alternate+resourcesync http://a.example/c.xml"],
            ),
            (
                "<link rel=resourcesync href=//b.example/c?a=1&amp;b=%20>",
                &["resourcesync http://b.example/c?a=1&b=%20"],
            ),
            (
                "<link rel=a href=x><base href='/other/'><base href='/third/'><link rel=b href=y>",
                &["a http://a.example/other/x", "b http://a.example/other/y"],
            ),
            ("<title><link rel=a href=x></title>", &[]),
            ("<script>'<link rel=a href=x>'</script>", &[]),
            ("<!-- <link rel=a href=x> -->", &[]),
            ("<body><link rel=a href=x>", &[]),
            ("<link rel=a><link href=x><link rel='' href=x>", &[]),
            ("<link rel=a href='http://['><link rel=b href=y>", &["b http://a.example/folder/y"]),
            ("plain text, 1 < 2", &[]),
            ("", &[]),
        ] {
            assert_eq!(links(html), expected, "{html}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_page_is_looked_at() {
        let far = " ".repeat(MOST_BYTES as usize) + "<link rel=a href=x>";
        assert_eq!(links(&far), [""; 0]);
        assert_eq!(links(far.trim_start()).len(), 1);
    }
}
