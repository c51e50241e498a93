//! What the writer refuses that the model's types let through. Characters that XML does not allow
//! are seen when they are written.

use super::WriteError;
use crate::uri::{self, UriFault};
use crate::xml::escape::first_forbidden;
use crate::xml::namespace::{Bindings, Namespace, declared_prefix, split};
use crate::xml::scan::{RawAttribute, Scanner, Token};
use crate::{Attribute, Entry, Head, Link, Metadata, Rule, rule};

type Result = std::result::Result<(), WriteError>;

fn refuse(rule: &'static Rule, detail: impl Into<String>) -> Result {
    Err(WriteError::Refused { rule, detail: detail.into() })
}

/// Checks the parts of a head that the conformance rules do not look at.
pub(super) fn head(head: &Head<'_>) -> Result {
    for (prefix, namespace) in &head.namespaces {
        let reserved = matches!(prefix.as_ref(), "" | "rs" | "xml" | "xmlns");
        let foreign = Bindings::default().classify(namespace) == Namespace::Foreign;
        if reserved || !is_name(prefix) || !foreign {
            return refuse(rule::xml::PREFIX, format!("the prefix {prefix:?}"));
        }
    }
    if head.namespaces.len() + head.attributes.len() > MOST_FOREIGN {
        return refuse(rule::limit::ATTRIBUTES, "too many foreign namespaces and attributes");
    }
    let prefixes: Vec<&str> = head.namespaces.iter().map(|(prefix, _)| prefix.as_ref()).collect();
    for (place, prefix) in prefixes.iter().enumerate() {
        if prefixes[..place].contains(prefix) {
            return refuse(rule::xml::PREFIX, format!("the prefix {prefix:?} twice"));
        }
    }
    attributes(&head.attributes, &prefixes)?;
    head.links.iter().try_for_each(|one| link(one, &prefixes))?;
    metadata(&head.metadata, &prefixes)?;
    head.extensions.iter().try_for_each(|xml| extension(xml, &prefixes))
}

/// Checks the values of an entry.
pub(super) fn entry(entry: &Entry<'_>, prefixes: &[&str]) -> Result {
    match uri::check(&entry.loc) {
        Ok(()) => {}
        Err(_) if entry.loc.is_empty() => {
            return refuse(rule::sitemap::LOC_MISSING, "an entry without a URI");
        }
        Err(fault) => {
            let rule = match fault {
                UriFault::Relative => rule::sitemap::LOC_RELATIVE,
                UriFault::NotAscii => rule::sitemap::LOC_IRI,
                UriFault::Character => rule::sitemap::LOC_CHARACTER,
            };
            return refuse(rule, format!("loc {:?}", entry.loc));
        }
    }
    if entry.loc.len() > 8 << 10 {
        return refuse(rule::sitemap::LOC_TOO_LONG, format!("a loc of {} bytes", entry.loc.len()));
    }
    metadata(&entry.metadata, prefixes)?;
    entry.links.iter().try_for_each(|one| link(one, prefixes))?;
    entry.extensions.iter().try_for_each(|xml| extension(xml, prefixes))
}

fn metadata(md: &Metadata<'_>, prefixes: &[&str]) -> Result {
    if let Some(media_type) = &md.media_type {
        media(media_type)?;
    }
    attributes(&md.attributes, prefixes)
}

fn link(link: &Link<'_>, prefixes: &[&str]) -> Result {
    if link.rel.is_empty() {
        return refuse(rule::resourcesync::REL_MISSING, "a link without rel");
    }
    if link.href.is_empty() {
        return refuse(rule::resourcesync::HREF_MISSING, "a link without href");
    }
    if uri::check(&link.href).is_err() {
        return refuse(rule::resourcesync::HREF, format!("href {:?}", link.href));
    }
    if link.pri.is_some_and(|pri| !(1..=999_999).contains(&pri)) {
        return refuse(rule::resourcesync::PRI, "a pri out of range");
    }
    if let Some(media_type) = &link.media_type {
        media(media_type)?;
    }
    attributes(&link.attributes, prefixes)
}

fn media(media_type: &str) -> Result {
    if !uri::is_media_type(media_type) {
        return refuse(rule::resourcesync::MEDIA_TYPE, format!("type {media_type:?}"));
    }
    Ok(())
}

/// How many foreign attributes or namespaces are written on one element: with our own, fewer than
/// readers take.
const MOST_FOREIGN: usize = 40;

