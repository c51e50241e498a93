//! The JSON API: every verb of following.

mod openapi;
mod opml;
mod problem;
mod sites;
mod status;
mod tokens;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{delete, get, post};

pub(crate) use problem::Problem;

use crate::state::Shared;

/// How large a list of subscriptions may be.
const MOST_BYTES: usize = 4 << 20;

/// The routes below `/api`. What is here is in the OpenAPI document, too: a test sees to it.
pub(crate) fn router() -> Router<Shared> {
    Router::new()
        .route("/openapi.json", get(openapi::document))
        .route("/status", get(status::status))
        .route("/sites", get(sites::list).post(sites::follow))
        .route("/sites/{key}", get(sites::show).patch(sites::change).delete(sites::unfollow))
        .route("/sites/{key}/poll", post(sites::poll))
        .route("/sites/{key}/polls", get(sites::polls))
        .route("/collections/{key}", get(sites::collection))
        .route("/collections/{key}/changes", get(sites::changes))
        .route("/opml", get(opml::export).post(opml::import))
        .route("/tokens", get(tokens::list).post(tokens::add))
        .route("/tokens/{name}", delete(tokens::remove))
        .layer(DefaultBodyLimit::max(MOST_BYTES))
}
