//! `rs:ln`: a link from a document, or from the resource of an entry, to a related resource.

use std::borrow::Cow;

use crate::metadata::owned;
use crate::{Attribute, Hash, Moment};

/// The relation type of a link to a description of how a resource changed (section 14.4).
pub const PATCH: &str = "http://www.openarchives.org/rs/terms/patch";

/// An `rs:ln` element (section 7). Both `rel` and `href` are mandatory; a link without them is not
/// read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Link<'a> {
    /// The relation type, as it was written: a registered name or a URI.
    pub rel: Cow<'a, str>,
    /// The URI of the related resource.
    pub href: Cow<'a, str>,
    /// The priority among links of one relation type, 1 to 999,999; lower goes first.
    pub pri: Option<u32>,
    /// When the related resource was last modified.
    pub modified: Option<Moment>,
    /// The content codings applied to it.
    pub encoding: Option<Cow<'a, str>>,
    /// Its digests.
    pub hash: Option<Hash<'a>>,
    /// Its length in bytes.
    pub length: Option<u64>,
    /// Where its bitstream lies in the package.
    pub path: Option<Cow<'a, str>>,
    /// Its media type.
    pub media_type: Option<Cow<'a, str>>,
    /// Attributes of other namespaces.
    pub attributes: Vec<Attribute<'a>>,
}

impl<'a> Link<'a> {
    /// The priority of a link without `pri`.
    pub const LEAST_PRIORITY: u32 = 999_999;

    /// A link with nothing but its relation type and its target.
    pub fn new(rel: impl Into<Cow<'a, str>>, href: impl Into<Cow<'a, str>>) -> Self {
        Self {
            rel: rel.into(),
            href: href.into(),
            pri: None,
            modified: None,
            encoding: None,
            hash: None,
            length: None,
            path: None,
            media_type: None,
            attributes: Vec::new(),
        }
    }

    /// True if this is a link of that relation type. Registered names are compared without regard
    /// to case (RFC 8288, section 2.1.1).
    pub fn is(&self, rel: &str) -> bool {
        self.rel.eq_ignore_ascii_case(rel)
    }

    /// Its priority among links of its relation type.
    pub fn priority(&self) -> u32 {
        self.pri.unwrap_or(Self::LEAST_PRIORITY)
    }

    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Link<'static> {
        Link {
            rel: owned(self.rel),
            href: owned(self.href),
            pri: self.pri,
            modified: self.modified,
            encoding: self.encoding.map(owned),
            hash: self.hash.map(Hash::into_owned),
            length: self.length,
            path: self.path.map(owned),
            media_type: self.media_type.map(owned),
            attributes: self.attributes.into_iter().map(Attribute::into_owned).collect(),
        }
    }
}
