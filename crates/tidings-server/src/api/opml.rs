//! Lists of subscriptions, in and out.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, Response};
use serde::Serialize;
use tidings_feed::Opml;
use tidings_syndication::Wishes;

use super::Problem;
use crate::access::{Peer, address_of, fetched, fetching, reading};
use crate::feeds;
use crate::state::Shared;

pub(super) async fn export(
    State(state): State<Shared>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    reading(&state, &headers).await?;
    feeds::opml(&state, &headers).await
}

#[derive(Debug, Serialize)]
pub(super) struct Line {
    url: String,
    /// The key of the site.
    site: Option<String>,
    is_new: bool,
    error: Option<String>,
}

/// Follows what is in a list, as many of them as may be fetched now; the others say so.
pub(super) async fn import(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Vec<Line>>, Problem> {
    let actor = fetching(&state, &headers, peer).await?;
    let opml = Opml::read(&body).map_err(|error| Problem::bad(error.to_string()))?;
    let mut lines = Vec::new();
    for outline in opml.feeds() {
        let one = Opml { title: String::new(), outlines: vec![outline.clone()] };
        let url = outline.xml_url.clone().or_else(|| outline.html_url.clone()).unwrap_or_default();
        if let Err(problem) = fetched(&state, address_of(&state, &headers, peer)) {
            lines.push(Line { url, site: None, is_new: false, error: Some(problem.message) });
            continue;
        }
        let follower = &state.follower;
        let done =
            tidings_syndication::import(follower, &one, &Wishes::default(), false, |_| {}).await;
        lines.extend(done.into_iter().map(|imported| match imported.result {
            Ok((site, is_new)) => Line { url: imported.url, site: Some(site), is_new, error: None },
            Err(error) => {
                let problem = Problem::from(error);
                Line { url: imported.url, site: None, is_new: false, error: Some(problem.message) }
            }
        }));
    }
    state.worker.wake.notify_one();
    let number = lines.iter().filter(|line| line.is_new).count();
    state.done_by(&actor.0, "import", &format!("{number} sites"), "").await;
    Ok(Json(lines))
}
