//! Lists of subscriptions, in and out.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Query, State};
use axum::http::{HeaderMap, Response};
use serde::{Deserialize, Serialize};
use tidings_feed::{Opml, Outline};
use tidings_http::listener::Peer;
use tidings_syndication::{ImportPlan, Wishes, import_outline};

use super::Problem;
use crate::access::{address_of, fetched, fetching, reading};
use crate::feeds::{self, List};
use crate::state::Shared;

/// Which list is wanted.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// `feeds` or `sites`.
    #[serde(default)]
    of: String,
}

pub(super) async fn export(
    State(state): State<Shared>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    reading(&state, &headers).await?;
    let list = match &*wanted.of {
        "" | "feeds" => List::Feeds,
        "sites" => List::Sites,
        _ => return Err(Problem::bad("of: give feeds or sites")),
    };
    feeds::opml(&state, list, &headers).await
}

/// The address that an outline is followed by first.
fn address(outline: &Outline) -> String {
    let site = outline.site.as_ref().map(|site| site.url.clone());
    site.or_else(|| outline.xml_url.clone()).unwrap_or_default()
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
    let plan = ImportPlan::from_opml(&opml);
    let mut lines = Vec::new();
    for outline in &plan.wanted {
        let url = address(outline);
        if let Err(problem) = fetched(&state, address_of(&state, &headers, peer)) {
            lines.push(Line { url, site: None, is_new: false, error: Some(problem.message) });
            continue;
        }
        let follower = &state.follower;
        let done = import_outline(follower, outline, &Wishes::default(), false).await;
        lines.extend(done.map(|imported| match imported.result {
            Ok((site, is_new)) => {
                let skipped = imported.skipped_settings.join(", ");
                let error = (!skipped.is_empty()).then(|| format!("not understood: {skipped}"));
                Line { url: imported.url, site: Some(site), is_new, error }
            }
            Err(error) => {
                let problem = Problem::from(error);
                Line { url: imported.url, site: None, is_new: false, error: Some(problem.message) }
            }
        }));
    }
    lines.extend(plan.skipped.into_iter().map(|skipped| {
        let error = Some(format!("skipped: {}", skipped.reason));
        Line { url: skipped.text, site: None, is_new: false, error }
    }));
    state.worker.wake.notify_one();
    let number = lines.iter().filter(|line| line.is_new).count();
    state.done_by(&actor.0, "import", &format!("{number} sites"), "").await;
    Ok(Json(lines))
}
