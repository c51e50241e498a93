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
    /// When it was modified, in nanoseconds.
    pub(crate) modified: i64,
    /// When anything about it was changed: its time of modification can be set back, this cannot.
    pub(crate) changed: i64,
}

impl Stamp {
    pub(crate) const SIZE: usize = 32;

    pub(crate) fn of(metadata: &Metadata) -> Self {
        let nanos = |seconds: i64, nanos: i64| seconds.wrapping_mul(1_000_000_000) + nanos;
        Self {
            size: metadata.len(),
            inode: metadata.ino(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// The same, of what the system says of a file in a folder that is open.
    pub(crate) fn of_stat(stat: &Stat) -> Self {
        let nanos = |seconds: i64, nanos: u64| {
            seconds.wrapping_mul(1_000_000_000).wrapping_add_unsigned(nanos)
        };
        Self {
            size: stat.st_size.cast_unsigned(),
            inode: stat.st_ino,
            modified: nanos(stat.st_mtime, stat.st_mtime_nsec),
            changed: nanos(stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    /// True if a change after that moment would show: the clocks of file systems tick slowly, and two
    /// writes within one tick have the same time. Some only tick every two seconds.
    pub(crate) fn is_settled(&self, at: SystemTime) -> bool {
        let last = self.modified.max(self.changed);
        let tick = match last % 1_000_000_000 {
            0 => Duration::from_secs(2),
            _ => Duration::from_millis(20),
        };
        let Ok(last) = u64::try_from(last) else { return true };
        let since = at.duration_since(UNIX_EPOCH + Duration::from_nanos(last));
        since.is_ok_and(|since| since > tick)
    }

    /// When the file was modified, as lists have it.
    pub(crate) fn lastmod(self) -> Option<Moment> {
        Moment::from_unix(self.modified.div_euclid(1_000_000_000), 0, Precision::Second)
    }

    pub(crate) fn bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        let numbers =
            [self.size, self.inode, self.modified.cast_unsigned(), self.changed.cast_unsigned()];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    pub(crate) fn of_bytes(bytes: [u8; Self::SIZE]) -> Self {
        let number = |place: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[place * 8..][..8]);
            u64::from_le_bytes(number)
        };
        Self {
            size: number(0),
            inode: number(1),
            modified: number(2).cast_signed(),
            changed: number(3).cast_signed(),
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
        assert!(
            !stamp.is_settled(UNIX_EPOCH + Duration::from_nanos(stamp.changed.cast_unsigned()))
        );
        assert!(stamp.is_settled(SystemTime::now() + Duration::from_secs(3)));
        assert_eq!(Stamp::of_bytes(stamp.bytes()), stamp);
    }
}
