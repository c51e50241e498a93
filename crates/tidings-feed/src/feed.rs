//! What all three formats are written from.

use std::borrow::Cow;
use std::collections::HashSet;

use jiff::Timestamp;

use crate::{FeedLink, uri};

/// A feed, or one page of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feed {
    /// For ever the same, such as a `tag:` URI (RFC 4287, 4.2.6).
    pub id: String,
    /// What it is called.
    pub title: String,
    /// A sentence about it.
    pub subtitle: Option<String>,
    /// When it last changed in a way that matters.
    pub updated: Timestamp,
    /// Whose it is. Atom falls back to the title: RFC 4287, 4.1.1, wants an author unless each entry
    /// has one.
    pub author: Option<String>,
    /// Of its texts. Written only if it looks like a language tag (BCP 47).
    pub language: Option<String>,
    /// The page of the collection itself.
    pub home: String,
    /// The URL of this very document.
    pub own: String,
    /// Further links: `hub`, `via`, `describedby`, `prev-archive`, other formats.
    pub links: Vec<FeedLink>,
    /// The URL of a small picture.
    pub icon: Option<String>,
    /// Whether this document will never change again (RFC 5005, 4).
    pub is_archive: bool,
    /// The `href` of a CSS for people who open the document in a browser. It may be relative.
    pub stylesheet: Option<String>,
    /// The version of the generator, whose name is Tidings.
    pub version: &'static str,
    /// The newest first. Of those with the same id only the first is written.
    pub entries: Vec<Entry>,
}

/// One piece of news.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entry {
    /// For ever the same, such as a `tag:` URI.
    pub id: String,
    /// In one line. If empty, the link or the id stands in for it.
    pub title: String,
    /// When it last changed in a way that matters.
    pub updated: Timestamp,
    /// When it was first there.
    pub published: Option<Timestamp>,
    /// The page of the news.
    pub link: String,
    /// Further links.
    pub related: Vec<FeedLink>,
    /// What it is about.
    pub categories: Vec<Category>,
    /// In a few words, plain text.
    pub summary: Option<String>,
    /// At length.
    pub content: Vec<Section>,
    /// The same as HTML, made safe by whoever gives it.
    pub html: Option<String>,
    /// Whose it is, if not the feed's author's.
    pub author: Option<String>,
}

/// What an entry is about (RFC 4287, 4.2.2).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Category {
    /// For programs. A category without one is not written.
    pub term: String,
    /// The IRI of the scheme the term is from.
    pub scheme: Option<String>,
    /// For people.
    pub label: Option<String>,
}

impl Category {
    /// What people read.
    pub(crate) fn shown(&self) -> &str {
        self.label.as_deref().filter(|label| !label.trim().is_empty()).unwrap_or(&self.term)
    }
}

/// A part of an entry's content: a heading and a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// Above the list.
    pub heading: String,
    /// The list.
    pub items: Vec<Item>,
    /// How many more there are than the list shows.
    pub more: u64,
    /// Where these can be seen.
    pub more_link: Option<String>,
}

/// One line of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// What people read.
    pub text: String,
    /// What it leads to.
    pub href: Option<String>,
    /// When, as it is shown: a W3C datetime.
    pub time: Option<String>,
    /// What else is to be said.
    pub note: Option<String>,
    /// What changed, as a unified diff.
    pub diff: Option<String>,
}

impl Feed {
    pub(crate) fn identifier(&self) -> Cow<'_, str> {
        uri::identifier(&[&self.id, &self.own, &self.home, &self.title])
    }

    pub(crate) fn shown_title(&self) -> Cow<'_, str> {
        shown(&[&self.title, &self.home]).map_or_else(|| self.identifier(), Cow::Borrowed)
    }

    /// The entries with their identifiers, none of which is there twice (RFC 4287, 4.1.1).
    pub(crate) fn each(&self) -> impl Iterator<Item = (&Entry, Cow<'_, str>)> {
        let mut seen = HashSet::with_capacity(self.entries.len());
        self.entries.iter().filter_map(move |entry| {
            let id = entry.identifier();
            seen.insert(id.clone()).then_some((entry, id))
        })
    }
}

impl Entry {
    fn identifier(&self) -> Cow<'_, str> {
        uri::identifier(&[&self.id, &self.link, &self.title])
    }

    pub(crate) fn shown_title(&self) -> Cow<'_, str> {
        shown(&[&self.title, &self.link]).map_or_else(|| self.identifier(), Cow::Borrowed)
    }
}

/// The first of the texts in which there is anything to see.
fn shown<'t>(texts: &[&'t str]) -> Option<&'t str> {
    texts.iter().map(|text| text.trim()).find(|text| !text.is_empty())
}

/// A text, if there is anything in it to see.
pub(crate) fn some(text: Option<&String>) -> Option<&str> {
    shown(&[text?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_never_empty() {
        let mut entry =
            Entry { id: "tag:e,2026:1".into(), title: " \n".into(), ..Entry::default() };
        assert_eq!(entry.shown_title(), "tag:e,2026:1");
        entry.link = "http://e.example/".into();
        assert_eq!(entry.shown_title(), "http://e.example/");
        entry.title = " T ".into();
        assert_eq!(entry.shown_title(), "T");
        assert!(!Entry::default().shown_title().is_empty());
        assert!(!Feed::default().shown_title().is_empty());
    }

    #[test]
    fn no_id_is_there_twice() {
        let entry = |id: &str, title: &str| Entry {
            id: id.into(),
            title: title.into(),
            ..Entry::default()
        };
        let entries = vec![entry("tag:a", "1"), entry("tag:b", "2"), entry("tag:a", "3")];
        let feed = Feed { entries, ..Feed::default() };
        let titles: Vec<&str> = feed.each().map(|(entry, _)| &entry.title[..]).collect();
        assert_eq!(titles, ["1", "2"]);
    }
}
