//! Changes, and the batches that polls bring them in.

use serde::{Deserialize, Serialize};

use crate::Millis;

/// What happened to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It is new.
    Created,
    /// It is different.
    Updated,
    /// It is gone.
    Deleted,
}

impl Kind {
    /// What it is called in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        [Self::Created, Self::Updated, Self::Deleted].into_iter().find(|known| known.name() == name)
    }
}

/// A change to be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChange {
    /// What it is known by, derived from what it says: the same change has the same key.
    pub key: [u8; 16],
    /// The resource.
    pub uri: String,
    /// What happened to it.
    pub kind: Kind,
    /// When.
    pub time: Millis,
    /// The same as the site has it, with its precision.
    pub time_text: Option<String>,
    /// What the page calls itself.
    pub title: Option<String>,
    /// A line about it, or what is different in it, as a unified diff.
    pub note: Option<String>,
}

/// A recorded change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The collection that it happened in.
    pub collection_id: i64,
    /// The batch that it came in, see [`Batch::sequence`].
    pub batch: i64,
    /// Its place in the batch, from 0.
    pub position: i64,
    /// The change.
    pub change: NewChange,
}

/// The changes of one poll of one collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The collection.
    pub collection_id: i64,
    /// Its number in the collection, from 1, without gaps.
    pub sequence: i64,
    /// Its number in the site, from 1, without gaps.
    pub site_sequence: i64,
    /// What it is known by, derived from its changes: 32 hexadecimal digits.
    pub key: String,
    /// How many resources were created.
    pub created: i64,
    /// How many were updated.
    pub updated: i64,
    /// How many were deleted.
    pub deleted: i64,
    /// The time of its oldest change.
    pub oldest: Millis,
    /// The time of its newest change.
    pub newest: Millis,
    /// When it was found.
    pub seen_at: Millis,
    /// Its changes in order, or as many of the newest of them as were asked for.
    pub changes: Vec<NewChange>,
}
