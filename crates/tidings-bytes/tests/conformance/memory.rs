//! A store in memory, as an object store is: keys and bytes, and no folders.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use sha2::{Digest as _, Sha256};
use tidings_bytes::{
    ByteReader, ByteStore, ByteStoreError, CommitOutcome, FileStamp, ListedFile, Occupant,
    StagedFile, StagingArea,
};

type Objects = Arc<Mutex<BTreeMap<String, (Vec<u8>, i64)>>>;

/// Objects by their keys. Each clone is a view of the same ones.
#[derive(Clone)]
pub(crate) struct MemoryStore {
    objects: Objects,
    /// What was set aside, by folder and key.
    trash: Objects,
    staging: PathBuf,
    areas: Arc<Mutex<u64>>,
}

impl MemoryStore {
    pub(crate) fn new(staging: &Path) -> Self {
        Self {
            objects: Objects::default(),
            trash: Objects::default(),
            staging: staging.to_owned(),
            areas: Arc::default(),
        }
    }
}

impl ByteReader for MemoryStore {
    fn stamp(&mut self, path: &str) -> Option<FileStamp> {
        let objects = self.objects.lock().unwrap();
        let (bytes, mtime) = objects.get(path)?;
        Some(FileStamp { length: bytes.len() as u64, mtime: *mtime })
    }

    fn occupant(&mut self, path: &str) -> Result<Occupant, ByteStoreError> {
        let objects = self.objects.lock().unwrap();
        if objects.contains_key(path) {
            return Ok(Occupant::File);
        }
        let above = path.match_indices('/').map(|(place, _)| &path[..place]);
        if let Some(segment) = above.into_iter().position(|above| objects.contains_key(above)) {
            return Ok(Occupant::BelowFile(segment));
        }
        let below = format!("{path}/");
        let next = objects.range(below.clone()..).next();
        Ok(match next.is_some_and(|(key, _)| key.starts_with(&below)) {
            true => Occupant::Folder,
            false => Occupant::Nothing,
        })
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let objects = self.objects.lock().unwrap();
        let (bytes, _) = objects.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(bytes.clone())))
    }
}

impl ByteStore for MemoryStore {
    fn reader(&self) -> Result<Box<dyn ByteReader>, ByteStoreError> {
        Ok(Box::new(self.clone()))
    }

    fn staging_area(&self) -> Result<StagingArea, ByteStoreError> {
        let mut areas = self.areas.lock().unwrap();
        *areas += 1;
        StagingArea::open(&self.staging.join(areas.to_string()))
    }

    fn commit(
        &mut self,
        file: &StagedFile,
        path: &str,
        sha256: &[u8; 32],
        replaces: bool,
    ) -> Result<CommitOutcome, ByteStoreError> {
        match self.occupant(path)? {
            Occupant::Nothing => {}
            Occupant::File if replaces => {}
            _ => return Ok(CommitOutcome::Taken),
        }
        let mut bytes = Vec::new();
        let failed =
            |source| ByteStoreError::Io { what: "could not read", path: path.into(), source };
        file.open().and_then(|mut file| file.read_to_end(&mut bytes)).map_err(failed)?;
        // It is a copy of the bytes that becomes visible.
        if Sha256::digest(&bytes)[..] != sha256[..] {
            return Err(failed(io::ErrorKind::InvalidData.into()));
        }
        self.objects.lock().unwrap().insert(path.to_owned(), (bytes, 0));
        file.discard();
        Ok(CommitOutcome::Done)
    }

    fn delete(&mut self, path: &str) -> Result<(), ByteStoreError> {
        self.objects.lock().unwrap().remove(path);
        Ok(())
    }

    fn set_aside(&mut self, path: &str, folder: &str) -> Result<(), ByteStoreError> {
        if let Some(object) = self.objects.lock().unwrap().remove(path) {
            self.trash.lock().unwrap().insert(format!("{folder}/{path}"), object);
        }
        Ok(())
    }

    fn list(&mut self, visit: &mut dyn FnMut(ListedFile<'_>) -> ControlFlow<()>) {
        let paths: Vec<String> = self.objects.lock().unwrap().keys().cloned().collect();
        let _ = paths.iter().try_for_each(|path| visit(ListedFile::File(Path::new(path))));
    }

    fn sync(&self) -> Result<(), ByteStoreError> {
        Ok(())
    }

    fn location(&self, path: &str) -> PathBuf {
        Path::new("memory:").join(path)
    }

    fn ignores_case(&self) -> bool {
        false
    }
}
