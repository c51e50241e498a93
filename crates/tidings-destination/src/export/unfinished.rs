//! The folders of bags that are being written, and those that killed exports have left.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;

const SUFFIX: &str = ".unfinished";

/// The number of random characters in the name of such a folder.
const RANDOM_CHARS: usize = 6;

/// A folder that is being written. It is locked as long as its export lives, so that no other export takes it
/// for one that was left.
pub(super) struct UnfinishedFolder {
    pub(super) folder: TempDir,
    _lock: File,
}

impl UnfinishedFolder {
    /// Makes a folder beside the place where a bag goes, and removes those that killed exports to that place
    /// have left there.
    pub(super) fn create(parent: &Path, name: &str) -> io::Result<Self> {
        sweep(parent, name);
        let mut builder = tempfile::Builder::new();
        let prefix = prefix(name);
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM_CHARS);
        builder.permissions(fs::Permissions::from_mode(0o777));
        let folder = builder.tempdir_in(parent)?;
        let lock = File::open(folder.path())?;
        lock.lock()?;
        Ok(Self { folder, _lock: lock })
    }
}

fn prefix(name: &str) -> String {
    format!(".{name}.")
}

/// Removes what killed exports have left. What cannot be removed is no reason not to export.
fn sweep(parent: &Path, name: &str) {
    let prefix = prefix(name);
    let is_ours = |name: &str| {
        let random = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(SUFFIX));
        random.is_some_and(|random| {
            random.len() == RANDOM_CHARS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_folder || !entry.file_name().to_str().is_some_and(is_ours) {
            continue;
        }
        let Ok(lock) = File::open(entry.path()) else { continue };
        if !matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
