//! JSON Feed 1.1.

use std::borrow::Cow;

use serde::Serialize;

use crate::atom::language_of;
use crate::feed::some;
use crate::{Entry, Feed, markup, time, uri};

const VERSION: &str = "https://jsonfeed.org/version/1.1";

/// The feed as a JSON Feed document.
#[must_use]
pub fn json_feed(feed: &Feed) -> String {
    let link = |wanted: &str| feed.links.iter().find(|link| link.rel == wanted);
    let hubs = feed.links.iter().filter(|link| link.rel == "hub");
    let document = Document {
        version: VERSION,
        title: feed.shown_title(),
        home_page_url: uri::web(&feed.home),
        feed_url: uri::web(&feed.own),
        description: some(feed.subtitle.as_ref()),
        // The next items are older ones: of the same feed, or in its archive (RFC 5005, 3 and 4).
        next_url: link("next").or_else(|| link("prev-archive")).and_then(|one| uri::web(&one.href)),
        icon: feed.icon.as_deref().and_then(uri::web),
        authors: authors(feed.author.as_ref()),
        language: language_of(feed),
        hubs: hubs
            .filter_map(|hub| Some(Hub { kind: "WebSub", url: uri::web(&hub.href)? }))
            .collect(),
        items: feed.each().map(|(entry, id)| item(entry, id)).collect(),
    };
    // There is nothing in it that JSON could not hold.
    serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
}

fn item<'f>(entry: &'f Entry, id: Cow<'f, str>) -> Item<'f> {
    let mut html = markup::content(entry);
    html.push_str(entry.html.as_deref().unwrap_or_default());
    let summary = some(entry.summary.as_ref());
    // There has to be content, in one way or the other.
    let text = match summary {
        _ if !html.is_empty() => None,
        Some(summary) => Some(Cow::Borrowed(summary)),
        None => Some(entry.shown_title()),
    };
    let mut tags: Vec<&str> = Vec::with_capacity(entry.categories.len());
    for category in &entry.categories {
        let tag = category.shown().trim();
        if !tag.is_empty() && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    Item {
        id,
        url: uri::web(&entry.link),
        title: entry.shown_title(),
        content_html: (!html.is_empty()).then_some(html),
        content_text: text,
        summary,
        date_published: entry.published.map(time::rfc3339),
        date_modified: time::rfc3339(entry.updated),
        authors: authors(entry.author.as_ref()),
        tags,
    }
}

fn authors(name: Option<&String>) -> Vec<Author<'_>> {
    some(name).map(|name| Author { name }).into_iter().collect()
}

#[derive(Serialize)]
struct Document<'f> {
    version: &'static str,
    title: Cow<'f, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    home_page_url: Option<Cow<'f, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feed_url: Option<Cow<'f, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_url: Option<Cow<'f, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    icon: Option<Cow<'f, str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<Author<'f>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'f str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hubs: Vec<Hub<'f>>,
    items: Vec<Item<'f>>,
}

#[derive(Serialize)]
struct Author<'f> {
    name: &'f str,
}

#[derive(Serialize)]
struct Hub<'f> {
    #[serde(rename = "type")]
    kind: &'static str,
    url: Cow<'f, str>,
}

#[derive(Serialize)]
struct Item<'f> {
    id: Cow<'f, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<Cow<'f, str>>,
    title: Cow<'f, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_text: Option<Cow<'f, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'f str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date_published: Option<String>,
    date_modified: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authors: Vec<Author<'f>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'f str>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Category, FeedLink, Section};

    #[test]
    fn the_whole_of_a_small_feed() {
        let entry = Entry {
            id: "tag:e.example,2026:1".into(),
            title: "1 < 2".into(),
            updated: "2026-03-01T00:00:00Z".parse().unwrap(),
            link: "http://e.example/1".into(),
            categories: vec![Category { term: "new".into(), ..Category::default() }; 2],
            content: vec![Section { heading: "New".into(), ..Section::default() }],
            ..Entry::default()
        };
        let link = |rel: &str, href: &str| FeedLink {
            rel: rel.into(),
            href: href.into(),
            ..FeedLink::default()
        };
        let feed = Feed {
            title: "T".into(),
            home: "http://e.example/".into(),
            own: "http://f.example/a.json".into(),
            author: Some("Anna".into()),
            links: vec![
                link("hub", "http://hub.example/"),
                link("hub", "javascript:x"),
                link("prev-archive", "http://f.example/1.json"),
            ],
            entries: vec![entry],
            ..Feed::default()
        };
        assert_eq!(
            json_feed(&feed),
            r#"{
  "version": "https://jsonfeed.org/version/1.1",
  "title": "T",
  "home_page_url": "http://e.example/",
  "feed_url": "http://f.example/a.json",
  "next_url": "http://f.example/1.json",
  "authors": [
    {
      "name": "Anna"
    }
  ],
  "hubs": [
    {
      "type": "WebSub",
      "url": "http://hub.example/"
    }
  ],
  "items": [
    {
      "id": "tag:e.example,2026:1",
      "url": "http://e.example/1",
      "title": "1 < 2",
      "content_html": "<h3>New</h3>\n",
      "date_modified": "2026-03-01T00:00:00Z",
      "tags": [
        "new"
      ]
    }
  ]
}
"#
        );
    }

    #[test]
    fn an_item_has_content_of_some_kind() {
        let entry = Entry { title: "T".into(), ..Entry::default() };
        let feed = Feed { entries: vec![entry], ..Feed::default() };
        assert!(json_feed(&feed).contains("\"content_text\": \"T\""));
    }
}
