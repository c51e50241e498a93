//! How many bytes may come in a second.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the line may have been idle and make up for it.
const MAX_CREDIT: Duration = Duration::from_millis(100);

/// A limit on the bytes that come in a second, over all clients and threads that share it
/// ([`ClientOptions::bandwidth`](crate::ClientOptions::bandwidth)). Whoever takes bytes waits until they
/// would have come at that rate; meanwhile nothing more is read of that connection, and its server waits,
/// too.
#[derive(Debug)]
pub struct Bandwidth {
    bytes_per_second: u64,
    /// When all bytes that were taken so far have come, at that rate.
    paid_until: Mutex<Option<Instant>>,
}

impl Bandwidth {
    /// At most so many bytes in a second; 0 counts as 1.
    #[must_use]
    pub fn new(bytes_per_second: u64) -> Self {
        Self { bytes_per_second: bytes_per_second.max(1), paid_until: Mutex::default() }
    }

    /// Waits until these bytes are within the limit, and says for how long that was.
    pub(crate) async fn take(&self, bytes: u64) -> Duration {
        let began = Instant::now();
        let wait = self.reserve(bytes, began);
        if wait.is_zero() {
            return wait;
        }
        tokio::time::sleep(wait).await;
        began.elapsed()
    }

    /// How long to wait from now on.
    fn reserve(&self, bytes: u64, now: Instant) -> Duration {
        let cost = Duration::from_secs_f64(bytes as f64 / self.bytes_per_second as f64);
        // A time is whole whatever happened to whoever held the lock.
        let mut paid = self.paid_until.lock().unwrap_or_else(PoisonError::into_inner);
        let earliest = now.checked_sub(MAX_CREDIT).unwrap_or(now);
        let from = paid.unwrap_or(now).max(earliest);
        let until = from + cost;
        *paid = Some(until);
        until.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn bytes_are_spread_over_their_time_whoever_takes_them() {
        let (limit, now) = (Bandwidth::new(1_000), Instant::now());
        assert_eq!(limit.reserve(500, now), SECOND / 2);
        assert_eq!(limit.reserve(500, now), SECOND, "after those of another");
        assert_eq!(limit.reserve(500, now + SECOND), SECOND / 2);
        // A hundred seconds of pieces of all sizes take a hundred seconds.
        let (limit, mut clock, mut taken) = (Bandwidth::new(1_000_000), now, 0);
        for piece in (1..).map(|number: u64| number * 7_919 % 65_536) {
            clock += limit.reserve(piece, clock);
            taken += piece;
            if taken >= 100_000_000 {
                break;
            }
        }
        let seconds = (clock - now).as_secs_f64() * 1_000_000.0 / taken as f64;
        assert!((0.99..1.01).contains(&seconds), "{seconds}");
    }

    #[test]
    fn time_in_which_nothing_came_is_not_saved_up() {
        let (limit, now) = (Bandwidth::new(1_000), Instant::now());
        limit.reserve(1, now);
        let later = now + SECOND * 3_600;
        assert_eq!(limit.reserve(100, later), Duration::ZERO, "a moment is");
        assert_eq!(limit.reserve(1_000, later), SECOND);
    }
}
