//! `rs:md`: what is said about a document or about the resource of an entry.

use std::borrow::Cow;
use std::fmt;

use crate::{Capability, Hash, Moment};

/// The nature of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "named as the standard names them")]
pub enum Change {
    Created,
    Updated,
    Deleted,
}

impl Change {
    /// The attribute's value.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }

    /// The change of that name, exactly as written.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "created" => Some(Self::Created),
            "updated" => Some(Self::Updated),
            "deleted" => Some(Self::Deleted),
            _ => None,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An attribute of a namespace other than ResourceSync's, kept as it was written. The prefix of its
/// name is one of the document's [`Head::namespaces`](crate::Head::namespaces).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Attribute<'a> {
    /// The qualified name, `prefix:local`.
    pub name: Cow<'a, str>,
    /// The value, references resolved.
    pub value: Cow<'a, str>,
}

impl Attribute<'_> {
    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Attribute<'static> {
        Attribute {
            name: Cow::Owned(self.name.into_owned()),
            value: Cow::Owned(self.value.into_owned()),
        }
    }
}

/// The attributes of an `rs:md` element, of a document or of an entry (section 7). All are
/// optional here; which are needed where is for the rules to say.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Metadata<'a> {
    /// The nature of the document, or of the document that an entry points to.
    pub capability: Option<Capability>,
    /// When the taking of a snapshot began.
    pub at: Option<Moment>,
    /// When the taking of a snapshot ended.
    pub completed: Option<Moment>,
    /// All changes since then are included.
    pub from: Option<Moment>,
    /// All changes up to then are included, and none will be added.
    pub until: Option<Moment>,
    /// The nature of the change.
    pub change: Option<Change>,
    /// The time of the change (1.1 only).
    pub datetime: Option<Moment>,
    /// The content codings applied to the representation.
    pub encoding: Option<Cow<'a, str>>,
    /// The digests of the representation.
    pub hash: Option<Hash<'a>>,
    /// The length of the representation in bytes.
    pub length: Option<u64>,
    /// Where the bitstream lies in the package.
    pub path: Option<Cow<'a, str>>,
    /// The media type of the representation.
    pub media_type: Option<Cow<'a, str>>,
    /// Attributes of other namespaces.
    pub attributes: Vec<Attribute<'a>>,
}

impl Metadata<'_> {
    /// True where nothing at all is said.
    pub fn is_empty(&self) -> bool {
        let document = self.capability.is_none()
            & self.at.is_none()
            & self.completed.is_none()
            & self.from.is_none()
            & self.until.is_none();
        let change = self.change.is_none() & self.datetime.is_none() & self.path.is_none();
        let representation = self.encoding.is_none()
            & self.hash.is_none()
            & self.length.is_none()
            & self.media_type.is_none();
        document & change & representation & self.attributes.is_empty()
    }

    /// The same, borrowing nothing.
    pub fn into_owned(self) -> Metadata<'static> {
        Metadata {
            capability: self.capability,
            at: self.at,
            completed: self.completed,
            from: self.from,
            until: self.until,
            change: self.change,
            datetime: self.datetime,
            encoding: self.encoding.map(owned),
            hash: self.hash.map(Hash::into_owned),
            length: self.length,
            path: self.path.map(owned),
            media_type: self.media_type.map(owned),
            attributes: self.attributes.into_iter().map(Attribute::into_owned).collect(),
        }
    }
}

pub(crate) fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}
