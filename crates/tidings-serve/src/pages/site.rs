//! A site: its collections, how it is, when it is looked at.

use std::sync::Arc;
use std::time::Duration;

use askama::Template;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::Response;
use serde::Deserialize;
use tidings_base::text::{counted, grouped};
use tidings_http::text_format::{Time, now};
use tidings_store::{Collection, PollRecord, Settings, Site, State as SiteState, Via};
use tidings_syndication::{CollectionReport, SiteReport, report};

use super::Asking;
use super::add::via_words;
use crate::api::Problem;
use crate::frame::{Frame, is_passing, show};
use crate::live;
use crate::parts::{DAY, Spark, lasting, name_of, short, state_of, web};
use crate::state::{Shared, State as Server};
use crate::visitor::Who;

/// How often it is looked whether another process has polled a site.
const LOOK: Duration = Duration::from_secs(2);

#[derive(Template)]
#[template(path = "site.html")]
struct Page {
    f: Frame,
    name: String,
    href: Option<String>,
    site: SiteReport,
    state: (&'static str, &'static str),
    via: &'static str,
    spark: Spark,
    next: Option<Time>,
    polled: Option<Time>,
    followed: Time,
    every: String,
    collections: Vec<Line>,
    polls: Vec<PollLine>,
    settings: SettingsForm,
    is_polling: bool,
    is_first: bool,
    is_paused: bool,
    /// Whether the visitor leaves it out of their own feed; none if they have none.
    is_left_out: Option<bool>,
    /// Its posts can be read here.
    is_webfeed: bool,
    /// Why the last poll that somebody asked for could not even begin.
    problem: Option<String>,
    /// When it was last polled, if ever, as events are asked for.
    since: String,
}

struct Line {
    told: CollectionReport,
    name: String,
    number: String,
    changed: Option<Time>,
    is_muted: bool,
}

struct PollLine {
    time: Time,
    state: (&'static str, &'static str),
    reason: Option<String>,
    changes: String,
    requests: i64,
    took: String,
}

/// What the form for settings is filled with.
struct SettingsForm {
    split: bool,
    strict: bool,
    diff: bool,
    titles: u32,
    /// In hours; empty for as the site's own changes suggest.
    every: String,
    /// What the settings were when the form was made.
    version: String,
    is_sitemap: bool,
}

pub(crate) async fn named(state: &Server, key: &str) -> Result<Site, Problem> {
    let site = state.store.site(key).await?;
    site.ok_or_else(|| {
        Problem::not_found(
            "this site is not followed; maybe somebody removed it, and its feeds with it",
        )
    })
}

/// Whether it is being polled, or about to be.
pub(crate) fn is_under_way(state: &Server, site: &Site) -> bool {
    let is_asked = state.polls.about(&site.key).is_some_and(|job| job.outcome().is_none());
    is_asked || is_first(site) || state.follower.watched().is_polling(&site.key)
}

/// Why the last poll that somebody asked for could not even begin.
pub(crate) fn problem(state: &Server, site: &Site) -> Option<String> {
    // Of before the last poll, it does not matter any more.
    let asked = state.polls.about(&site.key);
    let asked = asked.filter(|job| site.polled_at.is_none_or(|at| at < job.at))?;
    asked.outcome()?.err().map(ToString::to_string)
}

fn is_first(site: &Site) -> bool {
    site.state == SiteState::New && site.polled_at.is_none()
}

