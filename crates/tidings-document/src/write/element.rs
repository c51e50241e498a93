//! The model as XML. One entry is one line, so that a difference between two versions of a document
//! is a difference of lines.

use crate::xml::escape;
use crate::xml::namespace::{RESOURCESYNC, SITEMAP};
use crate::{Attribute, Entry, Form, Head, Link, Metadata, Moment};

pub(super) fn head(out: &mut Vec<u8>, head: &Head<'_>, plain: bool) {
    out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<");
    out.extend_from_slice(head.form.root().as_bytes());
    attribute(out, "xmlns", SITEMAP);
    if !plain {
        attribute(out, "xmlns:rs", RESOURCESYNC);
    }
    for (prefix, namespace) in &head.namespaces {
        out.extend_from_slice(b" xmlns:");
        out.extend_from_slice(prefix.as_bytes());
        quoted(out, namespace);
    }
    foreign(out, &head.attributes);
    out.extend_from_slice(b">\n");
    for one in &head.links {
        out.extend_from_slice(b"  ");
        link(out, one);
        out.push(b'\n');
    }
    if !head.metadata.is_empty() {
        out.extend_from_slice(b"  ");
        metadata(out, &head.metadata);
        out.push(b'\n');
    }
    for extension in &head.extensions {
        out.extend_from_slice(b"  ");
        out.extend_from_slice(extension.as_bytes());
        out.push(b'\n');
    }
}

pub(super) fn end(form: Form) -> &'static [u8] {
    match form {
        Form::List => b"</urlset>\n",
        Form::Index => b"</sitemapindex>\n",
    }
}

/// An entry: what is of other namespaces comes last, as the Sitemap protocol's schema wants it.
#[inline]
pub(super) fn entry(out: &mut Vec<u8>, entry: &Entry<'_>, form: Form) {
    out.extend_from_slice(match form {
        Form::List => b"  <url><loc>".as_slice(),
        Form::Index => b"  <sitemap><loc>",
    });
    escape::write(out, &entry.loc, false);
    out.extend_from_slice(b"</loc>");
    if let Some(lastmod) = entry.lastmod {
        out.extend_from_slice(b"<lastmod>");
        lastmod.write(out);
        out.extend_from_slice(b"</lastmod>");
    }
    if let Some(changefreq) = entry.changefreq {
        out.extend_from_slice(b"<changefreq>");
        out.extend_from_slice(changefreq.name().as_bytes());
        out.extend_from_slice(b"</changefreq>");
    }
    if let Some(priority) = entry.priority {
        out.extend_from_slice(format!("<priority>{priority}</priority>").as_bytes());
    }
    if !entry.metadata.is_empty() {
        metadata(out, &entry.metadata);
    }
    for one in &entry.links {
        link(out, one);
    }
    for extension in &entry.extensions {
        out.extend_from_slice(extension.as_bytes());
    }
    out.extend_from_slice(match form {
        Form::List => b"</url>\n".as_slice(),
        Form::Index => b"</sitemap>\n",
    });
}

fn metadata(out: &mut Vec<u8>, md: &Metadata<'_>) {
    out.extend_from_slice(b"<rs:md");
    if let Some(capability) = md.capability {
        attribute(out, "capability", capability.name());
    }
    if let Some(change) = md.change {
        attribute(out, "change", change.name());
    }
    for (name, time) in [
        ("datetime", md.datetime),
        ("at", md.at),
        ("completed", md.completed),
        ("from", md.from),
        ("until", md.until),
    ] {
        moment(out, name, time);
    }
    representation(
        out,
        md.hash.as_ref().map(crate::Hash::as_str),
        md.length,
        md.media_type.as_deref(),
    );
    for (name, value) in [("encoding", &md.encoding), ("path", &md.path)] {
        if let Some(value) = value {
            attribute(out, name, value);
        }
    }
    foreign(out, &md.attributes);
    out.extend_from_slice(b"/>");
}

fn link(out: &mut Vec<u8>, link: &Link<'_>) {
    out.extend_from_slice(b"<rs:ln");
    attribute(out, "rel", &link.rel);
    if let Some(pri) = link.pri {
        number(out, "pri", pri.into());
    }
    attribute(out, "href", &link.href);
    moment(out, "modified", link.modified);
    representation(
        out,
        link.hash.as_ref().map(crate::Hash::as_str),
        link.length,
        link.media_type.as_deref(),
    );
    for (name, value) in [("encoding", &link.encoding), ("path", &link.path)] {
        if let Some(value) = value {
            attribute(out, name, value);
        }
    }
    foreign(out, &link.attributes);
    out.extend_from_slice(b"/>");
}

fn representation(
    out: &mut Vec<u8>,
    hash: Option<&str>,
    length: Option<u64>,
    media_type: Option<&str>,
) {
    if let Some(hash) = hash {
        attribute(out, "hash", hash);
    }
    if let Some(length) = length {
        number(out, "length", length);
    }
    if let Some(media_type) = media_type {
        attribute(out, "type", media_type);
    }
}

fn moment(out: &mut Vec<u8>, name: &str, time: Option<Moment>) {
    if let Some(time) = time {
        out.push(b' ');
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"=\"");
        time.write(out);
        out.push(b'"');
    }
}

fn number(out: &mut Vec<u8>, name: &str, mut value: u64) {
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
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    out.extend_from_slice(&digits[first..]);
    out.push(b'"');
}

fn attribute(out: &mut Vec<u8>, name: &str, value: &str) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    quoted(out, value);
}

fn quoted(out: &mut Vec<u8>, value: &str) {
    out.extend_from_slice(b"=\"");
    escape::write(out, value, true);
    out.push(b'"');
}

fn foreign(out: &mut Vec<u8>, attributes: &[Attribute<'_>]) {
    for one in attributes {
        attribute(out, &one.name, &one.value);
    }
}
