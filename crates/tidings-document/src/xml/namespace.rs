//! Which namespace a name is in.

use std::borrow::Cow;

use crate::xml::escape;
use crate::xml::scan::{RawAttribute, Span};

/// The Sitemap protocol's namespace.
pub(crate) const SITEMAP: &str = "http://www.sitemaps.org/schemas/sitemap/0.9";
/// ResourceSync's namespace.
pub(crate) const RESOURCESYNC: &str = "http://www.openarchives.org/rs/terms/";
const XML: &str = "http://www.w3.org/XML/1998/namespace";

/// A namespace, as far as a reader tells them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Namespace {
    Sitemap,
    ResourceSync,
    /// Some other one.
    Foreign,
    /// None at all: no default namespace, or an attribute without a prefix.
    None,
    /// A prefix that nothing binds.
    Unbound,
}

/// How many prefixes are bound at the most by roots inside the root.
const MOST_BOUND: usize = 64;

#[derive(Debug)]
struct Binding {
    prefix: String,
    uri: String,
    namespace: Namespace,
    depth: usize,
}

/// The prefixes in scope.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    bound: Vec<Binding>,
    /// What the root element's own namespace counts as, where it is a wild spelling of the
    /// Sitemap protocol's, or none.
    root: Option<String>,
}

impl Bindings {
    /// Takes the `xmlns` attributes of a start tag at that depth. True if one of them spells
    /// ResourceSync's namespace in a way that is not the standard's.
    pub(crate) fn bind(&mut self, text: &str, attributes: &[RawAttribute], depth: usize) -> bool {
        let mut wild = false;
        for attribute in attributes {
            let Some(prefix) = declared_prefix(attribute.name.of(text)) else { continue };
            let raw = attribute.value.of(text);
            let uri = match attribute.plain {
                true => raw.to_owned(),
                // What is wrong with its references is said where the attribute itself is read.
                false => escape::resolve(raw, 0, true, &mut false)
                    .map_or_else(|_| raw.to_owned(), Cow::into_owned),
            };
            // Only the default namespace can be taken back (Namespaces in XML, 5).
            let namespace = match uri.is_empty() && !prefix.is_empty() {
                true => Namespace::Unbound,
                false => self.classify(&uri),
            };
            wild |= namespace == Namespace::ResourceSync && uri != RESOURCESYNC;
            self.bound.push(Binding { prefix: prefix.to_owned(), uri, namespace, depth });
        }
        wild
    }

    /// Takes the `xmlns` attributes of a root element inside the root: only what is new, and only so
    /// much that looking a prefix up stays cheap.
    pub(crate) fn bind_again(&mut self, text: &str, attributes: &[RawAttribute]) {
        for attribute in attributes {
            let declared = declared_prefix(attribute.name.of(text));
            let known =
                declared.is_none_or(|prefix| self.uri(prefix) == Some(attribute.value.of(text)));
            if !known && self.bound.len() < MOST_BOUND {
                self.bind(text, std::slice::from_ref(attribute), 1);
            }
        }
    }

    /// Forgets what was bound at that depth or below.
    pub(crate) fn unbind(&mut self, depth: usize) {
        while self.bound.last().is_some_and(|binding| binding.depth >= depth) {
            self.bound.pop();
        }
    }

    /// Lets whatever namespace this prefix is bound to count as the Sitemap protocol's: the root
    /// element is a urlset or sitemapindex, so that is what it means.
    pub(crate) fn adopt_root(&mut self, prefix: &str) {
        let uri = self.uri(prefix).unwrap_or_default().to_owned();
        for binding in &mut self.bound {
            if binding.uri == uri {
                binding.namespace = Namespace::Sitemap;
            }
        }
        self.root = Some(uri);
    }

    /// What a namespace counts as.
    pub(crate) fn classify(&self, uri: &str) -> Namespace {
        if uri == SITEMAP || self.root.as_deref() == Some(uri) {
            return Namespace::Sitemap;
        }
        if uri == RESOURCESYNC {
            return Namespace::ResourceSync;
        }
        if uri.is_empty() {
            return Namespace::None;
        }
        let plain = |uri: &str| {
            let uri = uri.trim().to_ascii_lowercase();
            let uri = uri
                .strip_prefix("https://")
                .or(uri.strip_prefix("http://"))
                .unwrap_or(&uri)
                .to_owned();
            uri.strip_prefix("www.").unwrap_or(&uri).trim_end_matches(['/', '#']).to_owned()
        };
        if plain(uri) == plain(RESOURCESYNC) {
            return Namespace::ResourceSync;
        }
        Namespace::Foreign
    }

