//! Links of a feed and of its entries.

use tidings_base::XmlWriter;

use crate::uri;

/// A link as Atom has it (RFC 4287, 4.2.7). What is no absolute `http` or `https` URL is not
/// written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedLink {
    /// What the target is to the feed, such as `hub`.
    pub rel: String,
    /// The target.
    pub href: String,
    /// What is to be expected there.
    pub media_type: Option<String>,
    /// What people read.
    pub title: Option<String>,
}

/// Writes the links of one feed or entry.
///
/// There may be only one `alternate` of a type (RFC 4287, 4.1.1 and 4.1.2; no language is ever
/// given), so the later ones are left out.
pub(crate) struct Links<'f> {
    /// `link`, or with a prefix where Atom is a guest.
    element: &'static str,
    alternates: Vec<Option<&'f str>>,
}

impl<'f> Links<'f> {
    pub(crate) fn new(element: &'static str) -> Self {
        Self { element, alternates: Vec::new() }
    }

    /// True if the link has been written.
    pub(crate) fn write(
        &mut self,
        out: &mut XmlWriter,
        (rel, href): (&str, &str),
        media_type: Option<&'f str>,
        title: Option<&str>,
    ) -> bool {
        let Some(href) = uri::web(href) else { return false };
        let media_type = media_type.filter(|name| is_media_type(name));
        if !is_rel(rel) || (rel == "alternate" && self.alternates.contains(&media_type)) {
            return false;
        }
        if rel == "alternate" {
            self.alternates.push(media_type);
        }
        out.open(self.element).attribute("rel", rel).attribute_if("type", media_type);
        out.attribute_if("title", title.filter(|title| !title.trim().is_empty()));
        out.attribute("href", &href).close().end_line();
        true
    }

    pub(crate) fn write_all(&mut self, out: &mut XmlWriter, links: &'f [FeedLink]) {
        for link in links {
            let (media_type, title) = (link.media_type.as_deref(), link.title.as_deref());
            self.write(out, (&link.rel, &link.href), media_type, title);
        }
    }
}

/// A registered name or an IRI, and only one (RFC 4287, 4.2.7.2).
fn is_rel(rel: &str) -> bool {
    !rel.is_empty() && rel.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whatever a media type is, it has a slash in it.
fn is_media_type(name: &str) -> bool {
    let printable = name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    printable && name.split_once('/').is_some_and(|(kind, of)| !kind.is_empty() && !of.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(rel: &str, href: &str, media_type: Option<&str>) -> FeedLink {
        FeedLink {
            rel: rel.into(),
            href: href.into(),
            media_type: media_type.map(Into::into),
            title: None,
        }
    }

    #[test]
    fn what_cannot_be_a_link_is_left_out() {
        let links = [
            link("hub", "http://a.example/?x&y", None),
            link("hub", "javascript:alert(1)", None),
            link("", "http://a.example/", None),
            link("a b", "http://a.example/", None),
            link("via", "http://a.example/", Some("nonsense")),
        ];
        let mut out = XmlWriter::fragment(0);
        Links::new("link").write_all(&mut out, &links);
        assert_eq!(
            out.finish(),
            "<link rel=\"hub\" href=\"http://a.example/?x&amp;y\"/>\n\
             <link rel=\"via\" href=\"http://a.example/\"/>\n"
        );
    }

    #[test]
    fn there_is_one_alternate_of_a_type() {
        let links = [
            link("alternate", "http://a.example/1", Some("text/html")),
            link("alternate", "http://a.example/2", Some("text/html")),
            link("alternate", "http://a.example/3", Some("application/rss+xml")),
            link("alternate", "http://a.example/4", None),
            link("alternate", "http://a.example/5", None),
        ];
        let mut out = XmlWriter::fragment(0);
        Links::new("atom:link").write_all(&mut out, &links);
        let out = out.finish();
        let written: Vec<bool> = (1..=5).map(|n| out.contains(&format!("/{n}\""))).collect();
        assert_eq!(written, [true, false, true, true, false]);
    }
}
