//! By what a file is known to be the same.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::Stat;
use tidings_document::{Moment, Precision};

/// What the file system says of a file. While that is the same, so is the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) size: u64,
    pub(crate) inode: u64,
    /// When it was modified, in seconds and nanoseconds.
    pub(crate) modified: (i64, u32),
    /// When anything about it was changed: its time of modification can be set back, this cannot.
    pub(crate) changed: (i64, u32),
}

impl Stamp {
    pub(crate) const SIZE: usize = 40;

    pub(crate) fn of(metadata: &Metadata) -> Self {
        let nanos = |nanos: i64| u32::try_from(nanos).unwrap_or_default();
        Self {
            size: metadata.len(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), nanos(metadata.mtime_nsec())),
            changed: (metadata.ctime(), nanos(metadata.ctime_nsec())),
        }
    }

    /// The same, of what the system says of a file in a folder that is open.
    pub(crate) fn of_stat(stat: &Stat) -> Self {
        let nanos = |nanos: u64| u32::try_from(nanos).unwrap_or_default();
        Self {
            size: stat.st_size.cast_unsigned(),
            inode: stat.st_ino,
            modified: (stat.st_mtime, nanos(stat.st_mtime_nsec)),
            changed: (stat.st_ctime, nanos(stat.st_ctime_nsec)),
        }
    }

    /// True if a change after that moment would show: the clocks of file systems tick slowly, and two
    /// writes within one tick have the same time. Some only tick every two seconds.
    pub(crate) fn is_settled(&self, at: SystemTime) -> bool {
        let (seconds, nanos) = self.modified.max(self.changed);
        let tick = match nanos {
            0 => Duration::from_secs(2),
            _ => Duration::from_millis(20),
        };
        let Ok(seconds) = u64::try_from(seconds) else { return true };
        let last = UNIX_EPOCH.checked_add(Duration::new(seconds, nanos));
        let since = last.and_then(|last| at.duration_since(last).ok());
        since.is_some_and(|since| since > tick)
    }

    /// When the file was modified, as lists have it.
    pub(crate) fn lastmod(self) -> Option<Moment> {
        Moment::from_unix(self.modified.0, 0, Precision::Second)
    }

    pub(crate) fn bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let (modified, changed) = (self.modified, self.changed);
        bytes[..8].copy_from_slice(&self.size.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.inode.to_le_bytes());
        bytes[16..24].copy_from_slice(&modified.0.to_le_bytes());
        bytes[24..28].copy_from_slice(&modified.1.to_le_bytes());
        bytes[28..36].copy_from_slice(&changed.0.to_le_bytes());
        bytes[36..].copy_from_slice(&changed.1.to_le_bytes());
        bytes
    }

    pub(crate) fn of_bytes(bytes: [u8; Self::SIZE]) -> Self {
        let eight = |place: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[place..][..8]);
            u64::from_le_bytes(number)
        };
        let four = |place: usize| {
            let mut number = [0; 4];
            number.copy_from_slice(&bytes[place..][..4]);
            u32::from_le_bytes(number)
        };
        Self {
            size: eight(0),
            inode: eight(8),
            modified: (eight(16).cast_signed(), four(24)),
            changed: (eight(28).cast_signed(), four(36)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_just_written_is_not_settled() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let stamp = Stamp::of(&file.as_file().metadata().unwrap());
        let changed = Duration::new(stamp.changed.0.cast_unsigned(), stamp.changed.1);
        assert!(!stamp.is_settled(UNIX_EPOCH + changed));
        assert!(stamp.is_settled(SystemTime::now() + Duration::from_secs(3)));
        assert_eq!(Stamp::of_bytes(stamp.bytes()), stamp);
    }
}
