//! Who is at work: a lock that is free as soon as its holder is gone, however it went.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::Work;

/// How often a lock that is taken is tried, and how long is waited in between. Whoever looks at the
/// register holds it for a moment, too.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(2);

/// The lock of one kind of run of one copy, held as long as this lives.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes it; [`WouldBlock`](io::ErrorKind::WouldBlock) if somebody else has it.
    pub(super) fn take(place: &Path, work: Work) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(path(place, work))?;
        for _ in 1..TRIES {
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => std::thread::sleep(PAUSE),
                result => return result.map(|()| Self { _file: file }).map_err(io::Error::from),
            }
        }
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Self { _file: file })
    }

    /// True if a run has it.
    pub(super) fn is_held(place: &Path, work: Work) -> bool {
        // Those who look do not keep each other out.
        let look = |file: File| rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared);
        File::open(path(place, work)).is_ok_and(|file| look(file) == Err(Errno::WOULDBLOCK))
    }
}

fn path(place: &Path, work: Work) -> PathBuf {
    place.join(format!("{}.lock", work.name()))
}
