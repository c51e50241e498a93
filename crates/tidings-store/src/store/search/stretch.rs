//! A part of all changes, in their order.

use crate::{ChangeCursor, Millis};

/// A part of a batch, from its highest position down.
pub(super) struct Piece {
    pub(super) seen_at: Millis,
    pub(super) collection_id: i64,
    pub(super) batch: i64,
    /// The lowest position.
    pub(super) from: i64,
    /// The one above the highest.
    pub(super) to: i64,
}

/// Some changes that come one after the other in the order.
pub(super) struct Stretch {
    pub(super) pieces: Vec<Piece>,
    /// True if none comes after them.
    pub(super) is_last: bool,
}

impl Stretch {
    /// The place before its first change: what is passed over before it is not looked at.
    pub(super) fn begin(&self) -> Option<ChangeCursor> {
        self.pieces.first().map(|piece| ChangeCursor {
            seen_at: piece.seen_at,
            collection_id: piece.collection_id,
            batch: piece.batch,
            position: piece.to,
        })
    }

    /// The place of its last change; none if it has none.
    pub(super) fn end(&self) -> Option<ChangeCursor> {
        self.pieces.last().map(|piece| ChangeCursor {
            seen_at: piece.seen_at,
            collection_id: piece.collection_id,
            batch: piece.batch,
            position: piece.from,
        })
    }

    /// How many changes there are up to that one.
    pub(super) fn count_to(&self, last: ChangeCursor) -> u64 {
        let mut count = 0;
        for piece in &self.pieces {
            if (piece.collection_id, piece.batch) == (last.collection_id, last.batch) {
                count += piece.to - last.position;
                break;
            }
            count += piece.to - piece.from;
        }
        u64::try_from(count).unwrap_or(0)
    }
}
