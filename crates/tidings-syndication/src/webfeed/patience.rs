//! How long a poll goes on, and which hosts it has given up.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tidings_web::{Origin, Url};

use crate::PollError;

/// How long one poll goes on to fetch posts and style sheets; the others are fetched with the next.
const LONGEST: Duration = Duration::from_secs(50);
/// How many requests to a host may go unanswered in one poll.
const MOST_UNANSWERED: u32 = 2;

/// What is left of the patience of one poll.
pub(super) struct Patience {
    begun: Instant,
    silent: HashMap<Origin, u32>,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), silent: HashMap::new() }
    }

    /// Whether something is still to be asked for. A host that does not answer is not asked again and
    /// again.
    pub(super) fn lasts(&self, url: &Url) -> bool {
        let unanswered = self.silent.get(&url.origin()).copied().unwrap_or_default();
        unanswered < MOST_UNANSWERED && self.begun.elapsed() <= LONGEST
    }

    /// Notes that something could not be had.
    pub(super) fn failed(&mut self, url: &Url, error: &PollError) {
        if error.is_of_the_host() {
            *self.silent.entry(url.origin()).or_default() += 1;
        }
    }
}
