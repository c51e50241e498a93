//! The lock that keeps two servers from serving one content root.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::journal::JournalError;

/// How long a server waits for the one before it, which may be about to end.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The lock, which ends with the file.
#[derive(Debug)]
pub(crate) struct SiteLock {
    _file: Option<File>,
}

impl SiteLock {
    /// Takes the lock of the site whose own folder this is; none if another program has it.
    pub(crate) fn take(own: &Path) -> Result<Option<Self>, JournalError> {
        let wrong = |path: &Path| {
            let path = path.to_owned();
            move |source| JournalError::Folder { path, source }
        };
        if let Some(state) = own.parent() {
            std::fs::create_dir_all(state).map_err(wrong(state))?;
        }
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(own).map_err(wrong(own))?;
        let path = own.join("site.lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let file = options.open(&path).map_err(wrong(&path))?;
        let begun = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Some(Self { _file: Some(file) })),
                Err(Errno::WOULDBLOCK) if begun.elapsed() >= LOCK_TIMEOUT => return Ok(None),
                Err(Errno::WOULDBLOCK | Errno::INTR) => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => {
                    tracing::warn!(%error, "the file system has no locks; serve this folder once only");
                    return Ok(Some(Self { _file: None }));
                }
            }
        }
    }
}
