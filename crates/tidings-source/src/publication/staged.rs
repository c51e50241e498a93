//! Documents on their way to their places.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;
use tidings_base::{Access, FileBatch, PlaceError};
use tidings_document::{Entry, Head, Writer};

use super::desk::Desk;
use crate::PublishError;

/// Documents that are written, but not yet where they belong: they are put there in the order in
/// which they were staged, so that at no moment one points to another that is not there.
pub(super) struct Staged {
    pub(super) desk: Desk,
    files: Vec<(String, TempPath)>,
    /// What others will have put into their places before, by their names.
    earlier: Vec<(String, PathBuf)>,
}

impl Staged {
    pub(super) fn new(desk: Desk) -> Self {
        Self { desk, files: Vec::new(), earlier: Vec::new() }
    }

    /// Documents that are put into their places after those.
    pub(super) fn after(staged: &Self) -> Self {
        let spooled = staged.files.iter().map(|(name, file)| (name.clone(), file.to_path_buf()));
        Self { earlier: spooled.collect(), ..Self::new(staged.desk.clone()) }
    }

    /// The names of the documents, in the order in which they are put into their places.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.files.iter().map(|(name, _)| name.clone())
    }

    /// The file that has the document of that name when this one is put into its place.
    fn file_before(&self, name: &str) -> PathBuf {
        let earlier = self.earlier.iter().find(|(earlier, _)| earlier == name);
        earlier.map_or_else(|| self.desk.layout.path(name), |(_, file)| file.clone())
    }

    /// Stages a file for its place, unless what is there is the same already.
    pub(super) fn put(&mut self, name: &str, file: TempPath) -> Result<(), PublishError> {
        let path = self.file_before(name);
        let same = || is_same(BufReader::new(File::open(&file)?), &path);
        if !same().map_err(PublishError::io("could not read", &path))? {
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
        if is_same(bytes, &before).map_err(PublishError::io("could not read", &before))? {
            return Ok(());
        }
        let path = self.desk.layout.path(name);
        let (mut out, file) = self.desk.file(name)?.into_parts();
        out.write_all(bytes).map_err(PublishError::io("could not write", &path))?;
        self.files.push((name.to_owned(), file));
        Ok(())
    }

    /// Puts everything into its place, and says what. Each file is on the disk before it is renamed,
    /// and what it may point to is in its place on the disk before that.
    pub(super) fn commit(self) -> Result<Vec<String>, PublishError> {
        let Self { desk, files, .. } = self;
        let mut written = Vec::with_capacity(files.len());
        // New names one after the other can wait for each other: nothing points to them yet.
        let new_batch = || FileBatch::new(Access::Everybody);
        let mut batch = new_batch();
        for (name, file) in files {
            let path = desk.layout.path(&name);
            written.push(name);
            if path.exists() {
                settle(std::mem::replace(&mut batch, new_batch()))?;
                let mut alone = new_batch();
                alone.push(file, path);
                settle(alone)?;
            } else {
                batch.push(file, path);
            }
        }
        settle(batch)?;
        Ok(written)
    }
}

/// Puts files into their places, durably.
fn settle(batch: FileBatch) -> Result<(), PublishError> {
    batch
        .commit()
        .map_err(|PlaceError { path, source }| PublishError::io("could not write", path)(source))
}

/// True if the file is there and holds the same bytes.
pub(crate) fn is_same(mut one: impl BufRead, other: &Path) -> io::Result<bool> {
    let mut other = match File::open(other) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    loop {
        let (ours, theirs) = (one.fill_buf()?, other.fill_buf()?);
        let count = ours.len().min(theirs.len());
        if count == 0 {
            return Ok(ours.len() == theirs.len());
        }
        if ours[..count] != theirs[..count] {
            return Ok(false);
        }
        one.consume(count);
        other.consume(count);
    }
}
