//! Home: what is followed, what changed since the last visit, and how it all is.

use askama::Template;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::Response;
use serde::Deserialize;
use tidings_base::text::{counted, grouped};
use tidings_feed::FeedFormat;
use tidings_http::text_format::{Time, now};
use tidings_store::{Counts, Millis, Site, SiteFilter, SiteOrder, State as SiteState};
use tidings_syndication::{FeedName, Variant};

use super::Asking;
use crate::api::Problem;
use crate::frame::{Frame, show};
use crate::parts::{DAY, Spark, encoded, name_of, short, state_of, summed};
use crate::state::{Shared, State as Server};
use crate::visitor::{Visitor, Who};

/// How many sites one page lists.
const MOST: u32 = 50;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// `new`, `well`, `failing` or `paused`.
    #[serde(default)]
    state: String,
    #[serde(default)]
    text: String,
    /// Where the last page ended: the time of the last news, and the number of the site.
    #[serde(default)]
    after: String,
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    f: Frame,
    counts: Counts,
    /// What changed since the last visit, in words.
    news: Option<String>,
    chips: Vec<Chip>,
    lines: Vec<Line>,
    text: String,
    state: String,
    is_filtered: bool,
    /// The feed of everything that a user does not leave out.
    own_feed: Option<String>,
    next: Option<String>,
}

struct Chip {
    name: &'static str,
    word: &'static str,
    number: String,
    is_on: bool,
}

struct Line {
    key: String,
    name: String,
    url: String,
    state: (&'static str, &'static str),
    reason: Option<String>,
    news: String,
    changed: Option<Time>,
    spark: Spark,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    let filter = filter(&wanted);
    let is_filtered = filter.state.is_some() || filter.text.is_some();
    let mut sites = state.store.sites(filter).await?;
    let has_more = sites.len() > MOST as usize;
    sites.truncate(MOST as usize);
    let counts = state.store.counts().await?;
    let now = now();
    let lines = lines(&state, &sites, visitor.visited, now).await?;
    let news = match visitor.visited {
        Some(since) if counts.sites > 0 => Some(since_then(&state, since, now).await?),
        _ => None,
    };
    let next = sites.last().filter(|_| has_more).map(|last| {
        let (changed, id) = last.news_cursor();
        let (text, of) = (encoded(&wanted.text), encoded(&wanted.state));
        format!("?state={of}&text={text}&after={changed}.{id}")
    });
    show(&Home {
        f: Frame::new(&state, &visitor, "home", "Sites"),
        chips: chips(&counts, &wanted.state),
        counts,
        news,
        lines,
        text: wanted.text,
        state: wanted.state,
        is_filtered,
        own_feed: own_feed(&state, &visitor),
        next,
    })
}

/// The feed of a user.
fn own_feed(state: &Server, visitor: &Visitor) -> Option<String> {
    let Who::User(session) = &visitor.who else { return None };
    let feed = FeedName::User(session.user.id);
    Some(format!("{}{}", state.base, feed.path(Variant::Digest, FeedFormat::Atom)))
}

fn filter(wanted: &Wanted) -> SiteFilter {
    let after = wanted.after.split_once('.');
    let after = after.and_then(|(time, id)| Some((time.parse().ok()?, id.parse().ok()?)));
    let text = wanted.text.trim();
    SiteFilter {
        order: SiteOrder::News,
        after_news: after,
        // One more says whether there are more.
        limit: MOST + 1,
        state: state_named(&wanted.state),
        text: (!text.is_empty()).then(|| short(text, 200)),
        ..SiteFilter::default()
    }
}

fn state_named(name: &str) -> Option<SiteState> {
    [
        SiteState::New,
        SiteState::Well,
        SiteState::PartlyFailing,
        SiteState::Failing,
        SiteState::Paused,
    ]
    .into_iter()
    .find(|state| state_of(*state).0 == name)
}

fn chips(counts: &Counts, on: &str) -> Vec<Chip> {
    let [new, well, failing, paused, partly_failing] = counts.by_state;
    let all = [
        ("", "All", counts.sites),
        ("failing", "Failing", failing),
        ("partly-failing", "Partly failing", partly_failing),
        ("well", "Well", well),
        ("paused", "Paused", paused),
        ("new", "Not polled yet", new),
    ];
    let shown = all.into_iter().filter(|(name, _, number)| *number > 0 || name.is_empty());
    let chip = |(name, word, number): (&'static str, &'static str, u64)| Chip {
        name,
        word,
        number: grouped(number),
        is_on: on == name,
    };
    shown.map(chip).collect()
}

async fn since_then(state: &Server, since: Millis, now: Millis) -> Result<String, Problem> {
    let (sites, changes) = state.store.total_since(since).await?;
    let visit = Time::of(since, now).words;
    Ok(match sites {
        0 => format!("Nothing changed since your last visit, {visit}."),
        sites => {
            let sites = counted(sites, "site", "sites");
            format!("Since your last visit, {visit}: {} on {sites}.", summed(changes))
        }
    })
}

async fn lines(
    state: &Server,
    sites: &[Site],
    visited: Option<Millis>,
    now: Millis,
) -> Result<Vec<Line>, Problem> {
    let ids: Vec<i64> = sites.iter().map(|site| site.id).collect();
    let today = now / DAY;
    let mut activity = state.store.site_activity(&ids, Spark::first(today)).await?;
    let news = match visited {
        Some(since) => state.store.news_since(&ids, since).await?,
        None => Default::default(),
    };
    let mut line = |site: &Site| Line {
        key: site.key.clone(),
        name: name_of(site),
        url: short(&site.url, 200),
        state: state_of(site.state),
        reason: site.reason.as_deref().map(|reason| short(reason, 300)),
        news: news.get(&site.id).map(|counts| summed(*counts)).unwrap_or_default(),
        changed: site.changed_at.map(|changed| Time::of(changed, now)),
        spark: Spark::of(&activity.remove(&site.id).unwrap_or_default(), today),
    };
    Ok(sites.iter().map(&mut line).collect())
}
