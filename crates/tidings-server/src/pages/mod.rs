//! Pages: what people look at. A file per page, with its template of the same name.

mod account;
mod add;
mod batch;
mod collection;
mod home;
mod log;
mod login;
mod look;
mod search;
mod setup;
mod site;
mod site_forms;
mod subscriptions;
mod tokens;
mod users;

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method, Response, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{get, post};

use crate::api::Problem;
use crate::frame::{Frame, ProblemPage, go, heading, show_as};
use crate::state::Shared;
use crate::visitor::Visitor;

pub(crate) use add::Looked;
pub(crate) use subscriptions::Imported;

/// What the layer around all pages found out about who asks.
pub(crate) type Asking = axum::extract::Extension<Arc<Visitor>>;

/// All pages, and the forms on them.
pub(crate) fn router(state: &Shared) -> Router<Shared> {
    Router::new()
        .route("/", get(home::page))
        .route("/add", get(add::page).post(add::look))
        .route("/add/{id}", get(add::looked))
        .route("/add/{id}/events", get(add::events))
        .route("/add/{id}/follow", post(add::follow))
        .route("/search", get(search::page))
        .route("/sites/{key}", get(site::page))
        .route("/sites/{key}/events", get(site::events))
        .route("/sites/{key}/poll", post(site_forms::poll))
        .route("/sites/{key}/pause", post(site_forms::pause))
        .route("/sites/{key}/settings", post(site_forms::settings))
        .route("/sites/{key}/collections", post(site_forms::collections))
        .route("/sites/{key}/remove", get(site_forms::ask).post(site_forms::remove))
        .route("/collections/{key}", get(collection::page))
        .route("/collections/{key}/batches/{sequence}", get(batch::page))
        .route(
            "/subscriptions",
            get(subscriptions::page)
                .post(subscriptions::import)
                .layer(DefaultBodyLimit::max(subscriptions::MOST_BYTES)),
        )
        .route("/subscriptions/{id}", get(subscriptions::imported))
        .route("/subscriptions/{id}/events", get(subscriptions::events))
        .route("/login", get(login::page).post(login::sign_in))
        .route("/logout", post(login::sign_out))
        .route("/setup", get(setup::page).post(setup::begin))
        .route("/account", get(account::page))
        .route("/account/password", post(account::password))
        .route("/account/sessions", post(account::sessions))
        .route("/tokens", get(tokens::page).post(tokens::add))
        .route("/tokens/remove", post(tokens::remove))
        .route("/users", get(users::page).post(users::add))
        .route("/users/{id}", post(users::change))
        .route("/users/{id}/remove", post(users::remove))
        .route("/log", get(log::page))
        .route("/look", post(look::save))
        .route("/shortcuts", get(look::shortcuts))
        .merge(crate::tools::router())
        .fallback(async || Problem::not_found("there is no such page"))
        .layer(from_fn_with_state(Arc::clone(state), around))
}

/// Finds out who asks, lets them look if they may, and says what went wrong as a page.
async fn around(State(state): State<Shared>, mut request: Request, next: Next) -> Response<Body> {
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let visitor = match Visitor::of(&state, &headers, &method, request.uri()).await {
        Ok(visitor) => Arc::new(visitor),
        Err(problem) => return problem.into_response(),
    };
    // Whoever may not look can still sign in.
    let is_door = matches!(request.uri().path(), "/login" | "/setup" | "/look" | "/shortcuts");
    let allowed = if is_door { Ok(()) } else { visitor.may_look(&state, &headers) };
    let mut response = match allowed {
        Ok(()) => {
            request.extensions_mut().insert(Arc::clone(&visitor));
            next.run(request).await
        }
        Err(problem) => problem.into_response(),
    };
    let problem = response.extensions_mut().remove::<Problem>().or_else(|| unsaid(&response));
    if let Some(problem) = problem {
        let is_read = matches!(method, Method::GET | Method::HEAD);
        response = said(&state, &visitor, &problem, is_read).unwrap_or_else(Problem::into_response);
    }
    for cookie in &visitor.cookies {
        if let Ok(cookie) = HeaderValue::from_str(cookie) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
    response
}

/// What was refused on the way, without words of ours.
fn unsaid(response: &Response<Body>) -> Option<Problem> {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_page = kind.is_some_and(|kind| kind.starts_with("text/html"));
    let is_refused = status.is_client_error() || status.is_server_error();
    (is_refused && !is_page).then(|| {
        let message = match status {
            StatusCode::METHOD_NOT_ALLOWED => "there is nothing here to be sent a form",
            StatusCode::BAD_REQUEST => "the address of this page is not as it should be",
            _ => "the request could not be answered",
        };
        Problem::new(status, message)
    })
}

/// A problem as a page; or the way to sign in, where that would solve it.
fn said(
    state: &Shared,
    visitor: &Visitor,
    problem: &Problem,
    is_read: bool,
) -> Result<Response<Body>, Problem> {
    if problem.status == StatusCode::UNAUTHORIZED && is_read && visitor.has_accounts {
        let next: String = url::form_urlencoded::byte_serialize(visitor.at.as_bytes()).collect();
        let to = format!("{}login?next={next}", state.root);
        return Ok((StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response());
    }
    let heading = heading(problem.status);
    let mut message = problem.message.clone();
    if let Some(first) = message.get(..1).map(str::to_uppercase) {
        message.replace_range(..1, &first);
    }
    if !message.ends_with(['.', '?', '!']) {
        message.push('.');
    }
    let page = ProblemPage {
        f: Frame::new(state, visitor, "", heading),
        status: problem.status.as_u16(),
        heading,
        message,
    };
    let mut response = show_as(problem.status, &page)?;
    // Where nobody can sign in, a token is as good as a name and a password.
    if problem.status == StatusCode::UNAUTHORIZED && !visitor.has_accounts {
        let realm = HeaderValue::from_static("Basic realm=\"tidings\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, realm);
    }
    if let Some(seconds) = problem.seconds() {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    Ok(response)
}

/// Sends the browser back to where it was: a path of ours, whatever else it says.
fn back(state: &Shared, next: &str) -> Response<Body> {
    let is_ours = next.starts_with('/')
        && !next.starts_with("//")
        && !next.contains(['\\', '\r', '\n'])
        && next.bytes().all(|byte| byte.is_ascii_graphic());
    // What the browser asked us for has no root before it, and what pages link to has.
    let rest = next.strip_prefix(state.root.as_str()).or_else(|| next.strip_prefix('/'));
    go(state, rest.filter(|_| is_ours).unwrap_or_default())
}
