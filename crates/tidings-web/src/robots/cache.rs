//! Where the rules come from, and for how long they are known.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;
use url::{Origin, Url};

use super::{Absence, Obstacle, Robots};
use crate::opening::opening;
use crate::{Client, FetchError, GetOptions};

/// A little more than is parsed, so that the cut is the parser's.
const MOST_BYTES: u64 = 512 << 10;

/// Fetches the rules for the origin of `url`. It cannot fail: where there are none, everything is
/// allowed, and where they cannot be had, nothing is (RFC 9309, section 2.3.1).
///
/// Redirects are followed, also to another origin; the rules still hold for the one of `url`.
pub async fn robots_of(client: &Client, url: &Url, options: &GetOptions) -> Robots {
    let mut place = url.clone();
    place.set_path("/robots.txt");
    place.set_query(None);
    place.set_fragment(None);
    let no_answer = |why: String| Robots::unreachable(Obstacle::NoAnswer(why));
    match client.get(&place, options).await {
        Ok(fetched) => match opening(fetched.body.into_reader(), MOST_BYTES) {
            Ok(bytes) => Robots::parse(&bytes),
            Err(error) => no_answer(format!("it could not be read: {error}")),
        },
        // With 429 a server does not say that there are no rules, but that it has enough of us.
        Err(FetchError::Status { status, .. })
            if status.is_client_error() && status.as_u16() != 429 =>
        {
            Robots::absent(Absence::Status(status))
        }
        Err(FetchError::Status { status, .. }) => Robots::unreachable(Obstacle::Status(status)),
        Err(FetchError::TooManyRedirects { .. } | FetchError::RedirectLoop { .. }) => {
            Robots::absent(Absence::Redirects)
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
