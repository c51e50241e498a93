//! OPML 2.0.

use jiff::Timestamp;

use super::{Opml, Outline};
use crate::{escape, time, uri};

impl Opml {
    /// The list as an OPML 2.0 document. An address that is no absolute `http` or `https` URL is left
    /// out; a feed without a kind is of the kind `rss`, as subscription lists have it.
    #[must_use]
    pub fn write(&self, created: Option<Timestamp>) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        out.push_str("<opml version=\"2.0\">\n<head>\n");
        escape::element(&mut out, "title", &self.title);
        if let Some(created) = created {
            escape::element(&mut out, "dateCreated", &time::rfc822(created));
        }
        out.push_str("</head>\n<body>\n");
        outlines(&mut out, &self.outlines);
        out.push_str("</body>\n</opml>\n");
        out
    }
}

fn outlines(out: &mut String, all: &[Outline]) {
    for outline in all {
        let address = |url: &Option<String>| uri::web(url.as_deref()?).map(|url| url.into_owned());
        let (feed, page) = (address(&outline.xml_url), address(&outline.html_url));
        let kind = outline.kind.as_deref().or(feed.as_ref().map(|_| "rss"));
        let attributes = [
            ("text", Some(&outline.text[..])),
            ("type", kind),
            ("xmlUrl", feed.as_deref()),
            ("htmlUrl", page.as_deref()),
        ];
        out.push_str("<outline");
        for (name, value) in attributes {
            if let Some(value) = value {
                escape::attribute(out, name, value);
            }
        }
        if outline.children.is_empty() {
            out.push_str("/>\n");
            continue;
        }
        out.push_str(">\n");
        outlines(out, &outline.children);
        out.push_str("</outline>\n");
    }
}
