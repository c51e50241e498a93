//! Says for how long changes are kept, and how many of them.

use crate::Millis;

/// For how long changes are kept, and how many of them. What is older, or more, is forgotten in whole
/// archives, and the newest archive's worth of batches always stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// The maximum age of a batch, since it was found; none to keep all.
    pub max_age: Option<Millis>,
    /// The maximum number of changes of a collection, those of the newest archive not counted; none to keep
    /// all.
    pub max_changes: Option<i64>,
}

impl Retention {
    /// How many batches a feed archive has.
    pub const BATCHES_PER_ARCHIVE: i64 = 50;
    /// The default of [`max_age`](Self::max_age): two years.
    pub const DEFAULT_MAX_AGE: Millis = 2 * 365 * 24 * 60 * 60 * 1000;
    /// The default of [`max_changes`](Self::max_changes).
    pub const DEFAULT_MAX_CHANGES: i64 = 100_000;
}

impl Default for Retention {
    fn default() -> Self {
        Self { max_age: Some(Self::DEFAULT_MAX_AGE), max_changes: Some(Self::DEFAULT_MAX_CHANGES) }
    }
}

/// What one step of forgetting did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForgetStep {
    /// The collection that it looked at.
    pub collection_id: i64,
    /// How many changes it removed.
    pub changes: u64,
    /// True if there is nothing more to forget in that collection.
    pub is_done: bool,
}
