//! The JSON API: every verb of following.

mod openapi;
mod opml;
mod problem;
mod searches;
mod sites;
mod status;
mod tokens;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{Method, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{delete, get, post};
use tidings_http::request_body::BodyProgress;

pub(crate) use problem::Problem;

use crate::access::writing;
use crate::state::Shared;

/// How large a list of subscriptions may be.
const MOST_BYTES: usize = 4 << 20;

/// The routes below `/api`. What is here is in the OpenAPI document, too: a test sees to it.
pub(crate) fn router(state: Shared) -> Router<Shared> {
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
        .route("/searches", get(searches::list).post(searches::add))
        .route("/searches/{id}", delete(searches::remove))
        .route("/tokens", get(tokens::list).post(tokens::add))
        .route("/tokens/{name}", delete(tokens::remove))
        .fallback(async || {
            Problem::not_found("there is nothing here; /api/openapi.json lists what is")
        })
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(from_fn_with_state(state, writers_only))
}

/// Whoever may not change anything is told so before a body is read.
async fn writers_only(
    State(state): State<Shared>,
    request: Request,
    next: Next,
) -> Result<Response<Body>, Problem> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        writing(&state, request.headers()).await?;
        BodyProgress::trust(request.extensions());
    }
    let length = request.headers().get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if length
        .and_then(|length| length.parse().ok())
        .is_some_and(|length: usize| length > MOST_BYTES)
    {
        let message = format!("that is too much: {MOST_BYTES} bytes are enough");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    let response = next.run(request).await;
    // What was refused on the way has no words of ours.
    let is_json =
        response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    let status = response.status();
    if (status.is_client_error() || status.is_server_error()) && !is_json {
        let message = status.canonical_reason().unwrap_or("refused").to_lowercase();
        return Err(Problem::new(status, message));
    }
    Ok(response)
}
