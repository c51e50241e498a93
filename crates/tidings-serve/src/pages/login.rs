//! Signing in and out.

use askama::Template;
use axum::body::Body;
use axum::extract::{Extension, Query, State};
use axum::http::header::{SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use serde::Deserialize;
use tidings_http::listener::Peer;
use tidings_http::password::is_right;
use tidings_http::secret::{hash, random};
use tidings_store::User;

use super::{Asking, back};
use crate::access::address_of;
use crate::api::Problem;
use crate::cookie_names::{FORMS, SESSION};
use crate::frame::{Frame, go, show, show_as};
use crate::parts::short;
use crate::posted::Posted;
use crate::state::{Shared, State as Server};
use crate::visitor::Who;

/// How long a session lasts at the most: 30 days.
const LASTS: i64 = 30 * 24 * 60 * 60;

#[derive(Template)]
#[template(path = "login.html")]
struct Page {
    f: Frame,
    next: String,
    name: String,
    problem: Option<&'static str>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    next: String,
}

pub(super) async fn page(
    State(state): State<Shared>,
    visitor: Asking,
    Query(wanted): Query<Wanted>,
) -> Result<Response<Body>, Problem> {
    if matches!(visitor.who, Who::User(_)) {
        return Ok(back(&state, &wanted.next));
    }
    let f = Frame::new(&state, &visitor, "account", "Sign in");
    show(&Page { f, next: short(&wanted.next, 2_000), name: String::new(), problem: None })
}

/// Lets somebody in who knows a name and its password. Which of the two is wrong is not said, and takes
/// as long to find out.
pub(super) async fn sign_in(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    visitor: Asking,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    let name = short(form.get("name"), 100);
    let address = address_of(&state, &headers, peer);
    state.limits.sign_in(address, &name).map_err(Problem::too_often)?;
    let found = state.store.user(&name).await?;
    let (user, kept) = found.unzip();
    if !is_right(&state.passwords, form.exact("password"), kept).await {
        // Some type their password where the name goes: only names that there are are written down.
        tracing::warn!(%address, user = user.as_ref().map(|user| user.name.as_str()), "a sign-in was refused");
        if let Some(user) = &user {
            state.did(&visitor, "refused sign-in", &user.name, &address.to_string()).await;
        }
        let f = Frame::new(&state, &visitor, "account", "Sign in");
        let problem = Some("The name or the password is wrong.");
        let page = Page { f, next: form.get("next").to_owned(), name, problem };
        return show_as(StatusCode::UNAUTHORIZED, &page);
    }
    let Some(user) = user else { return Err(Problem::unauthorized("nobody has that name")) };
    // Whatever session the browser had is over: it cannot be one that somebody else put there.
    if let Some(old) = visitor.session {
        state.store.end_session(old).await?;
    }
    let mut response = back(&state, form.get("next"));
    begin(&state, &user, &headers, &mut response).await?;
    state.done_by(&user.name, "sign-in", &user.name, &address.to_string()).await;
    Ok(response)
}

/// Begins a session, and has the browser keep it.
pub(super) async fn begin(
    state: &Server,
    user: &User,
    headers: &HeaderMap,
    response: &mut Response<Body>,
) -> Result<(), Problem> {
    let secret = random(32).map_err(Problem::ours)?;
    let browser = headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    let about = short(browser.unwrap_or("unknown"), 200);
    state.store.begin_session(user.id, hash(&secret), &about, LASTS * 1000).await?;
    for cookie in [state.jar.set(SESSION, &secret, Some(LASTS)), state.jar.clear(FORMS)] {
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
    Ok(())
}

pub(super) async fn sign_out(
    State(state): State<Shared>,
    visitor: Asking,
    _: Posted,
) -> Result<Response<Body>, Problem> {
    if let Some(session) = visitor.session {
        state.store.end_session(session).await?;
        state.did(&visitor, "sign-out", visitor.name(), "").await;
    }
    let mut response = go(&state, "login?said=signed-out");
    if let Ok(cookie) = HeaderValue::from_str(&state.jar.clear(SESSION)) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}
