//! Sites, collections and their changes.

use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use tidings_http::listener::Peer;
use tidings_store::{Millis, Settings, Site, SiteFilter, State as SiteState};
use tidings_syndication::{CollectionReport, SiteReport, Wishes, WorkerOptions, report};

use super::Problem;
use crate::access::{fetching, reading, writing};
use crate::state::Shared;

type Answer<T> = Result<Json<T>, Problem>;

/// How many sites or changes are listed at once.
const MOST_LISTED: u32 = 1_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listing {
    after: Option<String>,
    limit: Option<u32>,
    state: Option<SiteState>,
    text: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Sites {
    sites: Vec<SiteReport>,
    /// To be asked for as `after`, if there are more.
    next: Option<String>,
}

pub(super) async fn list(
    State(state): State<Shared>,
    headers: HeaderMap,
    listing: Result<Query<Listing>, QueryRejection>,
) -> Answer<Sites> {
    reading(&state, &headers).await?;
    let Query(listing) = listing?;
    let limit = listing.limit.unwrap_or(100).clamp(1, MOST_LISTED);
    let (after, text) = (listing.after, listing.text);
    let filter = SiteFilter { after, limit, state: listing.state, text, ..SiteFilter::default() };
    let found = state.store.sites(filter).await?;
    let is_full = found.len() >= limit as usize;
    let next = found.last().filter(|_| is_full).map(|site| site.key.clone());
    let mut sites = Vec::with_capacity(found.len());
    for site in &found {
        sites.push(told(&state, site).await?);
    }
    Ok(Json(Sites { sites, next }))
}

async fn told(state: &Shared, site: &Site) -> Result<SiteReport, Problem> {
    let collections = state.store.collections(site.id).await?;
    Ok(report(site, &collections, &state.base))
}

async fn named(state: &Shared, key: &str) -> Result<Site, Problem> {
    let site = state.store.site(key).await?;
    site.ok_or_else(|| Problem::not_found(format!("no site {key:?} is followed")))
}

/// What to follow, and how. What is not given is as usual.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Follow {
    url: String,
    split: Option<bool>,
    strict: Option<bool>,
    titles: Option<u32>,
    diff: Option<bool>,
    every: Option<Millis>,
    tiles: Option<u32>,
    pages: Option<u32>,
    paused: Option<bool>,
    /// A webfeed is meant, and nothing else.
    #[serde(default)]
    webfeed: bool,
}

/// How to follow, from now on.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    split: Option<bool>,
    strict: Option<bool>,
    titles: Option<u32>,
    diff: Option<bool>,
    /// In seconds; 0 for as the site's own changes suggest.
    every: Option<Millis>,
    /// Of a webfeed.
    tiles: Option<u32>,
    pages: Option<u32>,
    paused: Option<bool>,
}

/// How many titles may be wanted at each poll.
const MOST_TITLES: u32 = 100;

impl Wanted {
    fn wishes(&self) -> Result<Wishes, Problem> {
        if self.titles.is_some_and(|titles| titles > MOST_TITLES) {
            return Err(Problem::bad(format!("titles: {MOST_TITLES} are enough")));
        }
        if self.every.is_some_and(|every| !(0..=366 * 24 * 60 * 60).contains(&every)) {
            return Err(Problem::bad("every: a number of seconds, a year of them at the most"));
        }
        let most = Settings::MAX_PAGES;
        if self.pages.is_some_and(|pages| pages > most) {
            return Err(Problem::bad(format!("pages: give a number from 0 to {most}")));
        }
        let most = Settings::MOST_TILES;
        if self.tiles.is_some_and(|tiles| tiles > most) {
            return Err(Problem::bad(format!("tiles: give a number from 0 to {most}")));
        }
        Ok(Wishes {
            split: self.split,
            strict: self.strict,
            titles: self.titles,
            diff: self.diff,
            every: self.every.map(|every| (every > 0).then_some(every * 1000)),
            tiles: self.tiles,
            pages: self.pages,
            webfeed: false,
        })
    }
}

pub(super) async fn follow(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    wanted: Result<Json<Follow>, JsonRejection>,
) -> Result<(StatusCode, Json<SiteReport>), Problem> {
    let actor = fetching(&state, &headers, peer).await?;
    let Json(Follow { url, split, strict, titles, diff, every, tiles, pages, paused, webfeed }) =
        wanted?;
    let wishes = Wanted { split, strict, titles, diff, every, tiles, pages, paused }.wishes()?;
    let wishes = Wishes { webfeed, ..wishes };
    // Who asks over the network is not trusted with this machine's neighbours.
    let followed = state.follower.follow(&url, &wishes, false).await?;
    if let Some(paused) = paused {
        state.store.set_paused(&followed.site.key, paused).await?;
    }
    state.worker.wake.notify_one();
    let act = if followed.is_new { "follow" } else { "follow again" };
    state.done_by(&actor.0, act, &followed.site.url, &followed.site.key).await;
    let status = if followed.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let site = named(&state, &followed.site.key).await?;
    Ok((status, Json(report(&site, &followed.collections, &state.base))))
}

