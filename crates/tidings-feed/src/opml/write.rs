//! OPML 2.0.

use jiff::Timestamp;

use tidings_base::XmlWriter;

use super::{FollowedSite, Opml, Outline};
use crate::{time, uri};

impl Opml {
    /// The list as an OPML 2.0 document. An address that is no absolute `http` or `https` URL is left
    /// out; a feed without a kind is of the kind `rss`, as subscription lists have it.
    #[must_use]
    pub fn write(&self, created: Option<Timestamp>) -> String {
        let mut out = XmlWriter::document(256);
        let is_extended = self.all().any(|outline| outline.site.is_some());
        out.open("opml").attribute("version", "2.0");
        out.attribute_if("xmlns:tidings", is_extended.then_some(FollowedSite::NAMESPACE))
            .end_line();
        out.open("head").end_line();
        out.element("title", &self.title);
        if let Some(created) = created {
            out.element("dateCreated", &time::rfc822(created));
        }
        out.close().end_line();
        out.open("body").end_line();
        outlines(&mut out, &self.outlines);
        out.close().end_line().close().end_line();
        out.finish()
    }
}

fn outlines(out: &mut XmlWriter, all: &[Outline]) {
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
        out.open("outline");
        for (name, value) in attributes {
            out.attribute_if(name, value);
        }
        if let Some(site) = &outline.site
            && let Some(url) = uri::web(&site.url)
        {
            out.attribute("tidings:site", &url);
            for (name, value) in &site.settings {
                out.attribute(&format!("tidings:{name}"), value);
            }
        }
        if !outline.children.is_empty() {
            out.end_line();
            outlines(out, &outline.children);
        }
        out.close().end_line();
    }
}
