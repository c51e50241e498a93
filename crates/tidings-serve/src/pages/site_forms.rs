//! What can be done with a site.

use askama::Template;
use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Response, StatusCode};
use tidings_base::text::counted;
use tidings_http::listener::Peer;
use tidings_store::{Role, Settings, Via};
use tidings_syndication::{FollowError, WorkerOptions};

use super::site::{named, version};
use super::{Asking, back};
use crate::access::address_of;
use crate::api::Problem;
use crate::frame::{Frame, go, show};
use crate::parts::name_of;
use crate::posted::Posted;
use crate::state::{Shared, State as Server};
use crate::visitor::Who;

/// The shortest time between polls that somebody may want, and the longest, in hours.
const HOURS: std::ops::RangeInclusive<f64> = 0.01..=8_784.0;

/// Looks for changes now.
pub(super) async fn poll(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    visitor: Asking,
    Path(key): Path<String>,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let site = named(&state, &key).await?;
    let is_running = state.polls.about(&key).is_some_and(|job| job.outcome().is_none());
    if !is_running {
        state.limits.take(address_of(&state, &headers, peer)).map_err(Problem::too_often)?;
        let server = std::sync::Arc::clone(&state);
        let about = key.clone();
        state.polls.begin(key.clone(), async move |_| polled(&server, &about).await)?;
        state.did(&visitor, "poll", &site.url, &key).await;
    }
    if form.is("next") {
        return Ok(back(&state, form.get("next")));
    }
    Ok(go(&state, &format!("sites/{key}?said=polling")))
}

async fn polled(state: &Server, key: &str) -> Result<(), FollowError> {
    let polled = state.follower.poll(&WorkerOptions::new().name, key).await?;
    state.polled(&polled);
    Ok(())
}

/// Stops polling it, or goes on.
pub(super) async fn pause(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let site = named(&state, &key).await?;
    let is_paused = form.get("paused") == "on";
    state.store.set_paused(&key, is_paused).await?;
    state.worker.wake.notify_one();
    let act = if is_paused { "pause" } else { "go on" };
    state.did(&visitor, act, &site.url, &key).await;
    if form.is("next") {
        return Ok(back(&state, form.get("next")));
    }
    let said = if is_paused { "paused" } else { "going-on" };
    Ok(go(&state, &format!("sites/{key}?said={said}")))
}

/// Changes its settings, unless somebody else did since the form was made.
pub(super) async fn settings(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let site = named(&state, &key).await?;
    let titles = form.get("titles").parse().ok().filter(|titles| *titles <= 100);
    let titles = titles.ok_or_else(|| Problem::bad("titles: give a number from 0 to 100"))?;
    let wanted = Settings {
        split: form.is("split"),
        strict: form.is("strict"),
        diff: form.is("diff"),
        titles,
        every: every(form.get("every"))?,
        private: site.settings.private,
        tiles: site.settings.tiles,
        pages: site.settings.pages,
    };
    let faster = || {
        Problem::new(
            StatusCode::CONFLICT,
            "the settings were changed since you loaded the page, and yours were not saved; go back, \
             load the page again and look at what is different",
        )
    };
    if form.get("version") != version(&site.settings) {
        return Err(faster());
    }
    match state.store.replace_settings(&key, &site.settings, wanted.clone()).await? {
        Some(true) => {}
        Some(false) => return Err(faster()),
        None => return Err(Problem::not_found("this site is not followed any more")),
    }
    state.did(&visitor, "settings", &site.url, &version(&wanted)).await;
    Ok(go(&state, &format!("sites/{key}?said=saved")))
}

/// A number of hours, in milliseconds; none if nothing is given.
fn every(text: &str) -> Result<Option<i64>, Problem> {
    if text.is_empty() {
        return Ok(None);
    }
    let hours = text.replace(',', ".").parse::<f64>().ok().filter(|hours| HOURS.contains(hours));
    let hours = hours
        .ok_or_else(|| Problem::bad("every: give a number of hours up to a year, or nothing"))?;
    Ok(Some((hours * 3_600_000.0) as i64))
}

/// Follows those of its collections that are ticked.
pub(super) async fn collections(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let site = named(&state, &key).await?;
    let collections = state.store.collections(site.id).await?;
    let ticked: Vec<&str> = form.all("collection").collect();
    if !collections.iter().any(|one| ticked.contains(&one.key.as_str())) {
        return Ok(go(&state, &format!("sites/{key}?said=all-muted")));
    }
    // Only what the form showed is changed by it: others may have come since.
    let shown: Vec<&str> = form.all("shown").collect();
    for collection in collections.iter().filter(|one| shown.contains(&one.key.as_str())) {
        let is_muted = !ticked.contains(&collection.key.as_str());
        if is_muted != collection.is_muted {
            state.store.set_muted(&collection.key, is_muted).await?;
            let act = if is_muted { "mute" } else { "unmute" };
            state.did(&visitor, act, &collection.identity, &collection.key).await;
        }
    }
    Ok(go(&state, &format!("sites/{key}?said=muted")))
}

/// Leaves the site out of the visitor's own feed of everything, or puts it back.
pub(super) async fn feed(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    let Who::User(session) = &visitor.who else {
        return Err(Problem::unauthorized("sign in to have a feed of your own"));
    };
    let site = named(&state, &key).await?;
    let is_left_out = form.get("left_out") == "on";
    state.store.set_left_out(session.user.id, site.id, is_left_out).await?;
    state.worker.changed.note(["users".to_owned()]);
    let said = if is_left_out { "left-out" } else { "put-back" };
    Ok(go(&state, &format!("sites/{key}?said={said}")))
}

#[derive(Template)]
#[template(path = "remove.html")]
struct Remove {
    f: Frame,
    key: String,
    name: String,
    url: String,
    lost: String,
}

/// Asks whether it is really meant.
pub(super) async fn ask(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let site = named(&state, &key).await?;
    let collections = state.store.collections(site.id).await?;
    let changes: i64 = collections.iter().map(|one| one.changes).sum();
    let lost = format!(
        "{}, {} and their feeds",
        counted(collections.len() as i64, "collection", "collections"),
        counted(changes, "change", "changes")
    );
    let f = Frame::new(&state, &visitor, "home", format!("Remove {}", name_of(&site)));
    show(&Remove { f, key, name: name_of(&site), url: site.url, lost })
}

/// Forgets it.
pub(super) async fn remove(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    _: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let site = named(&state, &key).await?;
    let collections = state.store.collections(site.id).await?;
    state.store.unfollow(&key).await?;
    state.worker.changed.note(collections.into_iter().map(|one| one.key).chain([key.clone()]));
    state.did(&visitor, "unfollow", &site.url, &key).await;
    let to = if site.via == Via::Webfeed { "webfeeds" } else { "" };
    Ok(go(&state, &format!("{to}?said=removed")))
}
