//! Documents on their way to their places.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempPath;
use tidings_document::{Entry, Head, Writer};

use super::desk::Desk;
use crate::PublishError;

/// From how many files on all of the file system is brought onto the disk at once.
const MANY: usize = 16;

/// Documents that are written, but not yet where they belong: they are put there in the order in
/// which they were staged, so that at no moment one points to another that is not there.
pub(super) struct Staged {
    pub(super) desk: Desk,
    files: Vec<(String, TempPath)>,
}

impl Staged {
    pub(super) fn new(desk: Desk) -> Self {
        Self { desk, files: Vec::new() }
    }

    /// Stages a file for its place, unless what is there is the same already.
    pub(super) fn put(&mut self, name: &str, file: TempPath) -> Result<(), PublishError> {
        let path = self.desk.layout.path(name);
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
        let path = self.desk.layout.path(name);
        // Before a file is made: where nothing changes, nothing is touched.
        if is_same(bytes, &path).map_err(PublishError::io("could not read", &path))? {
            return Ok(());
        }
        let (mut out, file) = self.desk.file(name)?.into_parts();
        out.write_all(bytes).map_err(PublishError::io("could not write", &path))?;
        self.files.push((name.to_owned(), file));
        Ok(())
    }

    /// Puts everything into its place, and says what. Each file is on the disk before it is renamed,
    /// and what it may point to is in its place on the disk before that.
    pub(super) fn commit(self) -> Result<Vec<String>, PublishError> {
        let Self { desk, files } = self;
        let mut written = Vec::with_capacity(files.len());
        // New names one after the other can wait for each other: nothing points to them yet.
        let mut batch: Vec<(TempPath, PathBuf)> = Vec::new();
        for (name, file) in files {
            let path = desk.layout.path(&name);
            written.push(name);
            if desk.dry_run {
                continue;
            }
            if path.exists() {
                settle(std::mem::take(&mut batch))?;
                settle(vec![(file, path)])?;
            } else {
                batch.push((file, path));
            }
        }
        settle(batch)?;
        Ok(written)
    }
}

/// Renames files whose content is on the disk, and brings the names onto the disk, too.
fn settle(batch: Vec<(TempPath, PathBuf)>) -> Result<(), PublishError> {
    let at_once = batch.len() >= MANY;
    let mut folders = BTreeSet::new();
    for (place, (file, path)) in batch.iter().enumerate() {
        let ready = || -> io::Result<()> {
            let open = File::open(file)?;
            // Temporary files are for their owner alone; these are to be served.
            open.set_permissions(fs::Permissions::from_mode(0o644))?;
            match at_once {
                false => open.sync_all(),
                true if place + 1 == batch.len() => Ok(rustix::fs::syncfs(&open)?),
                true => Ok(()),
            }
        };
        ready().map_err(PublishError::io("could not write", path))?;
        folders.extend(path.parent().map(Path::to_owned));
    }
    for (file, path) in batch {
        file.persist(&path)
            .map_err(|error| PublishError::io("could not write", &path)(error.error))?;
    }
    for folder in folders {
        let synced = File::open(&folder).and_then(|open| open.sync_all());
        synced.map_err(PublishError::io("could not write", &folder))?;
    }
    Ok(())
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
