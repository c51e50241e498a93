//! How much a package may ask for.

use super::Fault;

/// Up to here the ratio of a member is taken for chance, and up to there that of all together.
const FREE: u64 = 1 << 20;
const FREE_TOTAL: u64 = 64 << 20;

/// What a package may be at the most: what is more is refused before anything of it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackageLimits {
    /// Its entries, folders among them. Each is kept in memory, in 48 bytes and its name.
    pub entries: usize,
    /// The bytes of its manifest, which is read as a whole.
    pub manifest_bytes: u64,
    /// The bytes of a member, when it is not compressed.
    pub member_bytes: u64,
    /// The bytes of all members together, when they are not compressed.
    pub total: u64,
    /// How many bytes there may be for each that is stored: in a member of more than 1 MiB, and in
    /// all together where they are more than 64 MiB.
    pub ratio: u64,
}

impl Default for PackageLimits {
    /// 200,000 entries, a manifest of 100 MiB, and 200 bytes for each that is stored: four times as
    /// many entries and twice as long a manifest as Sitemaps allow. How much room there is for
    /// content, the caller knows.
    fn default() -> Self {
        Self {
            entries: 200_000,
            manifest_bytes: 100 << 20,
            member_bytes: u64::MAX,
            total: u64::MAX,
            ratio: 200,
        }
    }
}

impl PackageLimits {
    /// Holds a member against the limits.
    pub(super) fn check_member(&self, length: u64, stored: u64) -> Result<(), Fault> {
        if length > self.member_bytes {
            return Err(Fault::TooLong { length, most: self.member_bytes });
        }
        self.check_ratio(length, stored, FREE)
    }

    /// Holds all members together against the limits.
    pub(super) fn check_total(&self, length: u64, stored: u64) -> Result<(), Fault> {
        if length > self.total {
            return Err(Fault::TooLong { length, most: self.total });
        }
        self.check_ratio(length, stored, FREE_TOTAL)
    }

    fn check_ratio(&self, length: u64, stored: u64, free: u64) -> Result<(), Fault> {
        if length > free && length > stored.saturating_mul(self.ratio) {
            return Err(Fault::Ratio { length, stored });
        }
        Ok(())
    }
}
