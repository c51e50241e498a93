//! Keeping to the robots.txt of those who are asked.

use std::cell::RefCell;
use std::sync::Arc;

use tidings_web::{Client, GetOptions, Robots, RobotsCache};
use url::{Position, Url};

/// The name by which robots.txt files know us.
const TOKEN: &str = "tidings";

/// The rules of the hosts that were met in one run.
pub(crate) struct RobotsRules {
    client: Client,
    get: GetOptions,
    /// Shared by all threads: each host is asked once. None if nobody cares.
    cache: Option<Arc<RobotsCache>>,
    /// The rules of the host that was asked last, by all that is before its paths.
    last: RefCell<Option<(String, Arc<Robots>)>>,
}

impl RobotsRules {
    pub(crate) fn new(client: Client, get: GetOptions, cache: Option<Arc<RobotsCache>>) -> Self {
        Self { client, get, cache, last: RefCell::default() }
    }

    /// Says why something may not be fetched.
    pub(crate) async fn check(&self, url: &Url) -> Result<(), String> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let origin = &url[..Position::BeforePath];
        let last = self
            .last
            .borrow()
            .as_ref()
            .filter(|(last, _)| last == origin)
            .map(|(_, robots)| Arc::clone(robots));
        let robots = match last {
            Some(robots) => robots,
            None => {
                let robots = cache.of(&self.client, url, &self.get).await;
                self.last.replace(Some((origin.to_owned(), Arc::clone(&robots))));
                robots
            }
        };
        if robots.is_allowed(TOKEN, url) {
            return Ok(());
        }
        Err(format!("{}{}", robots.verdict(TOKEN, url).reason, self.client.remedies().robots))
    }
}
