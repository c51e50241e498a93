//! The documents that are written while they are sent, and which of them gives way to another.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tidings_http::limits::network;
use tokio::sync::Notify;

/// The time for which the only stream of a network may wait for its reader without giving way.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Counts streams: each has a thread until its reader has all of it.
///
/// When all places are taken, a stream that waits for its reader gives its place to a new one: of the
/// network that has most streams, the one that has waited longest in all. So readers that stall only
/// displace each other.
#[derive(Debug)]
pub(crate) struct StreamTable {
    limit: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    streams: BTreeMap<u64, (IpAddr, Arc<StreamState>)>,
}

/// The state of one stream.
#[derive(Debug, Default)]
pub(super) struct StreamState {
    waiting: Mutex<Waiting>,
    is_displaced: AtomicBool,
    displaced: Notify,
}

#[derive(Debug, Default, Clone, Copy)]
struct Waiting {
    total: Duration,
    since: Option<Instant>,
}

impl StreamState {
    /// Notes that the stream waits for its reader, or does not any more.
    pub(super) fn set_waits(&self, waits: bool) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = waiting.since.take() {
            waiting.total += since.elapsed();
        }
        waiting.since = waits.then(Instant::now);
    }

    /// The time that the stream has waited in all. None if it does not wait now.
    fn waited(&self) -> Option<Duration> {
        let waiting = *self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.since.map(|since| waiting.total + since.elapsed())
    }

    /// Whether another stream has taken the place of this one.
    pub(super) fn is_displaced(&self) -> bool {
        self.is_displaced.load(Ordering::Acquire)
    }

    /// Returns when another stream has taken the place of this one.
    pub(super) async fn displaced(&self) {
        self.displaced.notified().await;
    }
}

/// The place of a stream in the table, until it is dropped.
#[derive(Debug)]
pub(super) struct StreamPlace {
    table: Arc<StreamTable>,
    number: u64,
    state: Arc<StreamState>,
}

impl StreamPlace {
    pub(super) fn state(&self) -> &Arc<StreamState> {
        &self.state
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.table.open().streams.remove(&self.number);
    }
}

impl StreamTable {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default() })
    }

    /// Admits a stream, in the place of one that waits for its reader if need be. None if all are read.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<StreamPlace> {
        let mut open = self.open();
        if open.streams.len() >= self.limit {
            open.displace()?;
        }
        open.next += 1;
        let (number, state) = (open.next, Arc::<StreamState>::default());
        open.streams.insert(number, (network(address.to_canonical()), Arc::clone(&state)));
        drop(open);
        Some(StreamPlace { table: Arc::clone(self), number, state })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn displace(&mut self) -> Option<()> {
        let mut counts = HashMap::<IpAddr, usize>::new();
        for (network, _) in self.streams.values() {
            *counts.entry(*network).or_default() += 1;
        }
        let waiting = self.streams.iter().filter_map(|(number, (network, state))| {
            let (count, waited) = (counts[network], state.waited()?);
            (count > 1 || waited > MAX_WAIT).then_some((count, waited, *number))
        });
        let (_, _, number) = waiting.max()?;
        let (_, state) = self.streams.remove(&number)?;
        state.is_displaced.store(true, Ordering::Release);
        state.displaced.notify_one();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(table: &Arc<StreamTable>, address: &str) -> Option<StreamPlace> {
        table.admit(address.parse().unwrap())
    }

    #[test]
    fn the_network_with_most_streams_gives_up_the_one_that_waited_longest() {
        let table = StreamTable::new(3);
        let (first, second) = (admit(&table, "192.0.2.1"), admit(&table, "192.0.2.1"));
        let (first, second) = (first.unwrap(), second.unwrap());
        let single = admit(&table, "192.0.2.2").unwrap();
        assert!(admit(&table, "192.0.2.3").is_none(), "all are read");
        for place in [&single, &second, &first] {
            place.state().set_waits(true);
        }
        let newcomer = admit(&table, "192.0.2.3").unwrap();
        assert!(second.state().is_displaced() && !first.state().is_displaced());
        assert!(admit(&table, "192.0.2.4").is_none(), "no network has two");
        drop((first, second, single, newcomer));
        assert!(table.open().streams.is_empty());
    }
}
