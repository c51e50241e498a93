//! What stands before a document's entries.

use std::borrow::Cow;

use crate::metadata::owned;
use crate::{Attribute, Capability, Form, Link, Metadata, Moment, title};

/// The root element, its metadata and its links: all of a document but its entries.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Head<'a> {
    /// A list or an index.
    pub form: Form,
    /// The document's own `rs:md`; empty in a plain Sitemap.
    pub metadata: Metadata<'a>,
    /// The document's own links.
    pub links: Vec<Link<'a>>,
    /// The prefixes bound on the root element to namespaces other than the Sitemap protocol's and
    /// ResourceSync's: `(prefix, namespace)`.
    pub namespaces: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The root element's attributes of other namespaces.
    pub attributes: Vec<Attribute<'a>>,
    /// Elements of other namespaces that stand before the first entry, each as its XML.
    pub extensions: Vec<Cow<'a, str>>,
}

impl<'a> Head<'a> {
    /// The head of a plain Sitemap or Sitemap Index.
    pub fn sitemap(form: Form) -> Self {
        Self {
            form,
            metadata: Metadata::default(),
            links: Vec::new(),
            namespaces: Vec::new(),
            attributes: Vec::new(),
            extensions: Vec::new(),
        }
    }

    /// The head of a Source Description (section 8) or of an index of several.
    pub fn description(form: Form) -> Self {
        Self::of(Capability::Description, form)
    }

    /// The head of a Capability List (section 9) under that Source Description.
    pub fn capability_list(up: impl Into<Cow<'a, str>>) -> Self {
        Self::of(Capability::CapabilityList, Form::List).with_link(Link::new("up", up))
    }

    /// The head of a Resource List, Resource Dump or Resource Dump Manifest (sections 10, 11), or of
    /// an index of the first two: a snapshot begun at that moment, under that Capability List.
    pub fn snapshot(
        capability: Capability,
        form: Form,
        at: Moment,
        up: impl Into<Cow<'a, str>>,
    ) -> Self {
        let mut head = Self::of(capability, form).with_link(Link::new("up", up));
        head.metadata.at = Some(at);
        head
    }

    /// The head of a Change List, Change Dump or Change Dump Manifest (sections 12, 13), or of an
    /// index of the first two: the changes since that moment, and until another where it is closed.
    pub fn interval(
        capability: Capability,
        form: Form,
        from: Moment,
        until: Option<Moment>,
        up: impl Into<Cow<'a, str>>,
    ) -> Self {
        let mut head = Self::of(capability, form).with_link(Link::new("up", up));
        head.metadata.from = Some(from);
        head.metadata.until = until;
        head
    }

    fn of(capability: Capability, form: Form) -> Self {
        let mut head = Self::sitemap(form);
        head.metadata.capability = Some(capability);
        head
    }

    /// The same with one more link.
    #[must_use]
    pub fn with_link(mut self, link: Link<'a>) -> Self {
        self.links.push(link);
        self
    }

    /// The nature of the document; none for a plain Sitemap.
    pub fn capability(&self) -> Option<Capability> {
        self.metadata.capability
    }

    /// The first link of that relation type.
    pub fn link(&self, rel: &str) -> Option<&Link<'a>> {
        self.links.iter().find(|link| link.is(rel))
    }

    /// The name of this kind of document, as the standard has it.
    pub fn title(&self) -> String {
        title(self.capability(), self.form)
    }

    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Head<'static> {
        Head {
            form: self.form,
            metadata: self.metadata.into_owned(),
            links: self.links.into_iter().map(Link::into_owned).collect(),
            namespaces: self
                .namespaces
                .into_iter()
                .map(|(prefix, uri)| (owned(prefix), owned(uri)))
                .collect(),
            attributes: self.attributes.into_iter().map(Attribute::into_owned).collect(),
            extensions: self.extensions.into_iter().map(owned).collect(),
        }
    }
}
