//! How many requests at once, and how often: the pace at which a host can be asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::retry::LONGEST;

/// How often in a row a host has to ask for more time than is waited, to be left alone.
const ENOUGH: u32 = 3;

/// How many requests to a host there are at once at the beginning.
const FIRST: usize = 8;

/// The pace of all requests of one program, host by host. It begins with a few requests at once, and
/// twice as many after each round that went well; half as many when the host says that it is too much
/// (429, 503) or does not answer in time, and from then on one more after each round: what TCP does to
/// a network, done to a server.
///
/// Clients share one through [`ClientOptions::pace`](crate::ClientOptions::pace).
#[derive(Debug)]
pub struct Pace {
    most: usize,
    interval: Option<Duration>,
    hosts: RwLock<HashMap<String, Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    permits: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// How many may be under way at once now.
    limit: usize,
    /// How many permits are out that should not come back.
    excess: usize,
    /// How many went well since the limit was changed.
    well: usize,
    /// True if it was ever too much.
    is_wary: bool,
    /// Before this, nothing is asked: after a `Retry-After`.
    not_before: Option<Instant>,
    /// How often in a row it asked for more time than is waited.
    long_waits: u32,
    /// The host asked to be left alone until then, which is too long to wait for.
    closed_until: Option<Instant>,
    /// When the next request may be made, if there is a rate.
    next: Option<Instant>,
}

/// Leave for one request. It is given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    host: Arc<Host>,
    permit: Option<OwnedSemaphorePermit>,
    most: usize,
    overload: Option<Option<Duration>>,
}

impl Pace {
    /// At most so many requests at once to one host, and if `rate` is given, no more than so many
    /// in a second.
    #[must_use]
    pub fn new(most: usize, rate: Option<f64>) -> Self {
        let interval =
            rate.filter(|rate| *rate > 0.0).map(|rate| Duration::from_secs_f64(1.0 / rate));
        Self { most: most.max(1), interval, hosts: RwLock::default() }
    }

    /// How many requests at once the host has been found to bear.
    #[must_use]
    pub fn limit(&self, host: &str) -> Option<usize> {
        self.known(host).map(|host| locked(&host.state).limit)
    }

    /// Waits until the host may be asked; or says how long it wants to be left alone, if that is too long.
    pub(crate) async fn enter(&self, host: &str) -> Result<Permit, Duration> {
        let host = self.host(host);
        // The semaphore is never closed.
        let permit = Arc::clone(&host.permits).acquire_owned().await.ok();
        let closed_until = locked(&host.state).closed_until;
        if let Some(left) =
            closed_until.and_then(|until| until.checked_duration_since(Instant::now()))
        {
            return Err(left);
        }
        while let Some(wait) = self.wait(&host) {
            tokio::time::sleep(wait).await;
        }
        Ok(Permit { host, permit, most: self.most, overload: None })
    }

    fn host(&self, name: &str) -> Arc<Host> {
        if let Some(host) = self.known(name) {
            return host;
        }
        let limit = FIRST.min(self.most);
        let state = State {
            limit,
            excess: 0,
            well: 0,
            is_wary: false,
            not_before: None,
            long_waits: 0,
            closed_until: None,
            next: None,
        };
        let host =
            Arc::new(Host { permits: Arc::new(Semaphore::new(limit)), state: Mutex::new(state) });
        let mut hosts = self.hosts.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(hosts.entry(name.to_owned()).or_insert(host))
    }

