//! Atom (RFC 4287), with the archives of RFC 5005.

use std::borrow::Cow;

use crate::feed::some;
use crate::link::Links;
use crate::{Category, Entry, Feed, escape, language, markup, time, uri};

pub(crate) const NAMESPACE: &str = "http://www.w3.org/2005/Atom";
/// RFC 5005, 2.
pub(crate) const HISTORY: &str = "http://purl.org/syndication/history/1.0";
const XHTML: &str = "http://www.w3.org/1999/xhtml";

/// The feed as an Atom document.
///
/// Content is XHTML in its own namespace, not escaped text: so a browser that shows the document by
/// its stylesheet still has links that work.
#[must_use]
pub fn atom(feed: &Feed) -> String {
    let mut out = String::with_capacity(1024 + 1024 * feed.entries.len());
    declaration(&mut out, feed);
    out.push_str("<feed");
    escape::attribute(&mut out, "xmlns", NAMESPACE);
    if feed.is_archive {
        escape::attribute(&mut out, "xmlns:fh", HISTORY);
    }
    if let Some(tag) = language_of(feed) {
        escape::attribute(&mut out, "xml:lang", tag);
    }
    out.push_str(">\n");
    escape::element(&mut out, "id", &feed.identifier());
    escape::element(&mut out, "title", &feed.shown_title());
    if let Some(subtitle) = some(feed.subtitle.as_ref()) {
        escape::element(&mut out, "subtitle", subtitle);
    }
    escape::element(&mut out, "updated", &time::rfc3339(feed.updated));
    let title = feed.shown_title();
    author(&mut out, some(feed.author.as_ref()).unwrap_or(&title));
    let mut links = Links::new("link");
    links.write(&mut out, ("alternate", &feed.home), Some("text/html"), None);
    links.write(&mut out, ("self", &feed.own), Some("application/atom+xml"), None);
    links.write_all(&mut out, &feed.links);
    if let Some(icon) = feed.icon.as_deref().and_then(uri::web) {
        escape::element(&mut out, "icon", &icon);
    }
    out.push_str("<generator");
    escape::attribute(&mut out, "version", feed.version);
    out.push_str(">Tidings</generator>\n");
    if feed.is_archive {
        out.push_str("<fh:archive/>\n");
    }
    for (one, id) in feed.each() {
        entry(&mut out, one, &id);
    }
    out.push_str("</feed>\n");
    out
}

/// The XML declaration and the stylesheet for people (Associating Style Sheets with XML, 3). The
/// sheet's address may be relative to the document's, but never a script's.
pub(crate) fn declaration(out: &mut String, feed: &Feed) {
    out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let href = feed.stylesheet.as_deref().map(str::trim).unwrap_or_default();
    let relative = url::Url::parse(href) == Err(url::ParseError::RelativeUrlWithoutBase);
    let as_it_is = || (relative && !href.is_empty()).then_some(Cow::Borrowed(href));
    if let Some(href) = uri::web(href).or_else(as_it_is) {
        out.push_str("<?xml-stylesheet type=\"text/css\"");
        escape::attribute(out, "href", &href);
        out.push_str("?>\n");
    }
}

pub(crate) fn language_of(feed: &Feed) -> Option<&str> {
    some(feed.language.as_ref()).filter(|tag| language::is_tag(tag))
}

fn entry(out: &mut String, entry: &Entry, id: &str) {
    out.push_str("<entry>\n");
    escape::element(out, "id", id);
    escape::element(out, "title", &entry.shown_title());
    escape::element(out, "updated", &time::rfc3339(entry.updated));
    if let Some(published) = entry.published {
        escape::element(out, "published", &time::rfc3339(published));
    }
    if let Some(name) = some(entry.author.as_ref()) {
        author(out, name);
    }
    let mut links = Links::new("link");
    let has_link = links.write(out, ("alternate", &entry.link), None, None);
    links.write_all(out, &entry.related);
    for one in &entry.categories {
        category(out, one);
    }
    let summary = some(entry.summary.as_ref());
    if let Some(summary) = summary {
        escape::element(out, "summary", summary);
    }
    if !content(out, entry) && !has_link {
        // An entry has an alternate or content (RFC 4287, 4.1.2).
        escape::element(out, "content", summary.unwrap_or(&entry.shown_title()));
    }
    out.push_str("</entry>\n");
}

