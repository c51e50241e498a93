//! What the head of a page says.

use url::Url;

use super::{Description, json};
use crate::html::{self, Piece, Tag};
use crate::{language, plain, uri};

/// Reads a page's own words: first those of Dublin Core, which are meant for this, then the usual
/// ones, then those for social networks; JSON-LD fills the gaps.
pub(super) fn read(text: &str, url: &Url) -> Description {
    let mut tags = Vec::new();
    let (mut title, mut in_title) = (None, None::<String>);
    let (mut linked, mut in_data) = (Description::default(), None::<String>);
    for piece in html::pieces(text.as_bytes()) {
        match piece {
            Piece::Start(tag) if tag.is("title") && title.is_none() => {
                in_title = Some(String::new());
            }
            Piece::Start(tag) if tag.is("script") => {
                in_data = is_data(&tag).then(String::new);
            }
            Piece::Start(tag) if ["html", "base", "meta", "link"].iter().any(|n| tag.is(n)) => {
                tags.push(tag);
            }
            Piece::Text(text) => {
                if let Some(open) = in_data.as_mut().or(in_title.as_mut()) {
                    open.push_str(&text);
                }
            }
            Piece::End(name) if name == "title" => {
                title = title.or_else(|| plain::line(&in_title.take()?));
            }
            Piece::End(name) if name == "script" => {
                if let Some(data) = in_data.take() {
                    linked = linked.or(json::read(&data, url));
                }
            }
            _ => {}
        }
    }
    head(&tags, title, url).or(linked)
}

fn is_data(tag: &Tag) -> bool {
    let kind = tag.attribute("type").unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/ld+json")
}

fn head(tags: &[Tag], title: Option<String>, url: &Url) -> Description {
    let meta = |names: &[&str]| names.iter().find_map(|name| meta(tags, name));
    let lang = || tags.iter().find(|tag| tag.is("html"))?.attribute("lang");
    let locale = || meta(&["dc.language", "dcterms.language", "content-language", "og:locale"]);
    let base = html::base(tags, url);
    let icon = |rel: &str| {
        let mut links = tags.iter().filter(|tag| tag.is("link") && tag.has_rel(rel));
        links.find_map(|tag| uri::resolve(&base, &tag.attribute("href")?))
    };
    Description {
        title: meta(&["dc.title", "dcterms.title", "og:title"])
            .or(title)
            .or_else(|| meta(&["og:site_name"])),
        author: meta(&["dc.creator", "dcterms.creator", "author", "dc.publisher"]),
        language: lang().and_then(|tag| language::tag(&tag)).or_else(|| language::tag(&locale()?)),
        description: meta(&["dc.description", "dcterms.description", "description"])
            .or_else(|| meta(&["dcterms.abstract", "og:description"])),
        icon: icon("icon").or_else(|| icon("apple-touch-icon")),
    }
}

/// The content of the first `<meta>` of that name that has any.
fn meta(tags: &[Tag], name: &str) -> Option<String> {
    tags.iter().filter(|tag| tag.is("meta")).find_map(|tag| {
        let mut names = ["name", "property", "http-equiv"].iter().filter_map(|n| tag.attribute(n));
        let is_it = names.any(|one| one.trim().eq_ignore_ascii_case(name));
        is_it.then(|| plain::line(&tag.attribute("content")?)).flatten()
    })
}
