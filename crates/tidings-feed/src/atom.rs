//! Atom (RFC 4287), with the archives of RFC 5005.

use std::borrow::Cow;

use tidings_base::XmlWriter;

use crate::feed::some;
use crate::link::Links;
use crate::{Category, Entry, Feed, language, markup, time, uri};

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
    let mut out = XmlWriter::document(1024 + 1024 * feed.entries.len());
    stylesheet(&mut out, feed);
    let history = feed.is_archive.then_some(HISTORY);
    out.open("feed").attribute("xmlns", NAMESPACE).attribute_if("xmlns:fh", history);
    out.attribute_if("xml:lang", language_of(feed)).end_line();
    out.element("id", &feed.identifier());
    out.element("title", &feed.shown_title());
    if let Some(subtitle) = some(feed.subtitle.as_ref()) {
        out.element("subtitle", subtitle);
    }
    out.element("updated", &time::rfc3339(feed.updated));
    let title = feed.shown_title();
    author(&mut out, some(feed.author.as_ref()).unwrap_or(&title));
    let mut links = Links::new("link");
    links.write(&mut out, ("alternate", &feed.home), Some("text/html"), None);
    links.write(&mut out, ("self", &feed.own), Some("application/atom+xml"), None);
    links.write_all(&mut out, &feed.links);
    if let Some(icon) = feed.icon.as_deref().and_then(uri::web) {
        out.element("icon", &icon);
    }
    out.open("generator").attribute("version", feed.version).text("Tidings").close().end_line();
    if feed.is_archive {
        out.open("fh:archive").close().end_line();
    }
    for (one, id) in feed.each() {
        entry(&mut out, one, &id);
    }
    out.close().end_line();
    out.finish()
}

/// The stylesheet for people (Associating Style Sheets with XML, 3). Its address may be relative to the
/// document's, but never a script's.
pub(crate) fn stylesheet(out: &mut XmlWriter, feed: &Feed) {
    let href = feed.stylesheet.as_deref().map(str::trim).unwrap_or_default();
    let relative = url::Url::parse(href) == Err(url::ParseError::RelativeUrlWithoutBase);
    let as_it_is = || (relative && !href.is_empty()).then_some(Cow::Borrowed(href));
    if let Some(href) = uri::web(href).or_else(as_it_is) {
        out.instruction("xml-stylesheet", &[("type", "text/css"), ("href", &href)]);
    }
}

pub(crate) fn language_of(feed: &Feed) -> Option<&str> {
    some(feed.language.as_ref()).filter(|tag| language::is_tag(tag))
}

fn entry(out: &mut XmlWriter, entry: &Entry, id: &str) {
    out.open("entry").end_line();
    out.element("id", id);
    out.element("title", &entry.shown_title());
    out.element("updated", &time::rfc3339(entry.updated));
    if let Some(published) = entry.published {
        out.element("published", &time::rfc3339(published));
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
        out.element("summary", summary);
    }
    if !content(out, entry) && !has_link {
        // An entry has an alternate or content (RFC 4287, 4.1.2).
        out.element("content", summary.unwrap_or(&entry.shown_title()));
    }
    out.close().end_line();
}

/// False if there is none, and nothing has been written.
fn content(out: &mut XmlWriter, entry: &Entry) -> bool {
    if let Some(html) = some(entry.html.as_ref()) {
        out.open("content").attribute("type", "html").text(html).close().end_line();
        return true;
    }
    let sections = markup::content(entry);
    if sections.is_empty() {
        return false;
    }
    out.open("content").attribute("type", "xhtml");
    out.open("div").attribute("xmlns", XHTML).end_line();
    out.markup(&sections).close().close().end_line();
    true
}

fn author(out: &mut XmlWriter, name: &str) {
    out.open("author").open("name").text(name).close().close().end_line();
}

fn category(out: &mut XmlWriter, category: &Category) {
    if category.term.trim().is_empty() {
        return;
    }
    let scheme = some(category.scheme.as_ref()).filter(|scheme| uri::is_iri(scheme));
    out.open("category").attribute("term", category.term.trim()).attribute_if("scheme", scheme);
    out.attribute_if("label", some(category.label.as_ref())).close().end_line();
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
            html: None,
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
    fn html_is_written_as_text() {
        let html = Some("<p>1 &lt; 2<br>".to_owned());
        let feed = Feed { entries: vec![Entry { html, ..Entry::default() }], ..Feed::default() };
        let content = "<content type=\"html\">&lt;p&gt;1 &amp;lt; 2&lt;br&gt;</content>";
        assert!(atom(&feed).contains(content), "{}", atom(&feed));
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
