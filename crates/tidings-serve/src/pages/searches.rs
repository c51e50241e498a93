//! Saves and removes the searches of a visitor, from the search page.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::Response;

use super::Asking;
use crate::api::Problem;
use crate::filter::Filter;
use crate::frame::go;
use crate::posted::Posted;
use crate::saved_search::{owner_of, save};
use crate::state::Shared;

pub(super) async fn add(
    State(state): State<Shared>,
    visitor: Asking,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    let owner = owner_of(&visitor).ok_or_else(nobody)?;
    let filter = Filter::read(form.get("query"));
    let search = save(&state, owner, form.get("name"), &filter).await?;
    state.did(&visitor, "save search", &search.name, &search.query).await;
    Ok(go(&state, &format!("search{}&said=search-saved", filter.query())))
}

pub(super) async fn remove(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<i64>,
    _: Posted,
) -> Result<Response<Body>, Problem> {
    let owner = owner_of(&visitor).ok_or_else(nobody)?;
    if !state.store.remove_search(owner, id).await? {
        return Err(Problem::not_found("there is no such saved search any more"));
    }
    state.worker.changed.note(["searches".to_owned()]);
    state.did(&visitor, "remove search", &id.to_string(), "").await;
    Ok(go(&state, "search?said=search-removed"))
}

fn nobody() -> Problem {
    Problem::unauthorized("sign in to save searches")
}
