//! Describes searches that somebody saved.

use crate::Millis;

/// A search that somebody saved, with a feed of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSearch {
    /// Its number in this store; never used again.
    pub id: i64,
    /// The number of the user whose it is; 0 of those who need no account.
    pub owner: i64,
    /// What a person calls it.
    pub name: String,
    /// What it searches for, as it stands in a URL.
    pub query: String,
    /// Since when there is one.
    pub created_at: Millis,
}

impl SavedSearch {
    /// The maximum number of searches that one user may save.
    pub const MAX_PER_OWNER: i64 = 200;
    /// The maximum length of a name, in characters.
    pub const MAX_NAME_CHARS: usize = 100;
    /// The maximum length of a query, in bytes.
    pub const MAX_QUERY_BYTES: usize = 4 << 10;
}
