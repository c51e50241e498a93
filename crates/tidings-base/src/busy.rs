//! Waiting for somebody else who is at the same thing.

use std::time::{Duration, Instant};

/// How long it is waited between two attempts.
const BUSY_INTERVAL: Duration = Duration::from_millis(5);

/// Attempts something again and again while it fails because somebody else is at it, and until `timeout`
/// has passed. The outcome is that of the last attempt.
///
/// SQLite waits by itself almost everywhere, but not where a connection turns the write-ahead log on: of
/// two that do so at once, one is told at once that the file is busy.
pub fn retry_while_busy<T, E>(
    timeout: Duration,
    is_busy: impl Fn(&E) -> bool,
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && begun.elapsed() < timeout => {
                std::thread::sleep(BUSY_INTERVAL);
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_waits_for_whoever_is_busy_and_for_nothing_else() {
        let is_busy = |error: &&str| *error == "busy";
        let minute = Duration::from_secs(60);
        let mut answers = vec![Ok(3), Err("busy"), Err("busy")];
        assert_eq!(retry_while_busy(minute, is_busy, || answers.pop().unwrap()), Ok(3));
        let mut answers = vec![Ok(3), Err("broken")];
        assert_eq!(retry_while_busy(minute, is_busy, || answers.pop().unwrap()), Err("broken"));
        let always = || Err::<(), _>("busy");
        assert_eq!(retry_while_busy(Duration::ZERO, is_busy, always), Err("busy"));
    }
}
