//! What files are there for.

use tidings_document::Capability;

/// What a file of a publication is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Description,
    /// A Source Description under an index.
    DescriptionPart,
    CapabilityList,
    /// A list or dump that a Capability List names, or the index of one.
    Top(Capability),
    /// A list or dump under an index.
    Part(Capability),
    Package,
    /// The copy of a package's manifest that lies beside it.
    Manifest(Capability),
    Patch,
    About,
    Sitemap,
    SitemapPart,
    Robots,
}

impl Role {
    /// The capability that its document has to be of; none for what is no document of ResourceSync.
    pub(super) fn capability(self) -> Option<Capability> {
        match self {
            Self::Description | Self::DescriptionPart => Some(Capability::Description),
            Self::CapabilityList => Some(Capability::CapabilityList),
            Self::Top(capability) | Self::Part(capability) | Self::Manifest(capability) => {
                Some(capability)
            }
            Self::Package
            | Self::Patch
            | Self::About
            | Self::Sitemap
            | Self::SitemapPart
            | Self::Robots => None,
        }
    }

    /// True for what the document reader reads.
    pub(super) fn is_document(self) -> bool {
        self.capability().is_some() || matches!(self, Self::Sitemap | Self::SitemapPart)
    }

    /// True if it may be an index.
    pub(super) fn may_be_index(self) -> bool {
        matches!(self, Self::Description | Self::Top(_) | Self::Sitemap)
    }

    /// True if it cannot be a page for people, nor have one in it.
    pub(super) fn is_never_page(self) -> bool {
        self.capability().is_some() || matches!(self, Self::About | Self::SitemapPart)
    }

    /// True if nothing names it: it may be there or not, and may be somebody else's.
    pub(super) fn is_optional(self) -> bool {
        matches!(self, Self::Sitemap | Self::Robots)
    }

    /// True if it is part of what tells one publication from another: the lists and dumps.
    pub(super) fn tells_apart(self) -> bool {
        matches!(self, Self::Top(_) | Self::Part(_))
    }

    /// When it is put into its place: what others point to goes first, and the changes before the
    /// Resource List, which may be behind them but never ahead.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::Package | Self::Manifest(_) | Self::Patch | Self::About => 0,
            Self::Part(_) | Self::SitemapPart => 1,
            Self::Top(Capability::ResourceList) => 3,
            Self::Top(_) | Self::Sitemap | Self::Robots => 2,
            Self::CapabilityList => 4,
            Self::DescriptionPart => 5,
            Self::Description => 6,
        }
    }
}
