//! Where the rules come from, and for how long they are known.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;
use url::{Origin, Url};

use super::{Absence, Obstacle, Robots};
use crate::opening::opening;
use crate::{Client, FetchError, GetOptions};

/// A little more than is parsed, so that the cut is the parser's.
const MOST_BYTES: u64 = 512 << 10;

/// What came of asking for a robots.txt.
#[derive(Debug, Clone)]
pub enum RobotsAnswer {
    /// Its bytes, as far as they count.
    Text(Vec<u8>),
    /// There is none, so that everything is allowed.
    Absent(Absence),
    /// It could not be had, so that nothing is; the server may have said for how long.
    Unreachable(Obstacle, Option<Duration>),
}

impl From<RobotsAnswer> for Robots {
    fn from(answer: RobotsAnswer) -> Self {
        match answer {
            RobotsAnswer::Text(bytes) => Self::parse(&bytes),
            RobotsAnswer::Absent(absence) => Self::absent(absence),
            RobotsAnswer::Unreachable(obstacle, _) => Self::unreachable(obstacle),
        }
    }
}

/// Fetches the rules for the origin of `url`. It cannot fail: where there are none, everything is
/// allowed, and where they cannot be had, nothing is (RFC 9309, section 2.3.1).
///
/// Redirects are followed, also to another origin; the rules still hold for the one of `url`.
pub async fn robots_of(client: &Client, url: &Url, options: &GetOptions) -> Robots {
    ask_robots(client, url, options).await.into()
}

/// The same, for those who keep the answer: for a day at the most (RFC 9309, section 2.4).
pub async fn ask_robots(client: &Client, url: &Url, options: &GetOptions) -> RobotsAnswer {
    let mut place = url.clone();
    place.set_path("/robots.txt");
    place.set_query(None);
    place.set_fragment(None);
    let no_answer = |why: String| RobotsAnswer::Unreachable(Obstacle::NoAnswer(why), None);
    match client.get(&place, options).await {
        Ok(fetched) => match opening(fetched.body.into_reader(), MOST_BYTES) {
            Ok(bytes) => RobotsAnswer::Text(bytes),
            Err(error) => no_answer(format!("it could not be read: {error}")),
        },
        // With 429 a server does not say that there are no rules, but that it has enough of us.
        Err(FetchError::Status { status, .. })
            if status.is_client_error() && status.as_u16() != 429 =>
        {
            RobotsAnswer::Absent(Absence::Status(status))
        }
        Err(FetchError::Status { status, retry_after, .. }) => {
            RobotsAnswer::Unreachable(Obstacle::Status(status), retry_after)
        }
        Err(FetchError::TooManyRedirects { .. } | FetchError::RedirectLoop { .. }) => {
            RobotsAnswer::Absent(Absence::Redirects)
        }
        Err(error) => no_answer(error.to_string()),
    }
}

/// The rules of each origin, asked for once and then known for as long as this value lives: for one
/// run, and no longer than the day that RFC 9309, section 2.4, allows.
#[derive(Debug, Default)]
pub struct RobotsCache {
    known: Mutex<HashMap<Origin, Arc<OnceCell<Arc<Robots>>>>>,
}

impl RobotsCache {
    /// One that knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The rules for the origin of `url`; see [`robots_of`]. Of several callers at a time one asks,
    /// and the others wait for its answer.
    pub async fn of(&self, client: &Client, url: &Url, options: &GetOptions) -> Arc<Robots> {
        let cell = {
            // Nothing panics while it is locked, and a map is whole in any case.
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(url.origin()).or_default())
        };
        let ask = async || Arc::new(robots_of(client, url, options).await);
        Arc::clone(cell.get_or_init(ask).await)
    }
}
