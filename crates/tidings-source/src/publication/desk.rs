//! Where documents are written before they are put into their places.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};
use tidings_document::{Capacity, Head, WriteError, Writer};

use crate::PublishError;
use crate::layout::Layout;
use crate::previous::each_entry;

/// How much of a document is written at a time.
const BUFFER: usize = 64 << 10;

/// Where documents are written before they are put into their places.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    pub(super) layout: Layout,
    pub(super) dry_run: bool,
}

impl Desk {
    pub(super) fn new(layout: &Layout, dry_run: bool) -> Self {
        Self { layout: layout.clone(), dry_run }
    }

    /// The same desk, for the documents of one set.
    pub(super) fn of_set(&self, name: Option<&str>) -> Self {
        Self { layout: self.layout.of_set(name), dry_run: self.dry_run }
    }

    /// A file beside the one of that name, to be renamed to it. Where nothing may be touched, it is
    /// among the system's temporary files.
    pub(super) fn file(&self, name: &str) -> Result<NamedTempFile, PublishError> {
        let path = self.layout.path(name);
        let Some(folder) = path.parent().filter(|_| !self.dry_run) else {
            return NamedTempFile::new()
                .map_err(PublishError::io("could not make a file for", &path));
        };
        fs::create_dir_all(folder)
            .map_err(PublishError::io("could not make the folder", folder))?;
        tempfile::Builder::new()
            .prefix(".tidings-")
            .tempfile_in(folder)
            .map_err(PublishError::io("could not make a file in", folder))
    }

    /// Such a file, and a writer of a document into it.
    pub(super) fn begin(
        &self,
        name: &str,
        head: &Head<'_>,
        capacity: Capacity,
    ) -> Result<(TempPath, Sheet), PublishError> {
        // Only its path stays: there may be more of them than files may be open.
        let (out, path) = self.file(name)?.into_parts();
        let writer = Writer::with_capacity(BufWriter::with_capacity(BUFFER, out), head, capacity);
        Ok((path, writer.map_err(|source| self.failed(name, source))?))
    }

    /// The same entries under another head.
    pub(super) fn copied(
        &self,
        name: &str,
        from: &Path,
        head: &Head<'_>,
    ) -> Result<TempPath, PublishError> {
        let (file, mut writer) = self.begin(name, head, Capacity::default())?;
        each_entry(from, |entry| writer.write(entry).map_err(|source| self.failed(name, source)))?;
        writer.finish().map_err(|source| self.failed(name, source))?;
        Ok(file)
    }

    pub(super) fn failed(&self, name: &str, source: WriteError) -> PublishError {
        PublishError::Document { path: self.layout.path(name), source }
    }
}

/// A document that is being written.
pub(super) type Sheet = Writer<BufWriter<File>>;
