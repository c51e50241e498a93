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
        let Some(writer) = &mut self.writer else { return };
        let alt = alt.map(str::trim).unwrap_or_default();
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
