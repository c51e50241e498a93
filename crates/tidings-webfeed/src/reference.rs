//! The files that a page or a style sheet uses, and the places at which it names them.
//!
//! This is about what authors wrote, and not about what readers show: a page keeps its bytes, but for
//! addresses of files that got another name.

mod html;
mod sheet;

use std::ops::Range;

use url::Url;

pub(crate) use html::in_page;
pub(crate) use sheet::in_sheet;

/// A file that a page uses to be shown, by its address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Subresource {
    /// Where the file is.
    pub url: Url,
    /// What it is used as.
    pub kind: SubresourceKind,
}

/// What a page uses a file as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SubresourceKind {
    /// A picture.
    Picture,
    /// A style sheet.
    StyleSheet,
    /// The icon of the page's author.
    Icon,
    /// Sound, a film, a font, or something embedded: readers link to it at most.
    Other,
}

/// A place at which a page or a style sheet names a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) kind: SubresourceKind,
    /// The address, as it is meant.
    pub(crate) address: String,
    /// The bytes that stand for it.
    pub(crate) span: Range<usize>,
    /// What stands before and after the address where it is replaced.
    pub(crate) around: [&'static str; 2],
}

/// What a page uses.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// `<base href>`.
    pub(crate) base: Option<String>,
    pub(crate) found: Vec<Reference>,
}

/// How many files of a page, or of a style sheet, are looked at.
const MAX_REFERENCES: usize = 1_000;

/// The files that a page uses, each once.
#[must_use]
pub fn subresources_of_page(html: &[u8], at: &Url) -> Vec<Subresource> {
    let References { base, found } = in_page(html);
    let base = base.and_then(|base| at.join(&base).ok());
    resolved(&found, base.as_ref().unwrap_or(at))
}

/// The files that a style sheet uses, each once.
#[must_use]
pub fn subresources_of_sheet(css: &str, at: &Url) -> Vec<Subresource> {
    resolved(&in_sheet(css), at)
}

fn resolved(found: &[Reference], base: &Url) -> Vec<Subresource> {
    let mut seen = std::collections::HashSet::new();
    let resolve = |reference: &Reference| {
        let mut url = base.join(&reference.address).ok()?;
        url.set_fragment(None);
        let is_web = matches!(url.scheme(), "http" | "https");
        is_web.then_some(Subresource { url, kind: reference.kind })
    };
    found.iter().filter_map(resolve).filter(|one| seen.insert(one.clone())).collect()
}

/// The bytes with other addresses at some places. The places are those of [`in_page`] or [`in_sheet`].
pub(crate) fn replaced(bytes: &[u8], mut places: Vec<(&Reference, String)>) -> Vec<u8> {
    places.sort_by_key(|(reference, _)| reference.span.start);
    let mut text = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for (reference, address) in places {
        let Range { start, end } = reference.span;
        if start < at || end > bytes.len() {
            continue;
        }
        text.extend_from_slice(&bytes[at..start]);
        let [before, after] = reference.around;
        for part in [before, &address, after] {
            text.extend_from_slice(part.as_bytes());
        }
        at = end;
    }
    text.extend_from_slice(&bytes[at..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(html: &str) -> Vec<(SubresourceKind, String)> {
        in_page(html.as_bytes()).found.into_iter().map(|one| (one.kind, one.address)).collect()
    }

    #[test]
    fn a_page_names_its_files_in_attributes_and_styles() {
        use SubresourceKind::{Icon, Other, Picture, StyleSheet};
        let html = "<link rel='shortcut icon' href=i.png><link rel=stylesheet href='a b.css'>
            <link rel=next href=no.html><style>@import 'x.css'; p{background:url( y.png )}</style>
            <section style='background:url(\"z.png\")'><img src=a&amp;b.png srcset='c.png 2x, d.png 3x'>
            <picture><source srcset=e.png></picture><video src=f.mp4 poster=g.jpg></video>
            <div style=\"background:url(&quot;h.png&quot;)\"></div><embed src=k.pdf><object data=l.svg></object>
            <a href=page.html>no</a><img src='data:image/png,x'><img src=''>";
        let expected = [
            (Icon, "i.png"),
            (StyleSheet, "a b.css"),
            (StyleSheet, "x.css"),
            (Picture, "y.png"),
            (Picture, "z.png"),
            (Picture, "a&b.png"),
            (Picture, "c.png"),
            (Picture, "d.png"),
            (Picture, "e.png"),
            (Other, "f.mp4"),
            (Picture, "g.jpg"),
            (Picture, "h.png"),
            (Other, "k.pdf"),
            (Other, "l.svg"),
        ];
        let mut found = named(html);
        found.retain(|(_, address)| !address.starts_with("data:"));
        assert_eq!(found, expected.map(|(kind, address)| (kind, address.to_owned())));
    }

    #[test]
    fn addresses_are_replaced_where_they_stand() {
        let html = "<img src=a.png><img alt=\"x\" src=\"a.png\"><p style='background:url(&quot;a.png&quot;) top'>\
                    <img srcset='a.png 2x, b.png 3x'><style>p{background:url('a.png')}@import \"a.png\";</style>";
        let References { found, .. } = in_page(html.as_bytes());
        let of_a = found.iter().filter(|one| one.address == "a.png");
        let text = replaced(html.as_bytes(), of_a.map(|one| (one, "n/e.png".to_owned())).collect());
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "<img src=n/e.png><img alt=\"x\" src=\"n/e.png\"><p style='background:url(n/e.png) top'>\
             <img srcset='n/e.png 2x, b.png 3x'><style>p{background:url(n/e.png)}@import url(n/e.png);</style>"
        );
    }

    #[test]
    fn a_sheet_names_its_files_wherever_they_stand() {
        let css =
            "@charset 'x'; @import url(a.css) screen; @namespace url(http://www.w3.org/1999/xhtml);
            @font-face{src:url(f.woff2)} @media x{a{b:url('c.png')} d{e:image-set('g.png' 1x)}} \
            h{background:url(data:image/png,x), url(#i), url(https://a.example/j.png)}";
        let found: Vec<_> = in_sheet(css).into_iter().map(|one| one.address).collect();
        assert_eq!(
            found,
            ["a.css", "f.woff2", "c.png", "g.png", "data:image/png,x", "https://a.example/j.png"]
        );
        let at = Url::parse("https://a.example/s/").unwrap();
        assert_eq!(subresources_of_sheet(css, &at).len(), 5);
        assert!(in_sheet(&"{".repeat(100_000)).is_empty(), "depth has an end");
    }

    #[test]
    fn the_base_of_a_page_counts() {
        let at = Url::parse("https://a.example/f/p.html").unwrap();
        let found = subresources_of_page(b"<base href=/y/><img src=x.png><img src=x.png#a>", &at);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].url.as_str(), "https://a.example/y/x.png");
    }
}
