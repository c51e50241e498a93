//! The workers of this machine that are alive: each has a lock on a file beside the database, which the
//! kernel takes away when its process ends, however that happens.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::digest;
use crate::Location;

/// The folder beside the database in which the locks are.
const FOLDER: &str = "workers";
/// How much of a file is read for the name of a worker.
const MAX_NAME_BYTES: u64 = 4_096;

/// The locks of the workers of this process. Of a shared database nothing is known of the processes on
/// other machines: there only time ends a lease.
#[derive(Debug)]
pub(super) struct LivingWorkers {
    folder: Option<PathBuf>,
    locks: Mutex<HashMap<String, File>>,
}

/// A worker whose process ended without giving back what it had.
#[derive(Debug)]
pub(super) struct DeadWorker {
    name: String,
    path: PathBuf,
    /// Nobody else finds it at the same time.
    _lock: File,
}

impl LivingWorkers {
    pub(super) fn new(location: &Location) -> Self {
        let folder = match location {
            Location::Folder(folder) => Some(folder.join(FOLDER)),
            Location::Database(_) => None,
        };
        Self { folder, locks: Mutex::default() }
    }

    /// Says that a worker is alive, before it leases something; true if that was not said before. Where
    /// there can be no lock, time ends its leases.
    pub(super) fn register(&self, worker: &str) -> bool {
        let Some(folder) = &self.folder else { return false };
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if locks.contains_key(worker) {
            return false;
        }
        match lock(folder, worker) {
            Ok(lock) => {
                locks.insert(worker.to_owned(), lock);
                true
            }
            Err(error) => {
                tracing::debug!(%error, "a worker could not be locked");
                false
            }
        }
    }

    /// The workers that died.
    pub(super) fn dead(&self) -> Vec<DeadWorker> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        entries.flatten().filter_map(|entry| DeadWorker::at(entry.path())).collect()
    }
}

impl Drop for LivingWorkers {
    fn drop(&mut self) {
        let Some(folder) = &self.folder else { return };
        let locks = self.locks.get_mut().unwrap_or_else(PoisonError::into_inner);
        for worker in locks.keys() {
            // One that stays is found by others, who see that nobody has it.
            let _ = fs::remove_file(path(folder, worker));
        }
    }
}

impl DeadWorker {
    fn at(path: PathBuf) -> Option<Self> {
        let lock = OpenOptions::new().read(true).write(true).open(&path).ok()?;
        lock.try_lock().ok()?;
        let mut name = String::new();
        (&lock).take(MAX_NAME_BYTES).read_to_string(&mut name).ok()?;
        Some(Self { name, path, _lock: lock })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What it had was given back.
    pub(super) fn forget(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Makes the file of a worker and locks it. It gets its name when it is locked: who finds it without one
/// between the two has nothing to give back.
fn lock(folder: &Path, worker: &str) -> io::Result<File> {
    fs::create_dir_all(folder)?;
    let mut options = OpenOptions::new();
    let path = path(folder, worker);
    let mut file = options.read(true).write(true).create(true).truncate(false).open(&path)?;
    // Another process may have a worker of that name, or look whether this one is dead right now.
    file.try_lock()?;
    file.set_len(0)?;
    file.write_all(worker.as_bytes())?;
    // Whoever took it for dead before it was locked has removed it.
    if !path.exists() {
        return Err(io::ErrorKind::NotFound.into());
    }
    Ok(file)
}

fn path(folder: &Path, worker: &str) -> PathBuf {
    folder.join(tidings_base::to_hex(&digest(worker)))
}
