//! Pictures that were had a moment ago.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use bytes::Bytes;

use super::pictures::Mark;

/// How many bytes of pictures are kept.
const MOST_BYTES: usize = 64 << 20;
/// How many pictures, however small they are.
const MOST: usize = 2_000;
/// For how long: then they may have changed.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);
/// For how long one that cannot be had is not asked for again.
const PAUSE: Duration = Duration::from_secs(60);

/// A picture, or why there is none.
pub(super) type Shown = Result<Shot, StatusCode>;

/// A picture as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shot {
    pub(super) bytes: Bytes,
    pub(super) media_type: &'static str,
}

#[derive(Debug)]
struct Kept {
    shown: Shown,
    since: Instant,
    used: Instant,
}

impl Kept {
    fn size(&self) -> usize {
        self.shown.as_ref().map_or(0, |shot| shot.bytes.len())
    }

    fn is_fresh(&self) -> bool {
        self.since.elapsed() < if self.shown.is_ok() { FRESH } else { PAUSE }
    }
}

/// Pictures that were had a moment ago, by what they are asked for with.
#[derive(Debug, Default)]
pub(super) struct Shelf(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    kept: HashMap<Mark, Kept>,
    bytes: usize,
}

impl Held {
    fn remove(&mut self, mark: &Mark) {
        if let Some(kept) = self.kept.remove(mark) {
            self.bytes -= kept.size();
        }
    }
}

impl Shelf {
    pub(super) fn get(&self, mark: &Mark) -> Option<Shown> {
        let mut held = self.lock();
        let kept = held.kept.get_mut(mark)?;
        if !kept.is_fresh() {
            held.remove(mark);
            return None;
        }
        kept.used = Instant::now();
        Some(kept.shown.clone())
    }

    pub(super) fn keep(&self, mark: Mark, shown: Shown) {
        let now = Instant::now();
        let mut held = self.lock();
        held.remove(&mark);
        let kept = Kept { shown, since: now, used: now };
        held.bytes += kept.size();
        held.kept.insert(mark, kept);
        // Those that nobody looked at for longest make room.
        while held.bytes > MOST_BYTES || held.kept.len() > MOST {
            let oldest = held.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(mark, _)| *mark);
            let Some(oldest) = oldest else { break };
            held.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shot(size: usize) -> Shown {
        Ok(Shot { bytes: vec![0; size].into(), media_type: "image/png" })
    }

    #[test]
    fn what_nobody_looked_at_makes_room() {
        let shelf = Shelf::default();
        let mark = |number: u8| [number; 16];
        for number in 0..8 {
            shelf.keep(mark(number), shot(8 << 20));
        }
        assert!(shelf.get(&mark(0)).is_some());
        shelf.keep(mark(8), shot(1));
        assert!(shelf.get(&mark(0)).is_some() && shelf.get(&mark(1)).is_none());
        shelf.keep(mark(2), Err(StatusCode::BAD_GATEWAY));
        assert_eq!(shelf.get(&mark(2)), Some(Err(StatusCode::BAD_GATEWAY)));
        assert_eq!(shelf.lock().bytes, (6 * (8 << 20)) + 1);
    }
}
