//! Brings the bytes of resources: from the network, or, in a dry run, from nowhere.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tidings_bytes::ByteStore;
use tidings_web::{ClientOptions, GetOptions, RobotsCache};

use crate::fetch::{FetchOptions, Fetchers};
use crate::mapping::Mapping;
use crate::{SyncError, SyncOptions};

/// The fetcher of a run.
pub(crate) struct Supply {
    options: FetchOptions,
    /// The threads that fetch, which are there when the first resource is wanted.
    fetchers: Option<Fetchers>,
    is_forecast: bool,
}

impl Supply {
    /// For a run, with the client that its documents come by. If `is_forecast`, nothing is fetched, and what would come
    /// is foreseen.
    pub(crate) fn new(
        options: &SyncOptions,
        client: ClientOptions,
        mapping: Arc<Mapping>,
        is_forecast: bool,
    ) -> Self {
        let has_files =
            std::fs::read_dir(&options.folder).is_ok_and(|entries| entries.flatten().count() > 1);
        let options = FetchOptions {
            tries: client.tries,
            // Resources may be of any size; their lengths are checked one by one.
            client: ClientOptions { max_body_bytes: None, ..client },
            get: GetOptions::trusting(&options.source),
            jobs: options.jobs.max(1),
            folder: options.folder.clone(),
            robots: options.robots.then(|| Arc::new(RobotsCache::new())),
            prefer: options.prefer.clone(),
            adopt: has_files,
            mapping,
        };
        Self { options, fetchers: None, is_forecast }
    }

    /// True if nothing is fetched, and what would come is foreseen.
    pub(crate) fn is_forecast(&self) -> bool {
        self.is_forecast
    }

    /// The number of requests that were made, of whatever kind.
    pub(crate) fn requests(&self) -> u64 {
        self.options.client.meter.load(Ordering::Relaxed)
    }

    /// The threads that fetch, which stage files for that store.
    pub(crate) fn fetchers(&mut self, files: &dyn ByteStore) -> Result<&mut Fetchers, SyncError> {
        if self.fetchers.is_none() {
            self.fetchers = Some(Fetchers::start(&self.options, files)?);
        }
        match &mut self.fetchers {
            Some(fetchers) => Ok(fetchers),
            None => unreachable!("they were just started"),
        }
    }

    /// The threads that fetch, if anything was wanted yet.
    pub(crate) fn running(&mut self) -> Option<&mut Fetchers> {
        self.fetchers.as_mut()
    }
}
