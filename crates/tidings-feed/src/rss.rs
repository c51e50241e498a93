//! RSS 2.0, as the RSS Advisory Board's Best Practices Profile has it.

use tidings_base::XmlWriter;

use crate::atom::{HISTORY, NAMESPACE, language_of, stylesheet};
use crate::feed::some;
use crate::link::Links;
use crate::{Category, Entry, Feed, markup, time, uri};

/// A name is written by it, as RSS's own `author` is an e-mail address.
const DUBLIN_CORE: &str = "http://purl.org/dc/elements/1.1/";

/// The feed as an RSS 2.0 document. Links that RSS has no element for, those of archives too, are
/// Atom's.
#[must_use]
pub fn rss(feed: &Feed) -> String {
    let mut out = XmlWriter::document(1024 + 1024 * feed.entries.len());
    stylesheet(&mut out, feed);
    out.open("rss").attribute("version", "2.0").attribute("xmlns:atom", NAMESPACE);
    let history = feed.is_archive.then_some(HISTORY);
    out.attribute("xmlns:dc", DUBLIN_CORE).attribute_if("xmlns:fh", history).end_line();
    out.open("channel").end_line();
    head(&mut out, feed);
    for (entry, id) in feed.each() {
        item(&mut out, entry, &id);
    }
    out.close().end_line().close().end_line();
    out.finish()
}

fn head(out: &mut XmlWriter, feed: &Feed) {
    let title = feed.shown_title();
    // Title, link and description have to be there. An identifier is an address, too, if one that
    // leads nowhere.
    let home = uri::web(&feed.home).or_else(|| uri::web(&feed.own));
    let home = home.unwrap_or_else(|| feed.identifier());
    out.element("title", &title);
    out.element("link", &home);
    out.element("description", some(feed.subtitle.as_ref()).unwrap_or(&title));
    if let Some(tag) = language_of(feed) {
        out.element("language", tag);
    }
    if let Some(name) = some(feed.author.as_ref()) {
        out.element("dc:creator", name);
    }
    out.element("lastBuildDate", &time::rfc822(feed.updated));
    out.element("generator", &format!("Tidings {}", feed.version));
    out.element("docs", "https://www.rssboard.org/rss-specification");
    if let Some(icon) = feed.icon.as_deref().and_then(uri::web) {
        out.open("image").end_line();
        out.element("url", &icon).element("title", &title).element("link", &home);
        out.close().end_line();
    }
    let mut links = Links::new("atom:link");
    links.write(out, ("self", &feed.own), Some("application/rss+xml"), None);
    links.write_all(out, &feed.links);
    if feed.is_archive {
        out.open("fh:archive").close().end_line();
    }
}

fn item(out: &mut XmlWriter, entry: &Entry, id: &str) {
    out.open("item").end_line();
    out.open("guid").attribute("isPermaLink", "false").text(id).close().end_line();
    out.element("title", &entry.shown_title());
    if let Some(link) = uri::web(&entry.link) {
        out.element("link", &link);
    }
    out.element("pubDate", &time::rfc822(entry.published.unwrap_or(entry.updated)));
    if let Some(name) = some(entry.author.as_ref()) {
        out.element("dc:creator", name);
    }
    for one in &entry.categories {
        category(out, one);
    }
    Links::new("atom:link").write_all(out, &entry.related);
    let description = markup::whole(entry);
    if !description.is_empty() {
        out.element("description", &description);
    }
    out.close().end_line();
}

fn category(out: &mut XmlWriter, category: &Category) {
    if category.term.trim().is_empty() {
        return;
    }
    out.open("category").attribute_if("domain", some(category.scheme.as_ref()));
    out.text(category.shown().trim()).close().end_line();
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
            updated: "2026-03-01T00:00:00Z".parse().unwrap(),
            link: "http://e.example/1".into(),
            categories: vec![Category {
                term: "created".into(),
                scheme: Some("http://e.example/scheme".into()),
                label: Some("New".into()),
            }],
            summary: Some("Tom & Anna".into()),
            content: vec![Section {
                heading: "New".into(),
                items: vec![Item { text: "<a>".into(), ..Item::default() }],
                ..Section::default()
            }],
            author: Some("Anna".into()),
            ..Entry::default()
        };
        let feed = Feed {
            id: "tag:e.example,2026:feed".into(),
            title: "T".into(),
            updated: "2026-03-01T00:00:00Z".parse().unwrap(),
            home: "http://e.example/".into(),
            own: "http://f.example/a.rss".into(),
            links: vec![FeedLink {
                rel: "prev-archive".into(),
                href: "http://f.example/1.rss".into(),
                ..FeedLink::default()
            }],
            icon: Some("http://e.example/i.png".into()),
            version: "0.1.0",
            entries: vec![entry],
            ..Feed::default()
        };
        assert_eq!(
            rss(&feed),
            r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>T</title>
<link>http://e.example/</link>
<description>T</description>
<lastBuildDate>Sun, 01 Mar 2026 00:00:00 GMT</lastBuildDate>
<generator>Tidings 0.1.0</generator>
<docs>https://www.rssboard.org/rss-specification</docs>
<image>
<url>http://e.example/i.png</url>
<title>T</title>
<link>http://e.example/</link>
</image>
<atom:link rel="self" type="application/rss+xml" href="http://f.example/a.rss"/>
<atom:link rel="prev-archive" href="http://f.example/1.rss"/>
<item>
<guid isPermaLink="false">tag:e.example,2026:1</guid>
<title>1 &lt; 2</title>
<link>http://e.example/1</link>
<pubDate>Sun, 01 Mar 2026 00:00:00 GMT</pubDate>
<dc:creator>Anna</dc:creator>
<category domain="http://e.example/scheme">New</category>
<description>&lt;p&gt;Tom &amp;amp; Anna&lt;/p&gt;
&lt;h3&gt;New&lt;/h3&gt;
&lt;ul&gt;
&lt;li&gt;&amp;lt;a&amp;gt;&lt;/li&gt;
&lt;/ul&gt;
</description>
</item>
</channel>
</rss>
"#
        );
    }
}
