//! Lists, saves and removes the searches that need no account.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use tidings_store::SavedSearch;

use super::Problem;
use super::sites::time;
use crate::access::{reading, writing};
use crate::filter::Filter;
use crate::saved_search::{feed_urls, save};
use crate::state::{Shared, State as Server};

/// The owner of what is saved by a token: nobody in particular.
const NOBODY: i64 = 0;

#[derive(Debug, Serialize)]
pub(super) struct SearchReport {
    id: i64,
    name: String,
    query: String,
    created_at: String,
    feeds: FeedUrls,
}

#[derive(Debug, Serialize)]
struct FeedUrls {
    atom: String,
    rss: String,
    json: String,
}

fn report(state: &Server, search: SavedSearch) -> SearchReport {
    let [atom, rss, json] = feed_urls(state, search.id);
    SearchReport {
        id: search.id,
        name: search.name,
        query: search.query,
        created_at: time(search.created_at),
        feeds: FeedUrls { atom, rss, json },
    }
}

pub(super) async fn list(
    State(state): State<Shared>,
    headers: HeaderMap,
) -> Result<Json<Vec<SearchReport>>, Problem> {
    reading(&state, &headers).await?;
    let searches = state.store.saved_searches(NOBODY).await?.into_iter();
    Ok(Json(searches.map(|search| report(&state, search)).collect()))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewSearch {
    name: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    path: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    day: String,
}

pub(super) async fn add(
    State(state): State<Shared>,
    headers: HeaderMap,
    wanted: Result<Json<NewSearch>, JsonRejection>,
) -> Result<(StatusCode, Json<SearchReport>), Problem> {
    let actor = writing(&state, &headers).await?;
    let Json(NewSearch { name, kind, path, text, day }) = wanted?;
    let filter = Filter { kind, path, text, day, ..Filter::default() };
    let search = save(&state, NOBODY, &name, &filter).await?;
    state.done_by(&actor.0, "save search", &search.name, &search.query).await;
    Ok((StatusCode::CREATED, Json(report(&state, search))))
}

pub(super) async fn remove(
    State(state): State<Shared>,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let actor = writing(&state, &headers).await?;
    if !state.store.remove_search(NOBODY, id).await? {
        return Err(Problem::not_found(format!("there is no saved search {id} without an owner")));
    }
    state.done_by(&actor.0, "remove search", &id.to_string(), "").await;
    Ok(StatusCode::NO_CONTENT)
}
