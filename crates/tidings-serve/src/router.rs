//! What is where.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::get;
use tidings_feed::FeedFormat;
use tidings_http::compression::smaller;

use crate::access::reading;
use crate::api::{self, Problem};
use crate::feeds::List;
use crate::frame::{ASSETS, CSS, MARK, READER_CSS, READER_SCRIPT, SCRIPT};
use crate::options::Access;
use crate::state::Shared;
use crate::{feeds, metrics, pages, sample, webfeeds};

const CSS_TYPE: &str = "text/css; charset=utf-8";
const SCRIPT_TYPE: &str = "text/javascript";

/// What a browser may do with an answer: show it, with our own style sheet and script, and send our
/// own forms back. Nothing is had from elsewhere, and nobody else shows it as a part of theirs.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// All routes.
pub(crate) fn router(state: Shared) -> Router {
    Router::new()
        .route("/feeds/{*rest}", get(feed))
        .route("/feeds.opml", get(feeds_opml))
        .route("/sites.opml", get(sites_opml))
        .route("/feed.css", get(async || asset(CSS_TYPE, include_str!("assets/feed.css"), false)))
        .route("/tidings.css", get(async |request| versioned(&request, CSS_TYPE, CSS)))
        .route("/tidings.js", get(async |request| versioned(&request, SCRIPT_TYPE, SCRIPT)))
        .route("/reader.css", get(async |request| versioned(&request, CSS_TYPE, READER_CSS)))
        .route("/reader.js", get(async |request| versioned(&request, SCRIPT_TYPE, READER_SCRIPT)))
        .route("/mark.svg", get(async |request| versioned(&request, "image/svg+xml", MARK)))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics_page))
        .nest("/api", api::router(Arc::clone(&state)))
        .merge(sample::router(&state))
        .route("/robots.txt", get(robots))
        .merge(pages::router(&state))
        .merge(webfeeds::open_router())
        .layer(from_fn_with_state(Arc::clone(&state), feeds_first))
        .layer(from_fn_with_state(Arc::clone(&state), around))
        .with_state(state)
}

/// Counts answers, makes them smaller, and says what a browser may do with them.
async fn around(State(state): State<Shared>, request: Request, next: Next) -> Response<Body> {
    let headers = request.headers().clone();
    let response = next.run(request).await;
    let class = usize::from(response.status().as_u16() / 100);
    if let Some(counter) = state.requests.0.get(class) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
    let mut response = smaller(response, &headers).await;
    let headers = response.headers_mut();
    // What shows something of somebody else says itself what may be done with it.
    for (name, value) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        let value = HeaderValue::from_static(value);
        headers.entry(HeaderName::from_static(name)).or_insert(value);
    }
    response
}

/// The feeds of sites have their places among the pages of sites.
async fn feeds_first(
    State(state): State<Shared>,
    request: Request,
    next: Next,
) -> Result<Response<Body>, Problem> {
    let path = request.uri().path();
    let is_asked_for = matches!(*request.method(), Method::GET | Method::HEAD);
    let extension = path.rsplit_once('.').and_then(|(_, end)| FeedFormat::from_extension(end));
    let is_feed = extension.is_some();
    let is_shared = path.starts_with("/feeds/") || path.starts_with("/sites/");
    if *request.method() == Method::OPTIONS && is_feed && is_shared {
        return Ok(feeds::preflight(&state));
    }
    if is_asked_for && is_feed && path.starts_with("/sites/") {
        reading(&state, request.headers()).await?;
        if let Some(feed) = feeds::feed(&state, request.uri(), request.headers()).await? {
            return Ok(feed);
        }
    }
    Ok(next.run(request).await)
}

async fn feed(State(state): State<Shared>, request: Request) -> Result<Response<Body>, Problem> {
    reading(&state, request.headers()).await?;
    let feed = feeds::feed(&state, request.uri(), request.headers()).await?;
    feed.ok_or_else(|| Problem::not_found("there is no such feed; / lists those that there are"))
}

async fn feeds_opml(
    State(state): State<Shared>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    reading(&state, &headers).await?;
    feeds::opml(&state, List::Feeds, &headers).await
}

async fn sites_opml(
    State(state): State<Shared>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    reading(&state, &headers).await?;
    feeds::opml(&state, List::Sites, &headers).await
}

/// What search engines may look at: what is followed, and not what leads on and on, or makes us work.
async fn robots(State(state): State<Shared>) -> Response<Body> {
    let closed =
        ["add", "login", "setup", "account", "check/", "webfeeds/posts/", "webfeeds/pictures/"];
    let asked = [
        "search?",
        "check?",
        "explore?",
        "document?",
        "robots?",
        "collections/*?",
        "webfeeds?",
        "webfeeds/*?",
        "feeds/*?",
    ];
    let closed = closed.iter().chain(&asked);
    let closed = closed.map(|path| format!("Disallow: {}{path}\n", state.root));
    let body = match state.options.access {
        Access::Public => format!("User-agent: *\n{}", closed.collect::<String>()),
        Access::Private => "User-agent: *\nDisallow: /\n".to_owned(),
    };
    ([(CONTENT_TYPE, "text/plain; charset=utf-8")], body).into_response()
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

/// An asset that may be kept for ever if it was asked for as that of this build.
fn versioned(request: &Request, kind: &'static str, body: &'static str) -> Response<Body> {
    let asked = request.uri().query().and_then(|query| query.strip_prefix("v="));
    asset(kind, body, asked == Some(ASSETS.as_str()))
}

fn asset(kind: &'static str, body: &'static str, is_fixed: bool) -> Response<Body> {
    let keep =
        if is_fixed { "public, max-age=31536000, immutable" } else { "public, max-age=3600" };
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, keep)], body).into_response()
}
