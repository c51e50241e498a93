//! Searching changes.

use crate::{Change, Kind, Millis};

/// Which changes to search for: those of which all of it is true.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeFilter {
    /// Only those of that collection.
    pub collection_id: Option<i64>,
    /// Only those of that site.
    pub site_id: Option<i64>,
    /// Only those of sites that the user of that number does not
    /// [leave out](crate::Store::set_left_out).
    pub without_left_out_by: Option<i64>,
    /// Leaves out deletions of posts: a webfeed removes them as a matter of course, and that is no news.
    pub without_removed_posts: bool,
    /// Only those of these kinds; of all kinds if there is none.
    pub kinds: Vec<Kind>,
    /// Only those whose URI contains that, without regard to case (ASCII). The first 200 characters
    /// of it are used.
    pub path: Option<String>,
    /// Only those where each of these is in the title, the URI or the note, without regard to case
    /// (ASCII). The first 200 characters of the first eight are used.
    pub words: Vec<String>,
    /// Only those that happened at that time or later. What is said to lie in the future happened when
    /// it was found.
    pub from: Option<Millis>,
    /// Only those that happened before that time.
    pub to: Option<Millis>,
}

/// The place of a change among all: later ones have higher places. Within one collection, nothing
/// counts but the batch and the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeCursor {
    /// When it was found, see [`FoundChange::seen_at`].
    pub seen_at: Millis,
    /// See [`Change::collection_id`].
    pub collection_id: i64,
    /// See [`Change::batch`].
    pub batch: i64,
    /// See [`Change::position`].
    pub position: i64,
}

/// A change that was searched for, and where it happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundChange {
    /// The change.
    pub change: Change,
    /// When the poll found it, see [`Batch::seen_at`](crate::Batch::seen_at).
    pub seen_at: Millis,
    /// See [`Collection::key`](crate::Collection::key).
    pub collection_key: String,
    /// See [`Collection::title`](crate::Collection::title).
    pub collection_title: Option<String>,
    /// See [`Site::key`](crate::Site::key).
    pub site_key: String,
    /// See [`Site::title`](crate::Site::title).
    pub site_title: Option<String>,
    /// See [`Site::url`](crate::Site::url).
    pub site_url: String,
}

impl FoundChange {
    /// Its place among all.
    pub fn cursor(&self) -> ChangeCursor {
        ChangeCursor {
            seen_at: self.seen_at,
            collection_id: self.change.collection_id,
            batch: self.change.batch,
            position: self.change.position,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The changes, the newest first.
    pub found: Vec<FoundChange>,
    /// Where to go on; none if all were looked at.
    pub next: Option<ChangeCursor>,
    /// How many changes were looked at.
    pub looked_at: u64,
}
