//! Where documents are written before they are put into their places.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use tempfile::{NamedTempFile, TempPath};
use tidings_document::{Capacity, Head, WriteError, Writer};

use crate::PublishError;
use crate::layout::Layout;
use crate::previous::{each_entry, head};

/// How much longer a head may become after its document was begun.
const HEAD_ROOM: u64 = 16 << 10;

/// Where documents are written before they are put into their places.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    pub(super) layout: Layout,
    purpose: PlanPurpose,
}

/// What a plan is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanPurpose {
    /// To be carried out: documents are written beside their places, to be renamed to them.
    Execution,
    /// To be looked at: nothing is touched, and documents are among the system's temporary files.
    Preview,
}

impl Desk {
    pub(super) fn new(layout: &Layout, purpose: PlanPurpose) -> Self {
        Self { layout: layout.clone(), purpose }
    }

    /// The same desk, for the documents of one set.
    pub(super) fn of_set(&self, name: Option<&str>) -> Self {
        Self { layout: self.layout.of_set(name), purpose: self.purpose }
    }

    /// True if what is written here is to be put into its place.
    pub(super) fn will_be_used(&self) -> bool {
        self.purpose == PlanPurpose::Execution
    }

    /// A file beside the one of that name, to be renamed to it.
    pub(super) fn file(&self, name: &str) -> Result<NamedTempFile, PublishError> {
        let path = self.layout.path(name);
        let Some(folder) = path.parent().filter(|_| self.will_be_used()) else {
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
        // Room for the link that it gets if it turns out to be one of several.
        let bytes = capacity.bytes.min(Capacity::default().bytes - HEAD_ROOM);
        let writer = Writer::with_capacity(out, head, Capacity { bytes, ..capacity });
        Ok((path, writer.map_err(|source| self.failed(name, source))?))
    }

    /// The same entries under another head.
    pub(super) fn copied(
        &self,
        name: &str,
        from: &Path,
        head: &Head<'_>,
    ) -> Result<TempPath, PublishError> {
        if let Some(file) = self.reheaded(name, from, head)? {
            return Ok(file);
        }
        let (file, mut writer) = self.begin(name, head, Capacity::default())?;
        each_entry(from, |entry| writer.write(entry).map_err(|source| self.failed(name, source)))?;
        writer.finish().map_err(|source| self.failed(name, source))?;
        Ok(file)
    }

    /// The same, byte by byte, if the document has just the head that this program would give it: then
    /// the rest need not be read.
    fn reheaded(
        &self,
        name: &str,
        from: &Path,
        new: &Head<'_>,
    ) -> Result<Option<TempPath>, PublishError> {
        let old = head(from)?.filter(|old| old.form == new.form && old.capability().is_some());
        let Some(old) = old else { return Ok(None) };
        let head_of = |head| head_bytes(head).map_err(|source| self.failed(name, source));
        let (Ok(old), new) = (head_bytes(&old), head_of(new)?) else { return Ok(None) };
        let copy = || -> io::Result<Option<File>> {
            let mut input = File::open(from)?;
            let mut start = Vec::with_capacity(old.len());
            (&mut input).take(old.len() as u64).read_to_end(&mut start)?;
            Ok((start == old).then_some(input))
        };
        let Some(mut input) = copy().map_err(PublishError::io("could not read", from))? else {
            return Ok(None);
        };
        let (mut out, path) = self.file(name)?.into_parts();
        let written = out.write_all(&new).and_then(|()| io::copy(&mut input, &mut out));
        written.map_err(PublishError::io("could not write", path.to_path_buf()))?;
        Ok(Some(path))
    }

    pub(super) fn failed(&self, name: &str, source: WriteError) -> PublishError {
        PublishError::Document { path: self.layout.path(name), source }
    }
}

/// What stands before the first entry.
fn head_bytes(head: &Head<'_>) -> Result<Vec<u8>, WriteError> {
    let writer = Writer::new(Vec::new(), head)?;
    let length = usize::try_from(writer.written().bytes).unwrap_or(usize::MAX);
    let (mut bytes, _) = writer.finish()?;
    bytes.truncate(length);
    Ok(bytes)
}

/// A document that is being written.
pub(super) type Sheet = Writer<File>;
