//! Feeds that are different since a moment ago.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// For how long it is known that a feed is different: longer than anybody keeps one without looking.
const KNOWN: Duration = Duration::from_secs(10);

/// The keys of collections and sites whose feeds are different since a moment ago.
#[derive(Debug, Default)]
pub struct Changed {
    times: Mutex<Times>,
}

#[derive(Debug, Default)]
struct Times {
    by_key: HashMap<String, Instant>,
    /// When any feed became different last.
    newest: Option<Instant>,
}

impl Changed {
    /// Whether the feed of a key is different since then, which is a few seconds ago at the most.
    #[must_use]
    pub fn since(&self, key: &str, then: Instant) -> bool {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.by_key.get(key).is_some_and(|time| *time >= then)
    }

    /// Whether any feed is different since then.
    #[must_use]
    pub fn any_since(&self, then: Instant) -> bool {
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.newest.is_some_and(|newest| newest >= then)
    }

    /// These are different now.
    pub fn note(&self, keys: impl IntoIterator<Item = String>) {
        let now = Instant::now();
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        if times.by_key.len() > 1_000 {
            times.by_key.retain(|_, time| now.duration_since(*time) < KNOWN);
        }
        times.by_key.extend(keys.into_iter().map(|key| (key, now)));
        times.newest = Some(now);
    }
}
