//! How the service is.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Serialize;

use super::Problem;
use crate::access::reading;
use crate::state::Shared;

#[derive(Debug, Serialize)]
pub(super) struct Status {
    version: &'static str,
    sites: u64,
    new: u64,
    well: u64,
    failing: u64,
    partly_failing: u64,
    paused: u64,
    collections: u64,
    /// Sites that wait for their poll.
    due: u64,
    /// For how long the first of them has been waiting, in milliseconds.
    lag: i64,
}

pub(super) async fn status(
    State(state): State<Shared>,
    headers: HeaderMap,
) -> Result<Json<Status>, Problem> {
    reading(&state, &headers).await?;
    let counts = state.store.counts().await?;
    let [new, well, failing, paused, partly_failing] = counts.by_state;
    Ok(Json(Status {
        version: env!("CARGO_PKG_VERSION"),
        sites: counts.sites,
        new,
        well,
        failing,
        partly_failing,
        paused,
        collections: counts.collections,
        due: counts.due,
        lag: counts.lag,
    }))
}
