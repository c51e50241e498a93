//! Search over the changes of all sites.

use askama::Template;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::Response;

use super::Asking;
use super::collection::{MOST_FOUND, MOST_LOOKED_AT};
use crate::api::Problem;
use crate::filter::Filter;
use crate::frame::{Frame, show};
use crate::parts::{ChangeLine, counted, now, short};
use crate::state::Shared;

#[derive(Template)]
#[template(path = "search.html")]
struct Page {
    f: Frame,
    filter: Filter,
    is_asked: bool,
    found: Vec<Line>,
    looked: Option<String>,
    next: Option<String>,
}

struct Line {
    change: ChangeLine,
    site_key: String,
    site_name: String,
    collection_key: String,
    collection_name: Option<String>,
    batch: i64,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Query(filter): Query<Filter>,
) -> Result<Response<Body>, Problem> {
    let now = now();
    let is_asked = filter.is_on();
    let f = Frame::new(&state, &visitor, "search", "Search");
    // Without a question, it is the newest of all.
    let found =
        state.store.search(&filter.of(None), filter.cursor(), MOST_FOUND, MOST_LOOKED_AT).await?;
    let is_short = found.next.is_some() && found.found.len() < MOST_FOUND as usize;
    let looked = is_short.then(|| counted(found.looked_at as i64, "change", "changes"));
    let next = found.next.map(|cursor| filter.after(cursor));
    let lines = found.found.into_iter().map(|found| Line {
        change: ChangeLine::of(&found.change.change, now),
        site_name: short(found.site_title.as_deref().unwrap_or(&found.site_url), 100),
        site_key: found.site_key,
        collection_key: found.collection_key,
        collection_name: found
            .collection_title
            .filter(|title| found.site_title.as_ref() != Some(title))
            .map(|title| short(&title, 100)),
        batch: found.change.batch,
    });
    show(&Page { f, is_asked, found: lines.collect(), looked, next, filter })
}
