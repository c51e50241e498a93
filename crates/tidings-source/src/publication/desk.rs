//! Where documents are written before they are put into their places.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tidings_bytes::{StagedFile, StagingArea};
use tidings_document::{Capacity, Head, WriteError, Writer};

use crate::PublishError;
use crate::document_file::{Bytes, DocumentFile};
use crate::layout::Layout;
use crate::previous::{each_entry, head};

/// How much longer a head may become after its document was begun.
const HEAD_ROOM: u64 = 16 << 10;

/// The size of the buffer through which documents are copied.
const COPY_BUFFER_BYTES: usize = 256 << 10;

/// Where documents are written before they are put into their places.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    pub(super) layout: Layout,
    staging: Arc<Mutex<StagingArea>>,
}

/// A document that waits for its place. If it does not come to it, it is gone with this value.
#[derive(Debug)]
pub(super) struct Spooled {
    file: Option<StagedFile>,
    document: DocumentFile,
}

impl Spooled {
    fn new(file: StagedFile, place: &Path) -> Self {
        let document = DocumentFile::staged(&file, place);
        Self { file: Some(file), document }
    }

    /// The document, to be read.
    pub(super) fn document(&self) -> &DocumentFile {
        &self.document
    }

    /// Adds to its end.
    pub(super) fn append(&self, bytes: &[u8]) -> Result<(), PublishError> {
        let append = || self.file.as_ref().map_or(Ok(()), |file| file.append()?.write_all(bytes));
        append().map_err(PublishError::io("could not write", self.document.path()))
    }

    /// The file, as it waits.
    pub(super) fn staged(&self) -> Option<&StagedFile> {
        self.file.as_ref()
    }

    /// The file, to be put into its place.
    pub(super) fn into_staged(mut self) -> Option<StagedFile> {
        self.file.take()
    }
}

impl Drop for Spooled {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            file.discard();
        }
    }
}

/// A file that is being written.
#[derive(Debug)]
pub(super) struct SpoolFile {
    out: File,
    spooled: Spooled,
}

impl SpoolFile {
    pub(super) fn into_spooled(self) -> Spooled {
        self.spooled
    }
}

impl Write for SpoolFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Desk {
    pub(super) fn new(layout: &Layout, staging: StagingArea) -> Self {
        Self { layout: layout.clone(), staging: Arc::new(Mutex::new(staging)) }
    }

    /// The same desk, for the documents of one set.
    pub(super) fn of_set(&self, name: Option<&str>) -> Self {
        self.with_layout(self.layout.of_set(name))
    }

    /// The same desk, for the documents of a layout.
    pub(super) fn with_layout(&self, layout: Layout) -> Self {
        Self { layout, staging: Arc::clone(&self.staging) }
    }

    /// A file for the document of that name.
    pub(super) fn file(&self, name: &str) -> Result<SpoolFile, PublishError> {
        let place: PathBuf = self.layout.path(name);
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let (file, out) =
            staging.create().map_err(PublishError::io("could not make a file for", &place))?;
        Ok(SpoolFile { out, spooled: Spooled::new(file, &place) })
    }

    /// Such a file, and a writer of a document into it.
    pub(super) fn begin(
        &self,
        name: &str,
        head: &Head<'_>,
        capacity: Capacity,
    ) -> Result<(Spooled, Sheet), PublishError> {
        // Only its path stays: there may be more of them than files may be open.
        let SpoolFile { out, spooled } = self.file(name)?;
        // Room for the link that it gets if it turns out to be one of several.
        let bytes = capacity.bytes.min(Capacity::default().bytes - HEAD_ROOM);
        let writer = Writer::with_capacity(out, head, Capacity { bytes, ..capacity });
        Ok((spooled, writer.map_err(|source| self.failed(name, source))?))
    }

    /// The same entries under another head.
    pub(super) fn copied(
        &self,
        name: &str,
        from: &DocumentFile,
        head: &Head<'_>,
    ) -> Result<Spooled, PublishError> {
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
        from: &DocumentFile,
        new: &Head<'_>,
    ) -> Result<Option<Spooled>, PublishError> {
        let old = head(from)?.filter(|old| old.form == new.form && old.capability().is_some());
        let Some(old) = old else { return Ok(None) };
        let head_of = |head| head_bytes(head).map_err(|source| self.failed(name, source));
        let (Ok(old), new) = (head_bytes(&old), head_of(new)?) else { return Ok(None) };
        let copy = || -> io::Result<Option<Bytes>> {
            let Some(mut input) = from.open()? else { return Ok(None) };
            let mut start = Vec::with_capacity(old.len());
            (&mut input).take(old.len() as u64).read_to_end(&mut start)?;
            Ok((start == old).then_some(input))
        };
        let Some(input) = copy().map_err(PublishError::io("could not read", from.path()))? else {
            return Ok(None);
        };
        let (mut input, mut out) =
            (BufReader::with_capacity(COPY_BUFFER_BYTES, input), self.file(name)?);
        let written = out.write_all(&new).and_then(|()| io::copy(&mut input, &mut out));
        written.map_err(PublishError::io("could not write", self.layout.path(name)))?;
        Ok(Some(out.into_spooled()))
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
