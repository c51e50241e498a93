//! Writes tags: which attributes they keep, and what pictures become.

use super::address::first_of_set;
use super::attribute::Attribute;
use super::element::Element;
use super::page::Page;
use super::tokens::Attributes;

impl Page<'_> {
    /// Writes an element that has neither content nor end tag.
    pub(super) fn empty(&mut self, element: Element, attributes: &Attributes) {
        if element.name() == "hr" {
            let keep = self.stack.paragraph();
            self.pop_to(keep);
        }
        if element.name() == "img" {
            let src = attributes.get(Attribute::Src).filter(|src| !src.trim().is_empty());
            let src = src.or_else(|| attributes.get(Attribute::Srcset).and_then(first_of_set));
            let alt = attributes.get(Attribute::Alt);
            self.picture(src.unwrap_or_default(), attributes, alt);
        } else if element.name() != "col" || self.stack.has_place_for_column() {
            self.start_tag(element, attributes);
            if let (Some(writer), "br" | "hr") = (&mut self.writer, element.name()) {
                writer.part();
            }
        }
    }

    /// Writes a picture, or what it shows.
    pub(super) fn picture(&mut self, address: &str, attributes: &Attributes, alt: Option<&str>) {
        if self.writer.is_none() {
            return;
        }
        let alt = alt.map(str::trim).unwrap_or_default();
        if is_not_shown(address) {
            let label =
                if alt.is_empty() { "Drawing".to_owned() } else { format!("Drawing: {alt}") };
            return self.link_instead(&label, Some(address));
        }
        let Some(writer) = &mut self.writer else { return };
        let Some(address) = self.addresses.picture(address) else {
            if !alt.is_empty() {
                writer.stand_in(alt);
            }
            return;
        };
        let Some(element) = Element::of(b"img") else { return };
        writer.picture(alt);
        writer.open(element);
        writer.attribute(Attribute::Src, address.as_bytes());
        self.attributes(element, attributes);
    }

    /// Writes a link with a label instead of what is not shown; without an address it leads to the post.
    pub(super) fn link_instead(&mut self, label: &str, address: Option<&str>) {
        let Some(writer) = &mut self.writer else { return };
        let link = match address {
            Some(address) => self.addresses.link(address),
            None => self.addresses.own(),
        };
        let Some(element) = Element::of(b"a") else { return };
        let Some(link) = link.filter(|_| !self.stack.is_in_link()) else {
            return writer.stand_in(label);
        };
        writer.open(element);
        writer.attribute(Attribute::Href, link.as_str().as_bytes());
        writer.leads_away();
        writer.close();
        writer.text(label.as_bytes());
        writer.end(element);
    }

    pub(super) fn start_tag(&mut self, element: Element, attributes: &Attributes) {
        if let Some(writer) = &mut self.writer {
            writer.open(element);
            self.attributes(element, attributes);
        }
    }

    /// Writes those attributes that are let through, and ends the tag.
    fn attributes(&mut self, element: Element, attributes: &Attributes) {
        let Some(writer) = &mut self.writer else { return };
        for (attribute, value) in attributes.iter() {
            match attribute {
                Attribute::Style => {
                    let style = std::str::from_utf8(value).map(|css| self.addresses.style(css));
                    if let Some(style) = style.ok().filter(|style| !style.is_empty()) {
                        writer.attribute(attribute, style.as_bytes());
                    }
                }
                Attribute::Href if element.name() == "a" && is_place(value) => {
                    writer.attribute(attribute, value);
                }
                Attribute::Href if element.name() == "a" => {
                    let link =
                        std::str::from_utf8(value).ok().and_then(|href| self.addresses.link(href));
                    if let Some(link) = link {
                        writer.attribute(attribute, link.as_str().as_bytes());
                        writer.leads_away();
                    }
                }
                _ if attribute.is_kept(element, value) => {
                    let value = if attribute.is_flag() { b"" } else { value };
                    writer.attribute(attribute, value);
                }
                _ => {}
            }
        }
        writer.close();
    }
}

/// Whether a link leads to another place of the same page.
fn is_place(address: &[u8]) -> bool {
    address.strip_prefix(b"#").is_some_and(super::attribute::is_id)
}

/// Whether a picture is of a kind that is never shown, by its name.
fn is_not_shown(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default().trim();
    let extension = path.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
    ["svg", "svgz", "avif", "heic", "tif", "tiff"]
        .iter()
        .any(|it| extension.eq_ignore_ascii_case(it))
}
