//! What is where.

use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::get;
use serde::Deserialize;

use crate::access::reading;
use crate::api::{self, Problem};
use crate::state::Shared;
use crate::{feeds, html, metrics, pages};

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

/// All routes.
pub(crate) fn router(state: Shared) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/feeds/{*rest}", get(feed))
        .route("/sites/{*rest}", get(feed_or_site))
        .route("/feeds.opml", get(opml))
        .route("/feed.css", get(async || asset(include_str!("assets/feed.css"))))
        .route("/tidings.css", get(async || asset(include_str!("assets/tidings.css"))))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics_page))
        .nest("/api", api::router(std::sync::Arc::clone(&state)))
        .fallback(async || Problem::not_found("there is nothing here; / lists what is followed"))
        .layer(from_fn_with_state(std::sync::Arc::clone(&state), around))
        .with_state(state)
}

/// Counts answers, and says what a browser may do with them: show them, and nothing else.
async fn around(State(state): State<Shared>, request: Request, next: Next) -> Response<Body> {
    let mut response = next.run(request).await;
    let class = usize::from(response.status().as_u16() / 100);
    if let Some(counter) = state.requests.0.get(class) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
    let headers = response.headers_mut();
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

#[derive(Debug, Deserialize)]
struct After {
    after: Option<String>,
}

async fn index(
    State(state): State<Shared>,
    Query(After { after }): Query<After>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    reading(&state, &headers).await?;
    Ok(page(pages::index(&state, after).await?))
}

async fn feed(State(state): State<Shared>, request: Request) -> Result<Response<Body>, Problem> {
    reading(&state, request.headers()).await?;
    let feed = feeds::feed(&state, request.uri().path(), request.headers()).await?;
    feed.ok_or_else(|| Problem::not_found("there is no such feed; / lists those that there are"))
}

async fn feed_or_site(
    State(state): State<Shared>,
    request: Request,
) -> Result<Response<Body>, Problem> {
    reading(&state, request.headers()).await?;
    let path = request.uri().path();
    if let Some(feed) = feeds::feed(&state, path, request.headers()).await? {
        return Ok(feed);
    }
    let key = path.strip_prefix("/sites/").unwrap_or_default();
    match pages::site(&state, key).await? {
        Some(body) => Ok(page(body)),
        None => {
            let body = "<h1>Not followed</h1>\n<p><a href=\"/\">All sites</a></p>\n";
            let mut response = page(html::page("Not followed", "", body));
            *response.status_mut() = StatusCode::NOT_FOUND;
            Ok(response)
        }
    }
}

async fn opml(State(state): State<Shared>, headers: HeaderMap) -> Result<Response<Body>, Problem> {
    reading(&state, &headers).await?;
    feeds::opml(&state, &headers).await
}

/// Well if what is known can be read.
async fn healthz(State(state): State<Shared>) -> Result<&'static str, Problem> {
    state.store.now().await?;
    state.store.next_due().await?;
    Ok("ok\n")
}

async fn metrics_page(
    State(state): State<Shared>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    reading(&state, &headers).await?;
    let text = metrics::metrics(&state).await?;
    let kind = (CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    Ok(([kind], text).into_response())
}

fn page(body: String) -> Response<Body> {
    ([(CONTENT_TYPE, HTML), (CACHE_CONTROL, "no-cache")], body).into_response()
}

fn asset(body: &'static str) -> Response<Body> {
    ([(CONTENT_TYPE, CSS), (CACHE_CONTROL, "public, max-age=3600")], body).into_response()
}
