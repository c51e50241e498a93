//! Feeds that are different since a moment ago.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// For how long it is known that a feed is different: longer than anybody keeps one without looking.
const KNOWN: Duration = Duration::from_secs(10);

/// The keys of collections and sites whose feeds are different since a moment ago.
#[derive(Debug, Default)]
pub struct Changed {
    times: Mutex<HashMap<String, Instant>>,
}

impl Changed {
    /// Whether the feed of a key is different since then, which is a few seconds ago at the most.
    #[must_use]
    pub fn since(&self, key: &str, then: Instant) -> bool {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.get(key).is_some_and(|time| *time >= then)
    }

    /// These are different now.
    pub fn note(&self, keys: impl IntoIterator<Item = String>) {
        let now = Instant::now();
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        if times.len() > 1_000 {
            times.retain(|_, time| now.duration_since(*time) < KNOWN);
        }
        times.extend(keys.into_iter().map(|key| (key, now)));
    }
}
