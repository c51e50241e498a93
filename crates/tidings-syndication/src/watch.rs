//! Polls as they go on, for whoever looks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// How far the poll of a site is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PollStep {
    /// True while a poll is under way in this process.
    pub is_polling: bool,
    /// How many requests it made.
    pub requests: i64,
    /// What it asked for last.
    pub url: String,
    /// How many polls have ended since somebody began to look.
    pub ended: u64,
}

/// The polls of this process, by the keys of their sites. Nothing is kept of sites at which nobody looks.
#[derive(Debug, Default)]
pub struct Watched {
    sites: Mutex<HashMap<String, watch::Sender<PollStep>>>,
}

impl Watched {
    /// How far the poll of a site is, now and from now on.
    pub fn site(&self, key: &str) -> watch::Receiver<PollStep> {
        let mut sites = self.lock();
        sites.retain(|_, sender| sender.receiver_count() > 0 || sender.borrow().is_polling);
        sites.entry(key.to_owned()).or_default().subscribe()
    }

    /// Whether a poll of it is under way in this process.
    pub fn is_polling(&self, key: &str) -> bool {
        self.lock().get(key).is_some_and(|sender| sender.borrow().is_polling)
    }

    /// A poll of a site begins. It is over when what is returned is dropped.
    pub(crate) fn begin(self: &Arc<Self>, key: &str) -> Polling {
        let sender = self.lock().entry(key.to_owned()).or_default().clone();
        sender.send_modify(|step| {
            *step = PollStep { is_polling: true, ended: step.ended, ..PollStep::default() };
        });
        Polling { watched: Arc::clone(self), key: key.to_owned(), sender }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<PollStep>>> {
        self.sites.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A poll that is under way.
pub(crate) struct Polling {
    watched: Arc<Watched>,
    key: String,
    sender: watch::Sender<PollStep>,
}

impl Polling {
    /// It asks for that now.
    pub(crate) fn asks(&self, requests: i64, url: &str) {
        // Most of the time nobody looks.
        if self.sender.receiver_count() > 0 {
            self.sender.send_modify(|step| {
                step.requests = requests;
                url.clone_into(&mut step.url);
            });
        }
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        self.sender.send_modify(|step| {
            step.is_polling = false;
            step.ended += 1;
        });
        let mut sites = self.watched.lock();
        if self.sender.receiver_count() == 0 {
            sites.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn who_looks_sees_each_step_and_the_end() {
        let watched = Arc::new(Watched::default());
        let mut seen = watched.site("a");
        let polling = watched.begin("a");
        assert!(watched.is_polling("a") && !watched.is_polling("b"));
        polling.asks(1, "https://a.example/");
        assert_eq!(seen.borrow_and_update().url, "https://a.example/");
        drop(polling);
        seen.changed().await.unwrap();
        assert_eq!((seen.borrow().is_polling, seen.borrow().ended), (false, 1));
        drop(seen);
        drop(watched.begin("a"));
        assert!(watched.lock().is_empty());
    }
}