    fn known(&self, name: &str) -> Option<Arc<Host>> {
        self.hosts.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// How long to wait still. A turn by the rate is taken when there is nothing to wait for.
    fn wait(&self, host: &Host) -> Option<Duration> {
        let mut state = locked(&host.state);
        if state.not_before.is_none() && self.interval.is_none() {
            return None;
        }
        let now = Instant::now();
        let until = state.not_before.max(state.next).filter(|until| *until > now);
        if let Some(until) = until {
            return Some(until - now);
        }
        state.not_before = None;
        state.next = self.interval.map(|interval| now + interval);
        None
    }
}

impl Permit {
    /// The host said, or showed, that it is too much for it now.
    pub(crate) fn overloaded(&mut self, retry_after: Option<Duration>) {
        self.overload = Some(retry_after);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = locked(&self.host.state);
        match self.overload {
            Some(retry_after) => {
                let limit = (state.limit / 2).max(1);
                let fewer = state.limit - limit;
                state.excess += fewer - self.host.permits.forget_permits(fewer);
                state.limit = limit;
                state.well = 0;
                state.is_wary = true;
                let until = retry_after.and_then(|wait| Instant::now().checked_add(wait));
                // Whoever asks for more than that is left for the next run, not waited for.
                // One such answer may be about one resource; several in a row are about the host.
                match retry_after {
                    Some(wait) if wait > LONGEST => {
                        state.long_waits += 1;
                        if state.long_waits >= ENOUGH {
                            state.closed_until = until;
                        }
                    }
                    _ => state.not_before = state.not_before.max(until),
                }
            }
            None => {
                state.well += 1;
                state.long_waits = 0;
                if state.well >= state.limit && state.limit < self.most {
                    state.well = 0;
                    let more = if state.is_wary { 1 } else { state.limit };
                    let more = more.min(self.most - state.limit);
                    state.limit += more;
                    let back = more.min(state.excess);
                    state.excess -= back;
                    self.host.permits.add_permits(more - back);
                }
            }
        }
        if state.excess > 0
            && let Some(permit) = self.permit.take()
        {
            state.excess -= 1;
            permit.forget();
        }
    }
}

/// What is behind these locks is whole between any two statements.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn round(pace: &Pace, requests: usize) {
        for _ in 0..requests {
            drop(pace.enter("a.example").await.unwrap());
        }
    }

    #[tokio::test]
    async fn it_takes_more_while_all_goes_well_and_half_when_it_is_too_much() {
        let pace = Pace::new(16, None);
        assert_eq!(pace.limit("a.example"), None);
        round(&pace, 7).await;
        assert_eq!(pace.limit("a.example"), Some(8));
        round(&pace, 1).await;
        assert_eq!(pace.limit("a.example"), Some(16));
        let mut permit = pace.enter("a.example").await.unwrap();
        permit.overloaded(None);
        drop(permit);
        assert_eq!(pace.limit("a.example"), Some(8));
        let all: Vec<_> =
            futures_util::future::join_all((0..8).map(|_| pace.enter("a.example"))).await;
        let ninth = tokio::time::timeout(Duration::from_millis(20), pace.enter("a.example")).await;
        assert!(ninth.is_err(), "only eight at once");
        drop(all);
        assert_eq!(pace.limit("a.example"), Some(9), "then one more after a round");
        assert_eq!(pace.limit("b.example"), None, "each host for itself");
    }

    #[tokio::test]
    async fn one_request_is_always_allowed() {
        let pace = Pace::new(2, None);
        for _ in 0..10 {
            let mut permit = pace.enter("a.example").await.unwrap();
            permit.overloaded(None);
        }
        assert_eq!(pace.limit("a.example"), Some(1));
    }

    #[tokio::test]
    async fn retry_after_holds_back_every_request_to_that_host() {
        let pace = Pace::new(4, None);
        let mut permit = pace.enter("a.example").await.unwrap();
        permit.overloaded(Some(Duration::from_millis(80)));
        drop(permit);
        let started = Instant::now();
        drop(pace.enter("a.example").await.unwrap());
        assert!(started.elapsed() >= Duration::from_millis(70), "{:?}", started.elapsed());
    }

    #[tokio::test]
    async fn a_rate_spreads_requests_out() {
        let pace = Pace::new(4, Some(100.0));
        let started = Instant::now();
        round(&pace, 6).await;
        assert!(started.elapsed() >= Duration::from_millis(50), "{:?}", started.elapsed());
    }

    #[tokio::test]
    async fn a_host_that_wants_to_be_left_alone_for_long_is_left_alone() {
        let pace = Pace::new(4, None);
        for _ in 0..ENOUGH {
            let mut permit = pace.enter("a.example").await.unwrap();
            permit.overloaded(Some(Duration::from_secs(3_600)));
        }
        assert!(pace.enter("a.example").await.unwrap_err() > Duration::from_secs(3_500));
        assert!(pace.enter("b.example").await.is_ok());
    }
}
