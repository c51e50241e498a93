//! Documents on their way to their places.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;
use tidings_document::{Capacity, Entry, Head, WriteError, Writer};

use crate::PublishError;
use crate::layout::Layout;
use crate::previous::each_entry;

/// Where documents are written before they are put into their places.
#[derive(Debug, Clone)]
pub(super) struct Desk {
    pub(super) layout: Layout,
    dry_run: bool,
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
    ) -> Result<(NamedTempFile, Sheet), PublishError> {
        let file = self.file(name)?;
        let out = file.reopen().map_err(PublishError::io("could not write", file.path()))?;
        let writer = Writer::with_capacity(BufWriter::new(out), head, capacity);
        Ok((file, writer.map_err(|source| self.failed(name, source))?))
    }

    /// The same entries under another head.
    pub(super) fn copied(
        &self,
        name: &str,
        from: &Path,
        head: &Head<'_>,
    ) -> Result<NamedTempFile, PublishError> {
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

/// Documents that are written, but not yet where they belong: they are put there in the order in
/// which they were staged, so that at no moment one points to another that is not there.
pub(super) struct Staged {
    pub(super) desk: Desk,
    files: Vec<(String, NamedTempFile)>,
}

impl Staged {
    pub(super) fn new(desk: Desk) -> Self {
        Self { desk, files: Vec::new() }
    }

    /// Stages a file for its place, unless what is there is the same already.
    pub(super) fn put(&mut self, name: &str, file: NamedTempFile) -> Result<(), PublishError> {
        let path = self.desk.layout.path(name);
        if !is_same(file.path(), &path).map_err(PublishError::io("could not read", &path))? {
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
        let (file, mut writer) = self.desk.begin(name, head, Capacity::default())?;
        let written = entries.iter().try_for_each(|entry| writer.write(entry));
        written.and_then(|()| writer.finish()).map_err(|source| self.desk.failed(name, source))?;
        self.put(name, file)
    }

    /// Stages a file of other content.
    pub(super) fn bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), PublishError> {
        let mut file = self.desk.file(name)?;
        file.write_all(bytes).map_err(PublishError::io("could not write", file.path()))?;
        self.put(name, file)
    }

    /// Puts everything into its place, and says what. Each file is on the disk before it is renamed,
    /// and each rename before the next file's.
    pub(super) fn commit(self) -> Result<Vec<String>, PublishError> {
        let mut written = Vec::new();
        for (name, file) in self.files {
            if !self.desk.dry_run {
                let path = self.desk.layout.path(&name);
                settle(file, &path).map_err(PublishError::io("could not write", &path))?;
            }
            written.push(name);
        }
        Ok(written)
    }
}

fn settle(file: NamedTempFile, path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    // Temporary files are for their owner alone; these are to be served.
    file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// True if both files are there and hold the same bytes.
fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let other = match File::open(other) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    let one = File::open(one)?;
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (BufReader::new(one), BufReader::new(other));
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
