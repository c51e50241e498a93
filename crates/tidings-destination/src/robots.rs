//! Keeping to the robots.txt of those who are asked.

use std::sync::Arc;

use tidings_web::{Client, GetOptions, RobotsCache};
use url::Url;

/// The name by which robots.txt files know us.
const TOKEN: &str = "tidings";

/// The rules of the hosts that were met in one run.
pub(crate) struct RobotsRules {
    client: Client,
    get: GetOptions,
    /// Shared by all threads: each host is asked once. None if nobody cares.
    cache: Option<Arc<RobotsCache>>,
}

impl RobotsRules {
    pub(crate) fn new(client: Client, get: GetOptions, cache: Option<Arc<RobotsCache>>) -> Self {
        Self { client, get, cache }
    }

    /// Says why something may not be fetched.
    pub(crate) async fn check(&self, url: &Url) -> Result<(), String> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let robots = cache.of(&self.client, url, &self.get).await;
        if robots.is_allowed(TOKEN, url) {
            return Ok(());
        }
        Err(format!("{}; --no-robots fetches it all the same", robots.verdict(TOKEN, url).reason))
    }
}
