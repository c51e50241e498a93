//! The limits and policies of a walk, as values.

use super::target::EntryTarget;
use crate::Capability;

/// How far a walk goes. The defaults bound nothing but what any Source keeps to by far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkLimits {
    /// The number of levels below the documents that the walk starts at.
    pub max_levels: usize,
    /// The number of times that the walk climbs to a document above the one that it starts at.
    pub max_climbs: usize,
    /// The number of documents that are opened.
    pub max_opened: usize,
    /// The number of different documents that are taken note of, whether they are opened or not.
    pub max_listed: usize,
    /// The number of entries of one document that are followed.
    pub max_children: usize,
    /// The number of documents that fail because of their server before the walk ends.
    pub max_server_failures: u32,
}

impl WalkLimits {
    /// The levels of indexes below a document that are followed. The standard has one, and some
    /// Sources have more.
    pub const MAX_INDEX_LEVELS: usize = 4;

    /// No limit on documents; of one document, as many entries as the standard allows it.
    pub const DEFAULT: Self = Self {
        max_levels: usize::MAX,
        max_climbs: 0,
        max_opened: usize::MAX,
        max_listed: usize::MAX,
        max_children: 50_000,
        max_server_failures: u32::MAX,
    };
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The order in which documents are opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WalkOrder {
    /// The documents that one document lists come right after it: the order of the tree.
    #[default]
    DepthFirst,
    /// All documents of one level come before those of the next.
    BreadthFirst,
}

/// The entries that are opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WalkScope {
    /// The parts of indexes: the walk stays in one list.
    Parts,
    /// The documents that say which sets there are: Source Descriptions, Capability Lists and those of
    /// an unknown kind, which only they themselves can tell.
    Sets,
    /// All documents.
    #[default]
    Documents,
    /// All documents, and the packages of dumps.
    Packages,
}

/// A document that fails ends the walk, or does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// No document ends the walk.
    #[default]
    Continue,
    /// The walk ends when none of the documents that it started at is left.
    EndWithLastStart,
    /// The walk ends with any document that it started at.
    EndWithAnyStart,
    /// The walk ends with any document: it is all or nothing.
    End,
}

/// How to walk over a Source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WalkPolicy {
    /// How far the walk goes.
    pub limits: WalkLimits,
    /// In which order.
    pub order: WalkOrder,
    /// Which entries it opens.
    pub scope: WalkScope,
    /// Which failures end it.
    pub on_failure: FailurePolicy,
}

impl WalkScope {
    /// True if the walk opens what an entry leads to.
    #[must_use]
    pub fn opens(self, target: EntryTarget) -> bool {
        match (self, target) {
            (_, EntryTarget::Channel | EntryTarget::Resource) => false,
            (Self::Parts, target) => matches!(target, EntryTarget::Part(_)),
            (Self::Sets, EntryTarget::Document(capability) | EntryTarget::Part(capability)) => {
                use Capability::{CapabilityList, Description};
                matches!(capability, None | Some(Description | CapabilityList))
            }
            (Self::Sets | Self::Documents, EntryTarget::Package) => false,
            (Self::Documents | Self::Packages, _) => true,
        }
    }
}

impl WalkPolicy {
    /// True if the documents that a document at this depth lists may be opened.
    #[must_use]
    pub fn allows_below(&self, depth: usize) -> bool {
        depth < self.limits.max_levels
    }
}