fn attributes(attributes: &[Attribute<'_>], prefixes: &[&str]) -> Result {
    if attributes.len() > MOST_FOREIGN {
        return refuse(rule::limit::ATTRIBUTES, format!("{} foreign attributes", attributes.len()));
    }
    for (place, attribute) in attributes.iter().enumerate() {
        let (prefix, local) = split(&attribute.name);
        let bound = prefix == "xml" || prefixes.contains(&prefix);
        if !bound || !is_name(local) {
            return refuse(rule::xml::PREFIX, format!("an attribute {:?}", attribute.name));
        }
        if attributes[..place].iter().any(|other| other.name == attribute.name) {
            return refuse(rule::xml::MALFORMED, format!("the attribute {} twice", attribute.name));
        }
    }
    Ok(())
}

/// An extension is one element, well-formed, whose prefixes are the document's or its own.
fn extension(xml: &str, prefixes: &[&str]) -> Result {
    match extension_fault(xml, prefixes) {
        None => Ok(()),
        Some(detail) => {
            refuse(rule::xml::MALFORMED, format!("an element of another namespace: {detail}"))
        }
    }
}

fn extension_fault(xml: &str, prefixes: &[&str]) -> Option<&'static str> {
    if first_forbidden(xml).is_some() {
        return Some("a character that XML does not allow");
    }
    let limits = crate::Limits::default();
    let mut scanner = Scanner {
        text: xml,
        at: 0,
        whole: true,
        most_attributes: limits.attributes,
        most_bytes: limits.token,
    };
    let mut raw = Vec::new();
    let mut open: Vec<(&str, Vec<String>)> = Vec::new();
    loop {
        match scanner.next(&mut raw) {
            Ok(Token::Start { name, empty }) => {
                let own: Vec<String> = raw
                    .iter()
                    .filter_map(|one| declared_prefix(one.name.of(xml)))
                    .map(str::to_owned)
                    .collect();
                // Declared by itself to be one of ours, it would not be an extension.
                let ours = |one: &RawAttribute| {
                    let declared = declared_prefix(one.name.of(xml));
                    declared == Some(split(name.of(xml)).0)
                        && Bindings::default().classify(one.value.of(xml)) != Namespace::Foreign
                };
                if open.is_empty() && raw.iter().any(ours) {
                    return Some("an element that is not of another namespace");
                }
                open.push((name.of(xml), own));
                if open.len() > limits.depth - 3 {
                    return Some("nested too deep");
                }
                let bound = |prefix: &str| {
                    prefix == "xml"
                        || prefixes.contains(&prefix)
                        || open.iter().any(|(_, own)| own.iter().any(|own| own == prefix))
                };
                let attributes = raw
                    .iter()
                    .map(|one| one.name.of(xml))
                    .filter(|name| declared_prefix(name).is_none());
                let unbound = attributes
                    .map(|name| split(name).0)
                    .any(|prefix| !prefix.is_empty() && !bound(prefix));
                let prefix = split(name.of(xml)).0;
                // Without a prefix the outermost element would be one of the Sitemap protocol.
                let stray = prefix.is_empty() && open.len() == 1 && !bound("");
                if unbound || stray || !prefix.is_empty() && !bound(prefix) {
                    return Some("a prefix that is not bound");
                }
                let mut bare = false;
                for one in raw.iter().filter(|one| !one.plain) {
                    if crate::xml::escape::resolve(one.value.of(xml), 0, true, &mut bare).is_err()
                        || bare
                    {
                        return Some("a reference that is not defined");
                    }
                }
                if empty {
                    open.pop();
                }
            }
            Ok(Token::End { name }) => match open.pop() {
                Some((start, _)) if start == name.of(xml) => {}
                _ => return Some("tags that do not match"),
            },
            Ok(Token::Instruction { target }) if target.of(xml) == "xml" => {
                return Some("an XML declaration inside");
            }
            Ok(Token::Text { span, plain: false }) if !open.is_empty() => {
                let mut bare = false;
                if crate::xml::escape::resolve(span.of(xml), 0, false, &mut bare).is_err() || bare {
                    return Some("a reference that is not defined");
                }
            }
            Ok(
                Token::Text { .. }
                | Token::Cdata { .. }
                | Token::Comment
                | Token::Instruction { .. },
            ) if !open.is_empty() => {}
            Ok(_) => return Some("something besides one element"),
            Err(_) => return Some("not well-formed"),
        }
        if open.is_empty() {
            return (scanner.at < xml.len()).then_some("something besides one element");
        }
    }
}

fn is_name(name: &str) -> bool {
    let start = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
    name.chars().next().is_some_and(start)
        && name.chars().all(|c| start(c) || c.is_ascii_digit() || c == '-' || c == '.')
}