    /// The namespace of an element's name, split at its colon: the local name goes back too.
    #[inline]
    pub(crate) fn element<'n>(&self, name: &'n str) -> (Namespace, &'n str) {
        let (prefix, local) = split(name);
        // With a colon there is something on both sides of it, and no second one.
        if local.len() < name.len()
            && (prefix.is_empty() || local.is_empty() || local.contains(':'))
        {
            return (Namespace::Unbound, local);
        }
        for binding in self.bound.iter().rev() {
            if binding.prefix == prefix {
                return (binding.namespace, local);
            }
        }
        let namespace = match prefix {
            "" if self.root.as_deref() == Some("") => Namespace::Sitemap,
            "" => Namespace::None,
            "xml" => Namespace::Foreign,
            _ => Namespace::Unbound,
        };
        (namespace, local)
    }

    /// The namespace of an attribute's name; the default namespace does not count for those.
    pub(crate) fn attribute<'n>(&self, name: &'n str) -> (Namespace, &'n str) {
        match split(name) {
            ("", local) => (Namespace::None, local),
            _ => self.element(name),
        }
    }

    /// What a prefix is bound to.
    pub(crate) fn uri(&self, prefix: &str) -> Option<&str> {
        if prefix == "xml" {
            return Some(XML);
        }
        self.bound
            .iter()
            .rev()
            .find(|binding| binding.prefix == prefix)
            .map(|binding| binding.uri.as_str())
    }

    /// True where the prefix has one meaning throughout the document, and not one that a writer
    /// gives to it: it can be declared on the root element again.
    pub(crate) fn is_of_root(&self, prefix: &str) -> bool {
        prefix == "xml"
            || !matches!(prefix, "" | "rs")
                && self.bound.iter().rev().find(|binding| binding.prefix == prefix).is_some_and(
                    |binding| binding.depth == 1 && binding.namespace == Namespace::Foreign,
                )
    }

    /// What a prefix is bound to, and at which depth.
    pub(crate) fn origin(&self, prefix: &str) -> Option<(&str, usize)> {
        self.bound
            .iter()
            .rev()
            .find(|binding| binding.prefix == prefix)
            .map(|binding| (binding.uri.as_str(), binding.depth))
    }

    /// The foreign prefixes bound on the root element.
    pub(crate) fn of_root(&self) -> impl Iterator<Item = (&str, &str)> {
        self.bound
            .iter()
            .filter(|binding| self.is_of_root(&binding.prefix) && binding.depth == 1)
            .map(|binding| (binding.prefix.as_str(), binding.uri.as_str()))
    }
}

/// The prefix, empty where there is none, and the local name.
#[inline]
pub(crate) fn split(name: &str) -> (&str, &str) {
    // A loop of its own: names are a few bytes long, and a search would cost more to set up.
    match name.bytes().position(|byte| byte == b':') {
        None => ("", name),
        Some(colon) => (&name[..colon], &name[colon + 1..]),
    }
}

/// The prefix that an attribute of this name declares.
pub(crate) fn declared_prefix(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("xmlns")?;
    if rest.is_empty() {
        Some("")
    } else {
        rest.strip_prefix(':').filter(|prefix| !prefix.is_empty())
    }
}

/// True if one of the attributes declares a namespace.
#[inline]
pub(crate) fn declares(text: &str, attributes: &[RawAttribute]) -> bool {
    attributes.iter().any(|RawAttribute { name: Span { start, end }, .. }| {
        end - start >= 5 && text.as_bytes()[*start..].starts_with(b"xmlns")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml::scan::{Scanner, Token};

    fn bound(tag: &str) -> Bindings {
        let mut attributes = Vec::new();
        let mut scanner =
            Scanner { text: tag, at: 0, whole: true, most_attributes: 64, most_bytes: 1 << 16 };
        assert!(matches!(scanner.next(&mut attributes), Ok(Token::Start { .. })));
        let mut bindings = Bindings::default();
        bindings.bind(tag, &attributes, 1);
        bindings
    }

    #[test]
    fn a_name_has_one_colon_and_something_around_it() {
        let names = bound(&format!("<urlset xmlns='{SITEMAP}' xmlns:a='urn:a' xmlns:='urn:b'>"));
        assert_eq!(names.element("a:b").0, Namespace::Foreign);
        for name in [":url", "a:", "a:b:c", ":"] {
            assert_eq!(names.element(name).0, Namespace::Unbound, "{name}");
        }
    }

    #[test]
    fn any_prefix_will_do() {
        let names = bound(&format!(
            "<s:urlset xmlns:s='{SITEMAP}' xmlns:x='{RESOURCESYNC}' xmlns='urn:other'>"
        ));
        assert_eq!(names.element("s:url"), (Namespace::Sitemap, "url"));
        assert_eq!(names.element("x:md"), (Namespace::ResourceSync, "md"));
        assert_eq!(names.element("url"), (Namespace::Foreign, "url"));
        assert_eq!(names.element("rs:md"), (Namespace::Unbound, "md"));
        assert_eq!(names.attribute("hash"), (Namespace::None, "hash"));
    }

    #[test]
    fn wild_spellings_are_understood_and_noted() {
        let names = bound("<urlset xmlns:rs='https://openarchives.org/rs/terms'>");
        assert_eq!(names.element("rs:md").0, Namespace::ResourceSync);
        let mut names = bound("<urlset xmlns='http://www.google.com/schemas/sitemap/0.84'>");
        assert_eq!(names.element("url").0, Namespace::Foreign);
        names.adopt_root("");
        assert_eq!(names.element("url").0, Namespace::Sitemap);
    }
}
