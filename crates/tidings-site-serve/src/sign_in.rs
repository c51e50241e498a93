//! Signing in and out.

use askama::Template;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::http::{HeaderValue, Method, StatusCode};
use tidings_http::password::is_right;
use tidings_http::secret::{MaskedToken, guard_of, hash, random};

use super::page::own_page;
use super::site_request::{Asked, FORMS, SESSION, now};
use super::site_response::{Answer, form_refused, go, text};
use super::state::SharedSite;

/// For how long somebody stays signed in, in seconds.
pub(super) const LASTS: i64 = 14 * 24 * 60 * 60;
/// How much a form may be.
pub(super) const MOST_FORM: usize = 64 << 10;

#[derive(Template)]
#[template(path = "login.html")]
struct LoginPage<'a> {
    guard: MaskedToken,
    name: &'a str,
    user: Option<&'a str>,
    problem: Option<&'a str>,
}

/// The answer for a path below `/login/`. None if there is nothing.
pub(super) async fn sign_in(state: &SharedSite, asked: &Asked, body: Body) -> Option<Answer> {
    match (asked.path.as_str(), &asked.method) {
        ("/login", _) if asked.is_read() => Some(go(StatusCode::MOVED_PERMANENTLY, "/login/")),
        ("/login/", _) if asked.is_read() => Some(page(state, asked, StatusCode::OK, "", None)),
        ("/login/", &Method::POST) => Some(begin(state, asked, body).await),
        ("/login/out", &Method::POST) => Some(end(state, asked, body).await),
        _ => None,
    }
}

/// The form, with what went wrong.
fn page(
    state: &SharedSite,
    asked: &Asked,
    status: StatusCode,
    name: &str,
    problem: Option<&str>,
) -> Answer {
    let (guard, cookie) = match token(asked) {
        Ok(token) => token,
        Err(error) => return wrong(&error),
    };
    let user = asked.account.as_ref().map(|account| account.name.as_str());
    let form = LoginPage { guard: MaskedToken::new(&guard), name, user, problem };
    let content = match form.render() {
        Ok(content) => content,
        Err(error) => return wrong(&error),
    };
    let mut response = own_page(state, asked, status, "Sign in", &content);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        headers.append(SET_COOKIE, cookie);
    }
    response
}

/// The CSRF token of this visitor, and the cookie that it belongs to if there is none yet.
fn token(asked: &Asked) -> std::io::Result<(String, Option<String>)> {
    if let Some(own) = &asked.token {
        return Ok((own.clone(), None));
    }
    let secret = random(32)?;
    Ok((guard_of(&secret), Some(asked.jar().set(FORMS, &secret, None))))
}

async fn begin(state: &SharedSite, asked: &Asked, body: Body) -> Answer {
    let form = match asked.form_guard().read(&asked.headers, body, MOST_FORM).await {
        Ok(form) => form,
        Err(error) => return form_refused(error),
    };
    let (name, password) = (form.get("name"), form.exact("password"));
    if state.limits.sign_in(asked.address, name).is_err() {
        let problem = Some("That was too often. Try again in a minute.");
        return page(state, asked, StatusCode::TOO_MANY_REQUESTS, name, problem);
    }
    let known = match state.accounts.password_hash(name) {
        Ok(known) => known,
        Err(error) => return wrong(&error),
    };
    if !is_right(&state.passwords, password, known).await {
        let problem = Some("The name or the password is not right.");
        return page(state, asked, StatusCode::UNAUTHORIZED, name, problem);
    }
    let secret = match random(32) {
        Ok(secret) => secret,
        Err(error) => return wrong(&error),
    };
    let begun = state.accounts.begin_session(name, hash(&secret), now(), now() + LASTS);
    let account = match begun.and_then(|()| state.accounts.get(name)) {
        Ok(account) => account,
        Err(error) => return wrong(&error),
    };
    // Whoever may edit wants to; and is one of the few who may know where.
    let is_admin = account.is_some_and(|account| account.is_admin);
    let to =
        if is_admin { format!("/{}/", state.cache.reserved().admin()) } else { "/".to_owned() };
    let mut response = go(StatusCode::SEE_OTHER, &to);
    let jar = asked.jar();
    for cookie in [jar.set(SESSION, &secret, Some(LASTS)), jar.clear(FORMS)] {
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn end(state: &SharedSite, asked: &Asked, body: Body) -> Answer {
    if let Err(error) = asked.form_guard().read(&asked.headers, body, MOST_FORM).await {
        return form_refused(error);
    }
    if let Some(session) = asked.session
        && let Err(error) = state.accounts.end_session(session)
    {
        return wrong(&error);
    }
    let mut response = go(StatusCode::SEE_OTHER, "/");
    if let Ok(cookie) = HeaderValue::from_str(&asked.jar().clear(SESSION)) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}

fn wrong(error: &dyn std::fmt::Display) -> Answer {
    tracing::error!(%error, "somebody could not be signed in");
    text(StatusCode::INTERNAL_SERVER_ERROR, "Something is wrong with this server.\n")
}
