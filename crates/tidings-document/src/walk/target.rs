//! The kind of thing that an entry of a document leads to.

use crate::{Capability, Entry, Form, Head};

/// The kind of thing that an entry of a document leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryTarget {
    /// A part of an index, which is of the same kind; none for a plain Sitemap.
    Part(Option<Capability>),
    /// A document of that kind, as far as the document above says.
    Document(Option<Capability>),
    /// A package; its manifest may lie beside it (`contents`).
    Package,
    /// A hub to subscribe to, which is no document.
    Channel,
    /// A resource.
    Resource,
}

impl EntryTarget {
    /// The kind of thing that an entry of a document with this head leads to.
    #[must_use]
    pub fn from_entry(head: &Head<'_>, entry: &Entry<'_>) -> Self {
        Self::from_capability(head, entry.metadata.capability)
    }

    /// The same, by the capability that the entry gives.
    #[must_use]
    pub fn from_capability(head: &Head<'_>, listed: Option<Capability>) -> Self {
        let is_index = head.form == Form::Index;
        let Some(capability) = head.capability() else {
            return if is_index { Self::Part(None) } else { Self::Resource };
        };
        let target = match capability {
            _ if is_index => Self::Part(Some(capability)),
            Capability::Description => Self::Document(Some(Capability::CapabilityList)),
            Capability::CapabilityList => Self::Document(listed),
            Capability::ResourceListArchive => Self::Document(Some(Capability::ResourceList)),
            Capability::ResourceDumpArchive => Self::Document(Some(Capability::ResourceDump)),
            Capability::ChangeListArchive => Self::Document(Some(Capability::ChangeList)),
            Capability::ChangeDumpArchive => Self::Document(Some(Capability::ChangeDump)),
            Capability::ResourceDump | Capability::ChangeDump => return Self::Package,
            _ => return Self::Resource,
        };
        let is_channel = |one: Option<Capability>| {
            use Capability::{ChangeNotification, FrameworkNotification};
            matches!(one, Some(ChangeNotification | FrameworkNotification))
        };
        if is_channel(listed) || is_channel(target.capability()) { Self::Channel } else { target }
    }

    /// The capability that the document should have, where that is known.
    #[must_use]
    pub fn capability(self) -> Option<Capability> {
        match self {
            Self::Part(capability) | Self::Document(capability) => capability,
            Self::Package | Self::Channel | Self::Resource => None,
        }
    }
}
