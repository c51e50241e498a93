//! RSS 2.0, as the RSS Advisory Board's Best Practices Profile has it.

use crate::atom::{HISTORY, NAMESPACE, declaration, language_of};
use crate::feed::some;
use crate::link::Links;
use crate::{Category, Entry, Feed, escape, markup, time, uri};

/// A name is written by it, as RSS's own `author` is an e-mail address.
const DUBLIN_CORE: &str = "http://purl.org/dc/elements/1.1/";

/// The feed as an RSS 2.0 document. Links that RSS has no element for, those of archives too, are
/// Atom's.
#[must_use]
pub fn rss(feed: &Feed) -> String {
    let mut out = String::with_capacity(1024 + 1024 * feed.entries.len());
    declaration(&mut out, feed);
    out.push_str("<rss version=\"2.0\"");
    escape::attribute(&mut out, "xmlns:atom", NAMESPACE);
    escape::attribute(&mut out, "xmlns:dc", DUBLIN_CORE);
    if feed.is_archive {
        escape::attribute(&mut out, "xmlns:fh", HISTORY);
    }
    out.push_str(">\n<channel>\n");
    head(&mut out, feed);
    for (entry, id) in feed.each() {
        item(&mut out, entry, &id);
    }
    out.push_str("</channel>\n</rss>\n");
    out
}

fn head(out: &mut String, feed: &Feed) {
    let title = feed.shown_title();
    // Title, link and description have to be there. An identifier is an address, too, if one that
    // leads nowhere.
    let home = uri::web(&feed.home).or_else(|| uri::web(&feed.own));
    let home = home.unwrap_or_else(|| feed.identifier());
    escape::element(out, "title", &title);
    escape::element(out, "link", &home);
    escape::element(out, "description", some(feed.subtitle.as_ref()).unwrap_or(&title));
    if let Some(tag) = language_of(feed) {
        escape::element(out, "language", tag);
    }
    if let Some(name) = some(feed.author.as_ref()) {
        escape::element(out, "dc:creator", name);
    }
    escape::element(out, "lastBuildDate", &time::rfc822(feed.updated));
    escape::element(out, "generator", &format!("Tidings {}", feed.version));
    escape::element(out, "docs", "https://www.rssboard.org/rss-specification");
    if let Some(icon) = feed.icon.as_deref().and_then(uri::web) {
        out.push_str("<image>\n");
        escape::element(out, "url", &icon);
        escape::element(out, "title", &title);
        escape::element(out, "link", &home);
        out.push_str("</image>\n");
    }
    let mut links = Links::new("atom:link");
    links.write(out, ("self", &feed.own), Some("application/rss+xml"), None);
    links.write_all(out, &feed.links);
    if feed.is_archive {
        out.push_str("<fh:archive/>\n");
    }
}

fn item(out: &mut String, entry: &Entry, id: &str) {
    out.push_str("<item>\n<guid isPermaLink=\"false\">");
    escape::text(out, id);
    out.push_str("</guid>\n");
    escape::element(out, "title", &entry.shown_title());
    if let Some(link) = uri::web(&entry.link) {
        escape::element(out, "link", &link);
    }
    escape::element(out, "pubDate", &time::rfc822(entry.published.unwrap_or(entry.updated)));
    if let Some(name) = some(entry.author.as_ref()) {
        escape::element(out, "dc:creator", name);
    }
    for one in &entry.categories {
        category(out, one);
    }
    Links::new("atom:link").write_all(out, &entry.related);
    let description = markup::whole(entry);
    if !description.is_empty() {
        escape::element(out, "description", &description);
    }
    out.push_str("</item>\n");
}

fn category(out: &mut String, category: &Category) {
    if category.term.trim().is_empty() {
        return;
    }
    out.push_str("<category");
    if let Some(scheme) = some(category.scheme.as_ref()) {
        escape::attribute(out, "domain", scheme);
    }
    out.push('>');
    escape::text(out, category.shown().trim());
    out.push_str("</category>\n");
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