/// What settings are known by, so that nobody changes what somebody else just did.
pub(super) fn version(settings: &Settings) -> String {
    serde_json::to_string(settings).unwrap_or_default()
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
) -> Result<Response<Body>, Problem> {
    let site = named(&state, &key).await?;
    let collections = state.store.collections(site.id).await?;
    let polls = state.store.polls(site.id).await?;
    let now = now();
    let today = now / DAY;
    let mut activity = state.store.site_activity(&[site.id], Spark::first(today)).await?;
    let told = report(&site, &collections, &state.base);
    let is_polling = is_under_way(&state, &site);
    let is_left_out = match &visitor.who {
        Who::User(session) => Some(state.store.is_left_out(session.user.id, site.id).await?),
        _ => None,
    };
    let name = name_of(&site);
    let mut f = Frame::new(&state, &visitor, "home", name.clone());
    let is_first = is_first(&site);
    // The first poll may wait for its turn, or for somebody who polls at all.
    f.again = is_polling.then_some(if is_first { 10 } else { 2 });
    if !is_polling {
        // What was under way is over.
        f.said = f.said.filter(|said| !is_passing(said));
    }
    let problem = problem(&state, &site);
    let is_paused = site.state == SiteState::Paused;
    show(&Page {
        f,
        href: web(&site.url).map(str::to_owned),
        state: state_of(site.state),
        via: via_words(site.via),
        spark: Spark::of(&activity.remove(&site.id).unwrap_or_default(), today),
        next: (!is_paused).then(|| Time::of(site.next_due, now)),
        polled: site.polled_at.map(|polled| Time::of(polled, now)),
        followed: Time::of(site.created_at, now),
        every: lasting(site.interval),
        collections: lines(&told, &collections, now),
        polls: polls.iter().map(|poll| poll_line(poll, now)).collect(),
        settings: settings(&site),
        site: told,
        name,
        is_polling,
        is_first,
        is_left_out,
        is_paused,
        is_webfeed: site.via == Via::Webfeed,
        problem,
        since: site.polled_at.map(|polled| polled.to_string()).unwrap_or_default(),
    })
}

fn lines(told: &SiteReport, collections: &[Collection], now: i64) -> Vec<Line> {
    let both = told.collections.iter().zip(collections);
    let line = |(told, collection): (&CollectionReport, &Collection)| Line {
        name: short(told.title.as_deref().unwrap_or(&told.identity), 200),
        number: counted(collection.changes, "change", "changes"),
        changed: collection.changed_at.map(|changed| Time::of(changed, now)),
        is_muted: collection.is_muted,
        told: told.clone(),
    };
    both.map(line).collect()
}

fn poll_line(poll: &PollRecord, now: i64) -> PollLine {
    PollLine {
        time: Time::of(poll.at, now),
        state: state_of(poll.state),
        reason: poll.reason.as_deref().map(|reason| short(reason, 400)),
        changes: grouped(poll.changes),
        requests: poll.requests,
        took: lasting(poll.took),
    }
}

fn settings(site: &Site) -> SettingsForm {
    let Settings { split, strict, diff, titles, every, .. } = site.settings;
    let hours = every.map(|every| format!("{}", every as f64 / 3_600_000.0));
    SettingsForm {
        split,
        strict,
        diff,
        titles,
        every: hours.unwrap_or_default(),
        version: version(&site.settings),
        is_sitemap: site.via == Via::Sitemap,
    }
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Since {
    /// When the site was last polled, as the page has it.
    #[serde(default)]
    since: String,
}

/// The poll that is under way, as it goes on; done when it is over.
pub(super) async fn events(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    Query(Since { since }): Query<Since>,
) -> Result<Response<Body>, Problem> {
    let mut seen = state.follower.watched().site(&key);
    named(&state, &key).await?;
    // What the page knew: the poll may have ended since, before anybody listened.
    let before = since.parse::<i64>().ok();
    let server = Arc::clone(&state);
    let ended = seen.borrow_and_update().ended;
    live::events(&state, &visitor, async move |line| {
        // Over is also, after a while, what nobody is about to do: somebody asked for it, and it could not
        // be begun, or another server does it, whose polls cannot be watched from here.
        let is_over = async |is_later: bool| match server.store.site(&key).await {
            Ok(Some(site)) => site.polled_at != before || is_later && !is_under_way(&server, &site),
            _ => true,
        };
        if is_over(false).await {
            line.send("done", &()).await;
            return;
        }
        loop {
            let step = seen.borrow_and_update().clone();
            let text = match step.is_polling {
                true if step.url.is_empty() => "the site is being looked at".to_owned(),
                true => format!("{}: {}", counted(step.requests, "request", "requests"), step.url),
                false => "waiting for its turn".to_owned(),
            };
            if !line.send("progress", &serde_json::json!({ "line": text })).await {
                return;
            }
            // Another process may be the one that polls it.
            let waited = tokio::time::timeout(LOOK, seen.changed()).await;
            let ended_now = seen.borrow().ended > ended;
            let is_step = waited.is_ok() && !ended_now;
            if !is_step && (ended_now || is_over(true).await) {
                line.send("done", &()).await;
                return;
            }
        }
    })
}
