//! The files of a publication, in their places or on their way there.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidings_bytes::{ByteReader, Occupant, StagedFile};

/// The bytes of a file.
pub(crate) type Bytes = Box<dyn Read + Send>;

/// Reads the files that are in their places. All clones share one reader of the store.
#[derive(Clone)]
pub(crate) struct PlacedFiles {
    reader: Arc<Mutex<Box<dyn ByteReader>>>,
    /// Files that are read as if they were in their places already.
    planned: Arc<HashMap<String, StagedFile>>,
}

impl PlacedFiles {
    pub(crate) fn new(reader: Box<dyn ByteReader>) -> Self {
        Self { reader: Arc::new(Mutex::new(reader)), planned: Arc::default() }
    }

    /// The same files as they will be, once these are in their places.
    pub(crate) fn with_planned(&self, planned: HashMap<String, StagedFile>) -> Self {
        Self { reader: Arc::clone(&self.reader), planned: Arc::new(planned) }
    }

    fn reader(&self) -> MutexGuard<'_, Box<dyn ByteReader>> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a file; none if there is none.
    pub(crate) fn open(&self, name: &str) -> io::Result<Option<Bytes>> {
        if let Some(planned) = self.planned.get(name) {
            return Ok(Some(Box::new(planned.open()?)));
        }
        match self.reader().open(name) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// True if something has that name.
    pub(crate) fn exists(&self, name: &str) -> bool {
        let is_there = |found| !matches!(found, Occupant::Nothing | Occupant::BelowFile(_));
        self.planned.contains_key(name) || self.reader().occupant(name).is_ok_and(is_there)
    }

    /// The time of a file, in nanoseconds since 1970.
    pub(crate) fn modified(&self, name: &str) -> Option<i64> {
        self.reader().stamp(name).map(|stamp| stamp.mtime)
    }

    /// By what a file is known to be the same.
    pub(crate) fn version(&self, name: &str) -> Option<Vec<u8>> {
        self.reader().version(name)
    }
}

impl fmt::Debug for PlacedFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PlacedFiles")
    }
}

/// A document that can be read.
#[derive(Debug, Clone)]
pub(crate) struct DocumentFile {
    state: FileState,
    /// The place, as people know it.
    path: PathBuf,
}

#[derive(Debug, Clone)]
enum FileState {
    /// It is in its place.
    Placed(PlacedFiles, String),
    /// It is on its way there.
    Staged(StagedFile),
}

impl DocumentFile {
    pub(crate) fn placed(files: &PlacedFiles, name: &str, path: PathBuf) -> Self {
        Self { state: FileState::Placed(files.clone(), name.to_owned()), path }
    }

    pub(crate) fn staged(file: &StagedFile, path: &Path) -> Self {
        Self { state: FileState::Staged(file.clone()), path: path.to_owned() }
    }

    /// The place that it has or will have.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it; none if it is not there.
    pub(crate) fn open(&self) -> io::Result<Option<Bytes>> {
        match &self.state {
            FileState::Placed(files, name) => files.open(name),
            FileState::Staged(file) => Ok(Some(Box::new(file.open()?))),
        }
    }
}

/// True if the other file is there and holds the same bytes.
pub(crate) fn is_same(mut one: impl io::BufRead, other: Option<Bytes>) -> io::Result<bool> {
    let Some(other) = other else { return Ok(false) };
    let mut other = io::BufReader::new(other);
    loop {
        let (ours, theirs) = (one.fill_buf()?, io::BufRead::fill_buf(&mut other)?);
        let count = ours.len().min(theirs.len());
        if count == 0 {
            return Ok(ours.len() == theirs.len());
        }
        if ours[..count] != theirs[..count] {
            return Ok(false);
        }
        one.consume(count);
        io::BufRead::consume(&mut other, count);
    }
}
