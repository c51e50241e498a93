//! Copies the state of a folder into one file while others work on it, and puts such a copy back.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use tidings_base::{Access, Replacement};

use super::lite::{Lite, PATIENCE};
use super::sqlite::{self, FILE};
use super::{Now, params};
use crate::StoreError;
use crate::error::Result;

/// How long to wait before a copy that somebody keeps waiting is tried again.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Copies the state in a folder into a file, as it is at one moment, and says how many bytes that is. Others
/// go on reading and writing. The file is there when all of it is durable; one of that name is replaced.
pub fn backup(folder: &Path, file: &Path) -> Result<u64> {
    let place: Arc<str> = folder.display().to_string().into();
    let live = folder.join(FILE);
    if !live.is_file() {
        return Err(StoreError::Missing { place: place.to_string() });
    }
    let unusable = |source| inaccessible(file, source);
    let temporary = Replacement::with_prefix(file, ".tidings-backup-", Access::Owner);
    let temporary = temporary.map_err(unusable)?;
    let mut lite = Lite::open(&live, &place)?;
    let path = path_text(temporary.path())?;
    lite.query("VACUUM INTO $1", &params![path])?;
    drop(lite);
    let copy: Arc<str> = temporary.path().display().to_string().into();
    sqlite::check(&mut Lite::open(temporary.path(), &copy)?)?;
    let bytes = temporary.file().metadata().map_err(unusable)?.len();
    temporary.commit().map_err(unusable)?;
    Ok(bytes)
}

/// Puts a backup back into a folder, in one transaction: others who work on the state see it before or
/// after, and nothing in between. State that is there already is replaced only if `replace`.
///
/// The backup is brought up to date and checked before anything is changed. Leases in it are over, and no
/// lease that somebody still has is valid any more.
pub fn restore(file: &Path, folder: &Path, replace: bool) -> Result<()> {
    let live = folder.join(FILE);
    let place = folder.display().to_string();
    let is_there = fs::metadata(&live).is_ok_and(|found| found.len() > 0);
    if is_there && !replace {
        return Err(StoreError::Exists { place });
    }
    sqlite::make(folder, &live).map_err(|source| inaccessible(folder, source))?;
    let staging = tempfile::Builder::new()
        .prefix(".restore-")
        .tempdir_in(folder)
        .map_err(|source| inaccessible(folder, source))?;
    let staged = staging.path().join(FILE);
    fs::copy(file, &staged).map_err(|source| inaccessible(file, source))?;
    prepare(file, staging.path(), &staged)?;
    copy_into(&staged, &live, &place.into())
}

/// Brings a copy of a backup up to date, checks it, and ends its leases.
fn prepare(file: &Path, folder: &Path, staged: &Path) -> Result<()> {
    // The numbers of leases begin with the time, and grow by one: beyond this nobody has any.
    const END_LEASES: &str = "UPDATE hosts SET lease_until = 0, lease_by = '', lease_generation =
        CASE WHEN lease_generation > $1 THEN lease_generation ELSE $1 END + 1000000";
    let place: Arc<str> = file.display().to_string().into();
    let (mut lite, _) = sqlite::open(folder, staged, &place, false, None)?;
    sqlite::check(&mut lite)?;
    let now = lite.run(&Now)?;
    lite.execute(END_LEASES, &params![now])?;
    lite.query("PRAGMA wal_checkpoint(TRUNCATE)", &[]).map(drop)
}

/// Copies all of one database over another that others may have open.
fn copy_into(from: &Path, to: &Path, place: &Arc<str>) -> Result<()> {
    let source = Lite::open(from, place)?;
    let mut target = Lite::open(to, place)?;
    let problem = super::lite::problem(place);
    let begun = Instant::now();
    let copying = Backup::new(source.connection(), target.connection_mut()).map_err(&problem)?;
    loop {
        match copying.step(-1).map_err(&problem)? {
            StepResult::Done => return Ok(()),
            _ if begun.elapsed() > PATIENCE => {
                let detail = "another process keeps it locked".to_owned();
                return Err(StoreError::Busy { place: place.to_string(), detail });
            }
            _ => sleep(RETRY_INTERVAL),
        }
    }
}

fn path_text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "its name is not UTF-8");
        inaccessible(path, source)
    })
}

fn inaccessible(place: &Path, source: io::Error) -> StoreError {
    let place = PathBuf::from(place).display().to_string();
    match source.kind() {
        io::ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly { place },
        io::ErrorKind::StorageFull => StoreError::Full { place },
        io::ErrorKind::NotFound => {
            StoreError::Refused { place, detail: "there is no such file or folder".to_owned() }
        }
        _ => StoreError::Inaccessible { place, source: Arc::new(source) },
    }
}
