//! A store in memory, as an object store is: keys and bytes, and no folders.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};
use tidings_bytes::{
    ByteReader, ByteStore, ByteStoreError, CommitOutcome, FileStamp, FolderEntry, ListedFile,
    Occupant, StagedFile, StagingArea,
};

type Objects = Arc<Mutex<BTreeMap<String, Object>>>;

struct Object {
    bytes: Vec<u8>,
    mtime: i64,
    /// The number of the commit that made it: an entity tag.
    version: u64,
}

/// Objects by their keys. Each clone is a view of the same ones.
#[derive(Clone)]
pub(crate) struct MemoryStore {
    objects: Objects,
    /// What was set aside, by folder and key.
    trash: Objects,
    staging: PathBuf,
    /// The number of staging areas and commits.
    count: Arc<Mutex<u64>>,
}

impl MemoryStore {
    pub(crate) fn new(staging: &Path) -> Self {
        Self {
            objects: Objects::default(),
            trash: Objects::default(),
            staging: staging.to_owned(),
            count: Arc::default(),
        }
    }

    fn next(&self) -> u64 {
        let mut count = self.count.lock().unwrap();
        *count += 1;
        *count
    }
}

impl ByteReader for MemoryStore {
    fn stamp(&mut self, path: &str) -> Option<FileStamp> {
        let objects = self.objects.lock().unwrap();
        let object = objects.get(path)?;
        Some(FileStamp { length: object.bytes.len() as u64, mtime: object.mtime })
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

    fn version(&mut self, path: &str) -> Option<Vec<u8>> {
        let objects = self.objects.lock().unwrap();
        objects.get(path).map(|object| object.version.to_le_bytes().to_vec())
    }

    fn open(&mut self, path: &str) -> io::Result<Box<dyn Read + Send>> {
        let objects = self.objects.lock().unwrap();
        let object = objects.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(object.bytes.clone())))
    }
}

impl ByteStore for MemoryStore {
    fn reader(&self) -> Result<Box<dyn ByteReader>, ByteStoreError> {
        Ok(Box::new(self.clone()))
    }

    fn staging_area(&self) -> Result<StagingArea, ByteStoreError> {
        StagingArea::open(&self.staging.join(self.next().to_string()))
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
        let since = SystemTime::UNIX_EPOCH.elapsed().unwrap();
        let mtime = i64::try_from(since.as_nanos()).unwrap();
        let object = Object { bytes, mtime, version: self.next() };
        self.objects.lock().unwrap().insert(path.to_owned(), object);
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

    fn list_folder(
        &mut self,
        folder: &str,
        visit: &mut dyn FnMut(FolderEntry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ByteStoreError> {
        let above = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let (mut files, mut folders) = (Vec::new(), BTreeSet::new());
        for key in self.objects.lock().unwrap().keys() {
            let Some(below) = key.strip_prefix(&above) else { continue };
            match below.split_once('/') {
                Some((folder, _)) => drop(folders.insert(folder.to_owned())),
                None => files.push(below.to_owned()),
            }
        }
        let folders = folders.iter().map(|name| FolderEntry::Folder(name));
        let mut entries = folders.chain(files.iter().map(|name| FolderEntry::File(name)));
        let _ = entries.try_for_each(visit);
        Ok(())
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
