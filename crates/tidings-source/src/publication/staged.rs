//! Documents on their way to their places.

use std::io::{BufReader, Write as _};

use tidings_bytes::{ByteStore, StagedFile};
use tidings_document::{Entry, Head, Writer};

use super::desk::{Desk, Spooled};
use crate::PublishError;
use crate::document_file::{DocumentFile, is_same};

/// Documents that are written, but not yet where they belong: they are put there in the order in
/// which they were staged, so that at no moment one points to another that is not there.
pub(super) struct Staged {
    pub(super) desk: Desk,
    files: Vec<(String, Spooled)>,
    /// What others will have put into their places before, by their names.
    earlier: Vec<(String, DocumentFile)>,
}

impl Staged {
    pub(super) fn new(desk: Desk) -> Self {
        Self { desk, files: Vec::new(), earlier: Vec::new() }
    }

    /// Documents that are put into their places after those.
    pub(super) fn after(staged: &Self) -> Self {
        let spooled =
            staged.files.iter().map(|(name, file)| (name.clone(), file.document().clone()));
        Self { earlier: spooled.collect(), ..Self::new(staged.desk.clone()) }
    }

    /// The names of the documents, in the order in which they are put into their places.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.files.iter().map(|(name, _)| name.clone())
    }

    /// The documents as they wait, by their names.
    pub(super) fn files(&self) -> impl Iterator<Item = (String, StagedFile)> {
        self.files.iter().filter_map(|(name, file)| Some((name.clone(), file.staged()?.clone())))
    }

    /// The file that has the document of that name when this one is put into its place.
    fn file_before(&self, name: &str) -> DocumentFile {
        let earlier = self.earlier.iter().find(|(earlier, _)| earlier == name);
        earlier.map_or_else(|| self.desk.layout.document(name), |(_, file)| file.clone())
    }

    /// Stages a file for its place, unless what is there is the same already.
    pub(super) fn put(&mut self, name: &str, file: Spooled) -> Result<(), PublishError> {
        let before = self.file_before(name);
        let same = || match (file.document().open()?, before.open()?) {
            (Some(new), before) => is_same(BufReader::new(new), before),
            (None, _) => Ok(false),
        };
        if !same().map_err(PublishError::io("could not read", before.path()))? {
            self.files.push((name.to_owned(), file));
        }
        Ok(())
    }

    /// Stages a document of a few entries.
    pub(super) fn document(
        &mut self,
        name: &str,
        head: &Head<'_>,
        entries: &[Entry<'_>],
    ) -> Result<(), PublishError> {
        let failed = |source| self.desk.failed(name, source);
        let mut writer = Writer::new(Vec::new(), head).map_err(failed)?;
        entries.iter().try_for_each(|entry| writer.write(entry)).map_err(failed)?;
        let (bytes, _) = writer.finish().map_err(failed)?;
        self.bytes(name, &bytes)
    }

    /// Stages a file of other content.
    pub(super) fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), PublishError> {
        let before = self.file_before(name);
        // Before a file is made: where nothing changes, nothing is touched.
        let same = before.open().and_then(|before| is_same(bytes, before));
        if same.map_err(PublishError::io("could not read", before.path()))? {
            return Ok(());
        }
        let mut out = self.desk.file(name)?;
        out.write_all(bytes)
            .map_err(PublishError::io("could not write", self.desk.layout.path(name)))?;
        self.files.push((name.to_owned(), out.into_spooled()));
        Ok(())
    }

    /// Puts everything into its place, and says what. Each file is on the disk before it is renamed,
    /// and what it may point to is in its place on the disk before that.
    pub(super) fn commit(self, store: &mut dyn ByteStore) -> Result<Vec<String>, PublishError> {
        let Self { desk, files, .. } = self;
        let mut written = Vec::with_capacity(files.len());
        // New names one after the other can wait for each other: nothing points to them yet.
        let mut new = Vec::new();
        for (name, file) in files {
            written.push(name.clone());
            if desk.layout.has(&name) {
                place(store, std::mem::take(&mut new))?;
                place(store, vec![(name, file)])?;
            } else {
                new.push((name, file));
            }
        }
        place(store, new)?;
        Ok(written)
    }
}

/// Puts files into their places, durably.
fn place(store: &mut dyn ByteStore, files: Vec<(String, Spooled)>) -> Result<(), PublishError> {
    let staged = files.into_iter().filter_map(|(name, file)| Some((file.into_staged()?, name)));
    Ok(store.commit_all(staged.collect())?)
}
