//! Packages: bitstreams with the manifest that says what they are, in ZIP files (sections 11, 13).
//!
//! What goes into a package is gathered first, as names and expectations, never as bytes: the
//! manifest is complete before the first bitstream is written, and stands first in the file. A
//! reader of the first kilobytes knows what follows.

mod archive;
mod check;
mod coding;
mod contents;
mod error;
mod name;
mod pack;
mod pipeline;
mod split;

use tidings_document::Digest;

pub use error::{Difference, PackageError};
pub use split::PackageWriter;

/// The manifest's name in every package: at its top level, and the first file in it.
const MANIFEST: &str = "manifest.xml";

/// How much one package may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageCapacity {
    /// Entries of its manifest, 50,000 at the most.
    pub entries: u64,
    /// Bytes of its bitstreams, before they are compressed. A bitstream that is longer gets a
    /// package of its own.
    pub content: u64,
}

impl Default for PackageCapacity {
    /// As many entries as a manifest may have, and 1 GiB of content.
    fn default() -> Self {
        Self { entries: 50_000, content: 1 << 30 }
    }
}

/// A package that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package<W> {
    /// Its place among the packages, from 0.
    pub number: usize,
    /// What it was written to: flushed, but not synced.
    pub out: W,
    /// Its length.
    pub bytes: u64,
    /// The entries of its manifest.
    pub entries: u64,
    /// The length of its bitstreams together, before they were compressed.
    pub content: u64,
    /// Its SHA-256.
    pub digest: Digest,
    /// Its manifest, byte for byte: for a copy that a link `contents` points to.
    pub manifest: Vec<u8>,
}
