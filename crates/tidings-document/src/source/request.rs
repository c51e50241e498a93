//! What the walk asks for, and what it has seen.

use crate::{Capability, CheckOptions, Metadata, Report};

/// How to walk over a Source.
#[derive(Debug, Clone)]
pub struct WalkOptions {
    /// How each document is checked.
    pub check: CheckOptions,
    /// How many documents are looked at, at the most.
    pub documents: usize,
    /// Resolves a reference against the URL of the document that it stands in, and gives it in the
    /// form in which equal URLs are equal.
    pub resolve: fn(base: &str, reference: &str) -> Option<String>,
}

/// A document that the walk wants to see.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its URL.
    pub url: String,
    /// True for a package, of which [`Walk::package`] wants the manifest, and [`Walk::bitstream`] what is
    /// wrong with the files in it.
    pub package: bool,
    /// What its dump tells of a package: the length and the digests.
    pub told: Metadata<'static>,
    pub(super) role: Role,
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

/// How the walk came to a document.
#[derive(Debug, Clone)]
pub(super) enum Role {
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
    Child { parent: String, expected: Option<Capability>, said: Box<Said> },
    /// It is the manifest of a package, or a package, of the dump `parent`.
    Manifest { parent: String, package: String },
}

/// What the entry that points to a document says of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
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
pub struct Visited {
    /// Its URL.
    pub url: String,
    /// What was found in it, and about it.
    pub report: Report,
    /// How deep it lies below the document that the walk began with or climbed to.
    pub depth: usize,
}
