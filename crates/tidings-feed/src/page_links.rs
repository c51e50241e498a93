//! The links of a page that a person could follow.

use url::Url;

use crate::{decode, html, uri};

/// How many links of a page are taken.
const MAX_LINKS: usize = 2_000;

/// What the `<a>` elements of a page lead to, each once and without its fragment, in their order.
#[must_use]
pub fn page_links(bytes: &[u8], content_type: Option<&str>, url: &Url) -> Vec<Url> {
    let text = decode::decode(bytes, content_type);
    let tags: Vec<html::Tag> = html::tags(text.as_bytes())
        .filter(|tag| ["a", "base"].iter().any(|name| tag.is(name)))
        .take(MAX_LINKS)
        .collect();
    let base = html::base(&tags, url);
    let mut links: Vec<Url> = Vec::new();
    for tag in tags.iter().filter(|tag| tag.is("a") && !tag.has_rel("nofollow")) {
        let Some(href) = tag.attribute("href") else { continue };
        let Some(mut link) = uri::resolve(&base, &href) else { continue };
        link.set_fragment(None);
        if !links.contains(&link) {
            links.push(link);
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_resolved_and_taken_once() {
        let html = "<base href=/b/><a href=x>1</a><a href='x#y'>2</a><a name=z>3</a>\
            <a href='mailto:a@b'>4</a><a rel=nofollow href=/w>5</a><a href='http://c.example/?q'>6</a>";
        let url = Url::parse("http://a.example/").unwrap();
        let links: Vec<String> = page_links(html.as_bytes(), Some("text/html"), &url)
            .into_iter()
            .map(String::from)
            .collect();
        assert_eq!(links, ["http://a.example/b/x", "http://c.example/?q"]);
    }
}
