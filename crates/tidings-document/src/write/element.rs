//! The model as XML. One entry is one line, so that a difference between two versions of a document
//! is a difference of lines.

use crate::xml::escape;
use crate::xml::namespace::{RESOURCESYNC, SITEMAP};
use crate::{Attribute, Entry, Form, Hash, Head, Link, Metadata, Moment};

/// Where elements are written to.
pub(super) struct Sink<'o> {
    pub(super) out: &'o mut Vec<u8>,
    /// False once a character came up that XML does not allow.
    pub(super) sound: bool,
    /// False once a tag or text came up that is longer than readers take.
    pub(super) short: bool,
}

/// The longest tag or extension that is written; the default limit of readers is 64 KiB.
const LONGEST: usize = 60 << 10;

impl Sink<'_> {
    #[inline]
    fn raw(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    /// An attribute; `opening` is the blank before it, its name and what follows up to its value.
    #[inline]
    fn attribute(&mut self, opening: &[u8], value: &str) {
        self.raw(opening);
        self.sound &= escape::write(self.out, value, true);
        self.out.push(b'"');
    }

    #[inline]
    fn optional(&mut self, opening: &[u8], value: Option<&str>) {
        if let Some(value) = value {
            self.attribute(opening, value);
        }
    }

    #[inline]
    fn moment(&mut self, opening: &[u8], time: Option<Moment>) {
        if let Some(time) = time {
            self.raw(opening);
            time.write(self.out);
            self.out.push(b'"');
        }
    }

    #[inline]
    fn number(&mut self, opening: &[u8], value: Option<u64>) {
        let Some(mut value) = value else { return };
        let mut digits = [b'0'; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        self.raw(opening);
        self.raw(&digits[first..]);
        self.out.push(b'"');
    }

    fn foreign(&mut self, attributes: &[Attribute<'_>]) {
        for one in attributes {
            self.out.push(b' ');
            self.raw(one.name.as_bytes());
            self.attribute(b"=\"", &one.value);
        }
    }

    pub(super) fn head(&mut self, head: &Head<'_>, plain: bool) {
        self.raw(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<");
        self.raw(head.form.root().as_bytes());
        self.attribute(b" xmlns=\"", SITEMAP);
        if !plain {
            self.attribute(b" xmlns:rs=\"", RESOURCESYNC);
        }
        for (prefix, namespace) in &head.namespaces {
            self.raw(b" xmlns:");
            self.raw(prefix.as_bytes());
            self.attribute(b"=\"", namespace);
        }
        self.foreign(&head.attributes);
        self.raw(b">\n");
        self.short &= self.out.len() < LONGEST;
        for link in &head.links {
            self.raw(b"  ");
            self.link(link);
            self.out.push(b'\n');
        }
        if !head.metadata.is_empty() {
            self.raw(b"  ");
            self.metadata(&head.metadata);
            self.out.push(b'\n');
        }
        for extension in &head.extensions {
            self.raw(b"  ");
            self.raw(extension.as_bytes());
            self.out.push(b'\n');
        }
    }

    /// An entry: what is of other namespaces comes last, as the Sitemap protocol's schema wants it.
    #[inline]
    pub(super) fn entry(&mut self, entry: &Entry<'_>, form: Form) {
        self.raw(match form {
            Form::List => b"  <url><loc>".as_slice(),
            Form::Index => b"  <sitemap><loc>",
        });
        // It was checked to be a URI.
        escape::write_uri(self.out, &entry.loc);
        match entry.lastmod {
            Some(lastmod) => {
                self.raw(b"</loc><lastmod>");
                lastmod.write(self.out);
                self.raw(b"</lastmod>");
            }
            None => self.raw(b"</loc>"),
        }
        if let Some(changefreq) = entry.changefreq {
            self.raw(b"<changefreq>");
            self.raw(changefreq.name().as_bytes());
            self.raw(b"</changefreq>");
        }
        if let Some(priority) = entry.priority {
            self.raw(format!("<priority>{priority}</priority>").as_bytes());
        }
        if !entry.metadata.is_empty() {
            self.metadata(&entry.metadata);
        }
        for link in &entry.links {
            self.link(link);
        }
        for extension in &entry.extensions {
            self.raw(extension.as_bytes());
        }
        self.raw(match form {
            Form::List => b"</url>\n".as_slice(),
            Form::Index => b"</sitemap>\n",
        });
    }

    fn metadata(&mut self, md: &Metadata<'_>) {
        let start = self.out.len();
        self.raw(b"<rs:md");
        self.optional(b" capability=\"", md.capability.map(crate::Capability::name));
        self.optional(b" change=\"", md.change.map(crate::Change::name));
        self.moment(b" datetime=\"", md.datetime);
        self.moment(b" at=\"", md.at);
        self.moment(b" completed=\"", md.completed);
        self.moment(b" from=\"", md.from);
        self.moment(b" until=\"", md.until);
        self.optional(b" hash=\"", md.hash.as_ref().map(Hash::as_str));
        self.number(b" length=\"", md.length);
        self.optional(b" type=\"", md.media_type.as_deref());
        self.optional(b" encoding=\"", md.encoding.as_deref());
        self.optional(b" path=\"", md.path.as_deref());
        self.foreign(&md.attributes);
        self.raw(b"/>");
        self.short &= self.out.len() - start < LONGEST;
    }

    fn link(&mut self, link: &Link<'_>) {
        let start = self.out.len();
        self.raw(b"<rs:ln");
        self.attribute(b" rel=\"", &link.rel);
        self.number(b" pri=\"", link.pri.map(u64::from));
        self.attribute(b" href=\"", &link.href);
        self.moment(b" modified=\"", link.modified);
        self.optional(b" hash=\"", link.hash.as_ref().map(Hash::as_str));
        self.number(b" length=\"", link.length);
        self.optional(b" type=\"", link.media_type.as_deref());
        self.optional(b" encoding=\"", link.encoding.as_deref());
        self.optional(b" path=\"", link.path.as_deref());
        self.foreign(&link.attributes);
        self.raw(b"/>");
        self.short &= self.out.len() - start < LONGEST;
    }
}

pub(super) fn end(form: Form) -> &'static [u8] {
    match form {
        Form::List => b"</urlset>\n",
        Form::Index => b"</sitemapindex>\n",
    }
}