pub(super) async fn show(
    State(state): State<Shared>,
    Path(key): Path<String>,
    headers: HeaderMap,
) -> Answer<SiteReport> {
    reading(&state, &headers).await?;
    let site = named(&state, &key).await?;
    Ok(Json(told(&state, &site).await?))
}

pub(super) async fn change(
    State(state): State<Shared>,
    Path(key): Path<String>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    wanted: Result<Json<Wanted>, JsonRejection>,
) -> Answer<SiteReport> {
    let Json(wanted) = wanted?;
    // What goes on is polled at once.
    let actor = if wanted.paused == Some(false) {
        fetching(&state, &headers, peer).await?
    } else {
        writing(&state, &headers).await?
    };
    let site = named(&state, &key).await?;
    let settings = wanted.wishes()?.applied(&site.settings);
    state.store.set_settings(&key, settings).await?;
    if let Some(paused) = wanted.paused {
        state.store.set_paused(&key, paused).await?;
        state.worker.wake.notify_one();
    }
    let act = match wanted.paused {
        Some(true) => "pause",
        Some(false) => "go on",
        None => "settings",
    };
    state.done_by(&actor.0, act, &site.url, &key).await;
    let site = named(&state, &key).await?;
    Ok(Json(told(&state, &site).await?))
}

pub(super) async fn unfollow(
    State(state): State<Shared>,
    Path(key): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let actor = writing(&state, &headers).await?;
    let site = named(&state, &key).await?;
    let collections = state.store.collections(site.id).await?;
    state.store.unfollow(&key).await?;
    state.done_by(&actor.0, "unfollow", &site.url, &key).await;
    state.worker.changed.note(collections.into_iter().map(|one| one.key).chain([key]));
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Debug, Serialize)]
pub(super) struct Polled {
    /// How many changes were new.
    changes: u64,
    site: SiteReport,
}

pub(super) async fn poll(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    Path(key): Path<String>,
    headers: HeaderMap,
) -> Answer<Polled> {
    let actor = fetching(&state, &headers, peer).await?;
    let site = named(&state, &key).await?;
    state.done_by(&actor.0, "poll", &site.url, &key).await;
    let polled = state.follower.poll(&WorkerOptions::new().name, &key).await?;
    state.polled(&polled);
    Ok(Json(Polled { changes: polled.finished.changes, site: told(&state, &polled.site).await? }))
}

#[derive(Debug, Serialize)]
pub(super) struct Poll {
    at: String,
    state: SiteState,
    reason: Option<String>,
    changes: i64,
    requests: i64,
    /// In milliseconds.
    took: Millis,
}

pub(super) async fn polls(
    State(state): State<Shared>,
    Path(key): Path<String>,
    headers: HeaderMap,
) -> Answer<Vec<Poll>> {
    reading(&state, &headers).await?;
    let site = named(&state, &key).await?;
    let polls = state.store.polls(site.id).await?;
    let shown = polls.into_iter().map(|poll| Poll {
        at: time(poll.at),
        state: poll.state,
        reason: poll.reason,
        changes: poll.changes,
        requests: poll.requests,
        took: poll.took,
    });
    Ok(Json(shown.collect()))
}

pub(super) async fn collection(
    State(state): State<Shared>,
    Path(key): Path<String>,
    headers: HeaderMap,
) -> Answer<CollectionReport> {
    reading(&state, &headers).await?;
    let unknown = || Problem::not_found(format!("no collection {key:?} is followed"));
    let collection = state.store.collection(&key).await?.ok_or_else(unknown)?;
    let site = state.store.site_by_id(collection.site_id).await?.ok_or_else(unknown)?;
    let told = report(&site, &[collection], &state.base).collections.pop();
    told.map(Json).ok_or_else(unknown)
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Window {
    skip: Option<u64>,
    limit: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(super) struct Change {
    uri: String,
    change: tidings_store::Kind,
    /// As the site has it.
    datetime: Option<String>,
    time: String,
    title: Option<String>,
    note: Option<String>,
}

pub(super) async fn changes(
    State(state): State<Shared>,
    Path(key): Path<String>,
    headers: HeaderMap,
    window: Result<Query<Window>, QueryRejection>,
) -> Answer<Vec<Change>> {
    reading(&state, &headers).await?;
    let Query(window) = window?;
    let unknown = || Problem::not_found(format!("no collection {key:?} is followed"));
    let collection = state.store.collection(&key).await?.ok_or_else(unknown)?;
    let limit = window.limit.unwrap_or(100).clamp(1, MOST_LISTED);
    let changes = state.store.changes(collection.id, window.skip.unwrap_or(0), limit).await?;
    let shown = changes.into_iter().map(|change| Change {
        uri: change.change.uri,
        change: change.change.kind,
        datetime: change.change.time_text,
        time: time(change.change.time),
        title: change.change.title,
        note: change.change.note,
    });
    Ok(Json(shown.collect()))
}

/// As in RFC 3339.
pub(super) fn time(millis: Millis) -> String {
    jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}
