//! What one package is to hold.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tidings_base::Packer;
use tidings_document::{Algorithm, Capability, Capacity, Digest, Entry, Head, WriteError, Writer};

use super::archive;
use super::check::Expectation;
use super::pack::LEVEL;
use super::{Difference, MANIFEST, Package, PackageCapacity, PackageError, coding, name, pipeline};

/// A bitstream of a package.
pub(super) struct Item {
    /// Its name in the package: its path without the slash.
    pub(super) name: String,
    pub(super) file: PathBuf,
    pub(super) expected: Expectation,
    pub(super) deflate: bool,
}

impl Item {
    pub(super) fn unreadable(&self, source: io::Error) -> PackageError {
        PackageError::Read { path: self.file.clone(), source }
    }

    pub(super) fn changed(&self, difference: Difference) -> PackageError {
        PackageError::Changed { path: self.file.clone(), difference }
    }
}

/// The contents of one package, as far as they are known: the manifest grows with each entry, so
/// that an entry that breaks a rule is refused when it is given.
pub(super) struct Contents {
    folder: &'static str,
    capacity: PackageCapacity,
    manifest: Writer<Vec<u8>>,
    items: Vec<Item>,
    content: u64,
}

impl Contents {
    pub(super) fn new(head: &Head<'_>, capacity: PackageCapacity) -> Result<Self, PackageError> {
        // Named as in the standard's examples.
        let folder = match head.capability() {
            Some(Capability::ResourceDumpManifest) => "resources",
            Some(Capability::ChangeDumpManifest) => "changes",
            _ => return Err(PackageError::Head { title: head.title() }),
        };
        let entries = Capacity { entries: capacity.entries.max(1), ..Capacity::default() };
        let manifest = Writer::with_capacity(Vec::new(), head, entries).map_err(refused)?;
        Ok(Self { folder, capacity, manifest, items: Vec::new(), content: 0 })
    }

    /// Takes an entry and the file that it speaks of. On an error nothing was taken.
    pub(super) fn add(&mut self, entry: &mut Entry<'_>, file: &Path) -> Result<(), PackageError> {
        let length = match entry.metadata.length {
            Some(length) => length,
            // Nothing to verify, but to go by when packages are split.
            None => fs::metadata(file)
                .map_err(|source| PackageError::Read { path: file.to_owned(), source })?
                .len(),
        };
        let content = self.content.saturating_add(length);
        if content > self.capacity.content && !self.items.is_empty() {
            return Err(PackageError::Full);
        }
        let path = name::path(self.folder, self.items.len() + 1, &entry.loc);
        let name = path[1..].to_owned();
        entry.metadata.path = Some(path.into());
        self.manifest.write(entry).map_err(refused)?;
        self.content = content;
        self.items.push(Item {
            name,
            file: file.to_owned(),
            expected: Expectation::new(length, entry.metadata.hash.as_ref()),
            deflate: coding::pays(&entry.metadata),
        });
        Ok(())
    }

    /// Takes an entry that has no bitstream.
    pub(super) fn mention(&mut self, entry: &Entry<'_>) -> Result<(), PackageError> {
        self.manifest.write(entry).map_err(refused)
    }

    /// The package as far as it is known before it is written.
    pub(super) fn plan<W>(self, number: usize, out: W) -> Result<Package<W>, PackageError> {
        let (manifest, written) = self.manifest.finish().map_err(refused)?;
        let failed = || io::Error::other("a digest of the wrong length");
        let digest = Digest::new(Algorithm::Sha256, &Sha256::digest([]))
            .ok_or_else(|| PackageError::Write { number, source: failed() })?;
        let (entries, content) = (written.entries, self.content);
        Ok(Package { number, out, bytes: 0, entries, content, digest, manifest })
    }

    /// Writes the package.
    pub(super) fn write<W: Write>(self, number: usize, out: W) -> Result<Package<W>, PackageError> {
        let failed = |source| PackageError::Write { number, source };
        let (manifest, written) = self.manifest.finish().map_err(refused)?;
        let mut archive = archive::begin(out, self.items.len() + 1);
        let packed = Packer::new(LEVEL).pack(manifest.clone(), true).map_err(failed)?;
        archive.put(MANIFEST, &packed).map_err(failed)?;
        pipeline::write(&self.items, number, &mut archive)?;
        let (out, bytes, digest) = archive::finish(archive).map_err(failed)?;
        let (entries, content) = (written.entries, self.content);
        Ok(Package { number, out, bytes, entries, content, digest, manifest })
    }
}

fn refused(source: WriteError) -> PackageError {
    match source {
        WriteError::Full => PackageError::Full,
        source => PackageError::Manifest { source },
    }
}