/// False if there is none, and nothing has been written.
fn content(out: &mut String, entry: &Entry) -> bool {
    let before = out.len();
    out.push_str("<content type=\"xhtml\"><div");
    escape::attribute(out, "xmlns", XHTML);
    out.push_str(">\n");
    let begin = out.len();
    markup::sections(out, &entry.content);
    if out.len() == begin {
        out.truncate(before);
        return false;
    }
    out.push_str("</div></content>\n");
    true
}

fn author(out: &mut String, name: &str) {
    out.push_str("<author><name>");
    escape::text(out, name);
    out.push_str("</name></author>\n");
}

fn category(out: &mut String, category: &Category) {
    if category.term.trim().is_empty() {
        return;
    }
    out.push_str("<category");
    escape::attribute(out, "term", category.term.trim());
    if let Some(scheme) = some(category.scheme.as_ref()).filter(|scheme| uri::is_iri(scheme)) {
        escape::attribute(out, "scheme", scheme);
    }
    if let Some(label) = some(category.label.as_ref()) {
        escape::attribute(out, "label", label);
    }
    out.push_str("/>\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FeedLink, Item, Section};

    #[test]
    fn the_whole_of_a_small_feed() {
        let entry = Entry {
            id: "tag:e.example,2026:1".into(),
            title: "1 < 2".into(),
            updated: "2026-03-01T00:00:00.5Z".parse().unwrap(),
            published: Some("2026-02-01T00:00:00Z".parse().unwrap()),
            link: "http://e.example/1".into(),
            related: vec![FeedLink {
                rel: "related".into(),
                href: "http://e.example/x".into(),
                ..FeedLink::default()
            }],
            categories: vec![Category { term: "created".into(), ..Category::default() }],
            summary: Some("One".into()),
            content: vec![Section {
                heading: "New".into(),
                items: vec![Item { text: "a".into(), ..Item::default() }],
                ..Section::default()
            }],
            author: Some("Anna".into()),
        };
        let feed = Feed {
            id: "tag:e.example,2026:feed".into(),
            title: "T".into(),
            updated: "2026-03-01T00:00:00Z".parse().unwrap(),
            language: Some("en".into()),
            home: "http://e.example/".into(),
            own: "http://f.example/a.atom?b&c".into(),
            is_archive: true,
            stylesheet: Some("/feed.css?a&b\"?>".into()),
            version: "0.1.0",
            entries: vec![entry],
            ..Feed::default()
        };
        assert_eq!(
            atom(&feed),
            r#"<?xml version="1.0" encoding="UTF-8"?>
<?xml-stylesheet type="text/css" href="/feed.css?a&amp;b&quot;?&gt;"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:fh="http://purl.org/syndication/history/1.0" xml:lang="en">
<id>tag:e.example,2026:feed</id>
<title>T</title>
<updated>2026-03-01T00:00:00Z</updated>
<author><name>T</name></author>
<link rel="alternate" type="text/html" href="http://e.example/"/>
<link rel="self" type="application/atom+xml" href="http://f.example/a.atom?b&amp;c"/>
<generator version="0.1.0">Tidings</generator>
<fh:archive/>
<entry>
<id>tag:e.example,2026:1</id>
<title>1 &lt; 2</title>
<updated>2026-03-01T00:00:00.5Z</updated>
<published>2026-02-01T00:00:00Z</published>
<author><name>Anna</name></author>
<link rel="alternate" href="http://e.example/1"/>
<link rel="related" href="http://e.example/x"/>
<category term="created"/>
<summary>One</summary>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
<h3>New</h3>
<ul>
<li>a</li>
</ul>
</div></content>
</entry>
</feed>
"#
        );
    }

    #[test]
    fn an_entry_without_a_link_has_content() {
        let entry = Entry { title: "T".into(), link: "javascript:x".into(), ..Entry::default() };
        let feed = Feed { entries: vec![entry], ..Feed::default() };
        let text = atom(&feed);
        assert!(text.contains("<content>T</content>"), "{text}");
        assert!(!text.contains("href=\"javascript"), "{text}");
    }

    #[test]
    fn a_stylesheet_is_no_script() {
        for (href, expected) in [
            ("javascript:x", false),
            ("data:text/css,x", false),
            ("", false),
            ("feed.css", true),
            ("https://e.example/feed.css", true),
        ] {
            let feed = Feed { stylesheet: Some(href.into()), ..Feed::default() };
            assert_eq!(atom(&feed).contains("xml-stylesheet"), expected, "{href}");
        }
    }
}
