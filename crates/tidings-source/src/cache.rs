//! What is remembered from one run to the next, so that files that did not change are not read again.
//!
//! The published documents are the publisher's state; this only saves time. It may be deleted. What was
//! published it is asked only if it is of the very documents that are there; else only for the digests of
//! files that are the same.
//!
//! It is one file of records in the order of the URIs: read from the front to the back beside the
//! walk over the files, and written anew behind the first record that changed.

mod input;
mod reader;
mod record;
mod stamp;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

pub(crate) use reader::CacheReader;
pub(crate) use record::{EncodedRecord, Record};
pub(crate) use stamp::Stamp;
pub(crate) use writer::CacheWriter;

/// The first bytes of a cache; they change with its form.
const MAGIC: &[u8; 16] = b"tidings cache 2\n";

/// How much there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// How long the head is: what it is, of which generation, and how much there was.
const HEAD: usize = MAGIC.len() + size_of::<Generation>() + 16;

/// Of what a cache is: a digest of the documents as they lie there, and of how they were made.
pub(crate) type Generation = [u8; 32];

/// A record of the cache, as it was written: most of it is never decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CachedFile<'b> {
    pub(crate) set: usize,
    pub(crate) uri: &'b str,
    pub(crate) body: EncodedRecord<'b>,
    /// The place behind it.
    pub(crate) end: u64,
}

impl CachedFile<'_> {
    /// All that it says.
    pub(crate) fn record(&self) -> io::Result<Record> {
        self.body.record(self.set, self.uri)
    }
}

/// Where in the cache a record was found, and what it said of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CachePosition {
    pub(crate) stamp: Option<Stamp>,
    /// The place behind it.
    pub(crate) end: u64,
}

/// The file in which a publication of that folder is remembered.
pub(crate) fn file(folder: &Path, out: &Path, base: &str, only: Option<&str>) -> PathBuf {
    let out = out.canonicalize().unwrap_or_else(|_| out.to_owned());
    let mut hash = Sha256::new();
    for part in [out.as_os_str().as_encoded_bytes(), base.as_bytes(), only.unwrap_or("").as_bytes()]
    {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    let name = tidings_base::to_hex(&digest[..12]);
    folder.join(format!("publish-{name}"))
}

/// The generation of documents: their places and versions, and `manner`, which is how they were made.
/// Documents that are not there count, too.
pub(crate) fn generation(
    manner: &str,
    documents: impl Iterator<Item = (PathBuf, Option<Vec<u8>>)>,
) -> Generation {
    let mut hash = Sha256::new();
    hash.update(manner.as_bytes());
    for (path, version) in documents {
        hash.update([0]);
        hash.update(path.as_os_str().as_encoded_bytes());
        if let Some(version) = version {
            hash.update([1]);
            hash.update(version);
        }
    }
    hash.finalize().into()
}
