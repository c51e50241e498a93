//! What is wrong with the content.

use std::fmt;

/// What kind of thing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// It could not be read.
    Unreadable,
    /// The sidecar or the front matter says nothing that can be understood.
    Metadata,
    /// A blob without its sidecar.
    NoSidecar,
    /// The alias cannot be one.
    Alias,
    /// The alias is kept for something else.
    ReservedAlias,
    /// Another object has the same alias.
    DuplicateAlias,
    /// Another object has the same id.
    DuplicateId,
    /// It has no title, and is called by its file.
    NoTitle,
    /// Too long to be shown as a page.
    Large,
    /// Tags or roles could not be read; nothing with tags is public meanwhile.
    Rules,
    /// The theme could not be used.
    Theme,
    /// A key of the front matter or a tag is misspelt, and may have been meant to restrict the page: it is
    /// for nobody.
    Misspelt,
    /// A key of the front matter is not known.
    UnknownKey,
    /// A tag is in no file of tags.
    UnknownTag,
    /// The file says nothing, and keeps the restriction that it had.
    Guarded,
    /// A file is restricted as the pages beside it are.
    Inherited,
    /// A file that a restricted page links to is for everybody.
    PublicFile,
    /// The folder of a layout is not there; its objects are not taken for deleted.
    Away,
    /// It is not watched: changes are noticed by looking from time to time.
    Unwatched,
}

/// Something that is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The path from the content root.
    pub place: String,
    /// What kind it is.
    pub fault: Fault,
    /// In words.
    pub message: String,
}

impl Fault {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Metadata => "metadata",
            Self::NoSidecar => "no-sidecar",
            Self::Alias => "alias",
            Self::ReservedAlias => "reserved-alias",
            Self::DuplicateAlias => "duplicate-alias",
            Self::DuplicateId => "duplicate-id",
            Self::NoTitle => "no-title",
            Self::Large => "large",
            Self::Rules => "rules",
            Self::Theme => "theme",
            Self::Misspelt => "misspelt",
            Self::UnknownKey => "unknown-key",
            Self::UnknownTag => "unknown-tag",
            Self::Guarded => "guarded",
            Self::Inherited => "inherited",
            Self::PublicFile => "public-file",
            Self::Away => "away",
            Self::Unwatched => "unwatched",
        }
    }

    /// Whether the object is served all the same.
    #[must_use]
    pub fn is_served(self) -> bool {
        matches!(
            self,
            Self::NoTitle
                | Self::Large
                | Self::DuplicateId
                | Self::Rules
                | Self::Theme
                | Self::UnknownKey
                | Self::UnknownTag
                | Self::Inherited
                | Self::PublicFile
                | Self::Unwatched
        )
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} [{}]", self.place, self.message, self.fault.name())
    }
}
