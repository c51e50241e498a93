//! What a site allows, remembered for a day.

use std::time::Duration;

use tidings_store::{Millis, RobotsRecord, Store, StoreError};
use tidings_web::{Client, GetOptions, Obstacle, Reason, Robots, RobotsAnswer, Url, ask_robots};

/// RFC 9309, section 2.4.
const FOR: Millis = 24 * 60 * 60 * 1000;

/// The rules of an origin.
pub(crate) struct Found {
    pub(crate) robots: Robots,
    /// Whether they had to be asked for.
    pub(crate) asked: bool,
    /// True if nobody answered at all.
    pub(crate) is_silent: bool,
    /// If they could not be had: how long the server wants to be left alone.
    pub(crate) retry_after: Option<Duration>,
}

/// The rules for the origin of a URL.
///
/// What could not be had is not remembered: it may be there again at the next poll.
pub(crate) async fn robots(
    store: &Store,
    client: &Client,
    url: &Url,
    options: &GetOptions,
    now: Millis,
) -> Result<Found, StoreError> {
    let origin = url.origin().ascii_serialization();
    if let Some(record) = store.robots(&origin).await?
        && (0..FOR).contains(&(now - record.fetched_at))
    {
        let robots = record.body.map_or_else(Robots::allow_all, |body| Robots::parse(&body));
        return Ok(Found { robots, asked: false, is_silent: false, retry_after: None });
    }
    let answer = ask_robots(client, url, options).await;
    let (body, retry_after) = match &answer {
        RobotsAnswer::Text(body) => (Some(Some(body.clone())), None),
        RobotsAnswer::Absent(_) => (Some(None), None),
        RobotsAnswer::Unreachable(_, retry_after) => (None, *retry_after),
    };
    if let Some(body) = body {
        let record = RobotsRecord { fetched_at: now, body, obstacle: None };
        store.put_robots(&origin, &record).await?;
    }
    let is_silent = matches!(answer, RobotsAnswer::Unreachable(Obstacle::NoAnswer(_), _));
    Ok(Found { robots: answer.into(), asked: true, is_silent, retry_after })
}

/// Why a URL may not be fetched, as the rest of a sentence; none if it may.
pub(crate) fn objection(robots: &Robots, url: &Url) -> Option<String> {
    let verdict = robots.verdict(Robots::PRODUCT, url);
    if verdict.allowed {
        return None;
    }
    Some(match verdict.rule() {
        Some(rule) => format!("line {} of its robots.txt says {:?}", rule.line, rule.text),
        None => match verdict.reason {
            reason @ Reason::Unreachable(_) => reason.to_string(),
            reason => format!("its robots.txt: {reason}"),
        },
    })
}
