//! Keeping to the robots.txt of those who are asked.

use tidings_web::{Client, GetOptions, RobotsCache};
use url::Url;

/// The name by which robots.txt files know us.
const TOKEN: &str = "tidings";

/// The rules of the hosts that were met in one run.
pub(crate) struct RobotsRules {
    client: Client,
    get: GetOptions,
    enabled: bool,
    cache: RobotsCache,
}

impl RobotsRules {
    pub(crate) fn new(client: Client, get: GetOptions, enabled: bool) -> Self {
        Self { client, get, enabled, cache: RobotsCache::new() }
    }

    /// Says why something may not be fetched.
    pub(crate) async fn check(&self, url: &Url) -> Result<(), String> {
        if !self.enabled {
            return Ok(());
        }
        let robots = self.cache.of(&self.client, url, &self.get).await;
        if robots.is_allowed(TOKEN, url) {
            return Ok(());
        }
        Err(format!("{}; --no-robots fetches it all the same", robots.verdict(TOKEN, url).reason))
    }
}
