//! What a collection says about itself.

mod dublin_core;
mod json;
mod page;

use url::Url;

use crate::survey::Survey;
use crate::{TakenFeed, decode, html};

/// What a collection says about itself. All texts are plain, in one line of at most 300 characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Description {
    /// What it is called.
    pub title: Option<String>,
    /// Whose it is.
    pub author: Option<String>,
    /// Of its texts: a language tag.
    pub language: Option<String>,
    /// A sentence about it.
    pub description: Option<String>,
    /// A small picture.
    pub icon: Option<Url>,
}

impl Description {
    /// Reads Dublin Core in XML, JSON-LD or other JSON, the head of a feed, or HTML: whichever the
    /// document looks like, and the `Content-Type` says where it looks like none. `None` if there is
    /// nothing useful in it.
    #[must_use]
    pub fn read(bytes: &[u8], content_type: Option<&str>, url: &Url) -> Option<Self> {
        let text = decode::decode(bytes, content_type);
        let text = text.trim_start();
        let media_type = decode::media_type(content_type).unwrap_or_default();
        let read = match text.as_bytes().first()? {
            b'{' | b'[' => json::read(text, url),
            b'<' if html::is_html(text) => page::read(text, url),
            b'<' if media_type == "text/html" && !text.starts_with("<?xml") => {
                page::read(text, url)
            }
            b'<' => xml(text, url),
            _ if media_type.contains("html") => page::read(text, url),
            _ => return None,
        };
        (read != Self::default()).then_some(read)
    }

    /// This, with its gaps filled from the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            title: self.title.or(other.title),
            author: self.author.or(other.author),
            language: self.language.or(other.language),
            description: self.description.or(other.description),
            icon: self.icon.or(other.icon),
        }
    }
}

fn xml(text: &str, url: &Url) -> Description {
    let survey = Survey::of(text);
    if survey.has_entities || survey.is_deep {
        return Description::default();
    }
    let is_feed = matches!(&survey.root[..], "feed" | "rss" | "RDF");
    match is_feed.then(|| TakenFeed::read_text(text, url)) {
        // RDF without a channel of RSS 1.0 is some other RDF.
        Some(Ok((feed, icon))) if survey.root != "RDF" || feed.title.is_some() => Description {
            title: feed.title,
            author: feed.author,
            language: feed.language,
            description: feed.description,
            icon,
        },
        _ if survey.root == "html" => page::read(text, url),
        _ => dublin_core::read(text),
    }
}

#[cfg(test)]
mod tests;
