//! The searches that run, and those that wait for their turn.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of searches that run at the same time.
const RUNNING: usize = 2;
/// The number of searches that wait for their turn.
const WAITING: usize = 200;
/// The time that a search may wait for its turn.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Searches take their turn in the order in which they came.
#[derive(Debug)]
pub(crate) struct SearchQueue {
    running: Arc<Semaphore>,
    waiting: Semaphore,
}

impl SearchQueue {
    pub(super) fn new() -> Self {
        let running = Arc::new(Semaphore::new(RUNNING));
        Self { running, waiting: Semaphore::new(WAITING) }
    }

    /// Returns when it is the turn of this search. None if too many wait, or if it waited too long.
    pub(super) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        let _waiting = self.waiting.try_acquire().ok()?;
        let turn = Arc::clone(&self.running).acquire_owned();
        tokio::time::timeout(MAX_WAIT, turn).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_search_waits_for_its_turn_and_not_for_ever() {
        let queue = SearchQueue::new();
        let (first, _second) = (queue.turn().await.unwrap(), queue.turn().await.unwrap());
        assert!(queue.turn().await.is_none());
        let (third, ()) = tokio::join!(queue.turn(), async { drop(first) });
        assert!(third.is_some());
    }
}
