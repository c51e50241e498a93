//! The documents that a check of a Source asks for, and those that it has seen.

use crate::{Capability, CheckOptions, DocumentRequest, Metadata, Report};

/// How to check a Source.
#[derive(Debug, Clone)]
pub struct SourceCheckOptions {
    /// How each document is checked.
    pub check: CheckOptions,
    /// The maximum number of documents that are checked.
    pub documents: usize,
    /// Resolves a reference against the URL of the document that it stands in, and gives it in the
    /// form in which equal URLs are equal.
    pub resolve: fn(base: &str, reference: &str) -> Option<String>,
}

/// A document to fetch, and to hand to [`SourceCheck::visit`](super::SourceCheck::visit).
pub type CheckRequest = DocumentRequest<String, CheckTask>;

/// The task for which a document is fetched.
#[derive(Debug, Clone)]
pub struct CheckTask {
    /// True for a package, of which [`SourceCheck::package`](super::SourceCheck::package) takes the
    /// manifest, and [`SourceCheck::bitstream`](super::SourceCheck::bitstream) what is wrong with the
    /// files in it.
    pub is_package: bool,
    /// The length and the digests that its dump gives of a package.
    pub listed: Metadata<'static>,
    pub(super) reason: RequestReason,
}

impl CheckTask {
    pub(super) fn document(reason: RequestReason) -> Self {
        Self { is_package: false, listed: Metadata::default(), reason }
    }
}

/// What is wrong with a file in a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitstreamFault {
    /// The manifest has its path, but the package does not have it.
    Missing,
    /// It has another length than the manifest tells.
    Length,
    /// It has another digest than the manifest tells.
    Digest,
    /// The package is damaged where it is.
    Damaged,
}

/// The way that led to a document.
#[derive(Debug, Clone)]
pub(super) enum RequestReason {
    /// It was named by the caller.
    Start,
    /// It is above the document named by the caller, which `child` leads to.
    Climb { child: String },
    /// It is where the walk begins: nothing is above it, or nothing that could be had.
    Top,
    /// It was named by the caller, but nothing below what it links up to leads to it.
    Stray,
    /// It is what a document links up to, which was not found above it yet.
    Up { child: String, expected: Capability },
    /// An entry of `parent` points to it.
    Child { parent: String, expected: Option<Capability>, said: Box<ParentEntry> },
    /// It is the manifest of a package, or a package, of the dump `parent`.
    Manifest { parent: String, package: String },
}

/// The entry that points to a document.
#[derive(Debug, Clone, Default)]
pub(super) struct ParentEntry {
    /// True if the parent is an index, and this is one of its parts.
    pub(super) part: bool,
    /// The place among the parts.
    pub(super) order: usize,
    pub(super) metadata: Metadata<'static>,
    pub(super) describes: Option<String>,
    /// The Capability List above, once there is one.
    pub(super) set: Option<String>,
}

/// One document of a Source, checked.
#[derive(Debug, Clone)]
pub struct VisitedDocument {
    /// Its URL.
    pub url: String,
    /// What was found in it, and about it.
    pub report: Report,
    /// How deep it lies below the document that the walk began with or climbed to.
    pub depth: usize,
}
