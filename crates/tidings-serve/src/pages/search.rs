//! Search over the changes of all sites.

use askama::Template;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::Response;
use tidings_base::text::counted;
use tidings_http::text_format::now;
use tidings_store::SavedSearch;

use super::Asking;
use super::collection::{MOST_FOUND, MOST_LOOKED_AT};
use crate::api::Problem;
use crate::filter::Filter;
use crate::frame::{Frame, show};
use crate::parts::{ChangeLine, short};
use crate::saved_search::{feed_urls, owner_of};
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
    /// The query of the feed of this search.
    query: String,
    /// The searches that this visitor saved; none if they cannot save any.
    saved: Option<Vec<SavedLine>>,
}

struct SavedLine {
    id: i64,
    name: String,
    query: String,
    feed: String,
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
    let saved = match owner_of(&visitor) {
        None => None,
        Some(owner) => Some(state.store.saved_searches(owner).await?),
    };
    let saved = saved.map(|searches| {
        let line = |search: SavedSearch| {
            let [feed, ..] = feed_urls(&state, search.id);
            SavedLine { id: search.id, name: search.name, query: search.query, feed }
        };
        searches.into_iter().map(line).collect()
    });
    let query = if is_asked { filter.query() } else { String::new() };
    let found = lines.collect();
    show(&Page { f, is_asked, found, looked, next, filter, query, saved })
}
