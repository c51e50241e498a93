//! Signing in and out.

use std::io;
use std::time::Duration;

use askama::Template;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, RETRY_AFTER};
use axum::http::{HeaderValue, Method, StatusCode};
use tidings_http::authenticator::SignInError;
use tidings_http::cookies::append_cookies;
use tidings_http::secret::MaskedToken;

use super::page::own_page;
use super::site_request::{Asked, SESSION_COOKIES};
use super::site_response::{Answer, form_refused, go, text};
use super::state::SharedSite;

/// The number of bytes that a form may have, unless it carries the text of a page.
pub(super) const MAX_FORM_BYTES: usize = 64 << 10;
/// The number of characters of a name that the form shows again.
const MAX_SHOWN_NAME_CHARS: usize = 100;

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
    let end = name.char_indices().nth(MAX_SHOWN_NAME_CHARS).map_or(name.len(), |(at, _)| at);
    let name = &name[..end];
    let form = LoginPage { guard: MaskedToken::new(&guard), name, user, problem };
    let content = match form.render() {
        Ok(content) => content,
        Err(error) => return wrong(&error),
    };
    let mut response = own_page(state, asked, status, "Sign in", &content);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    append_cookies(headers, &cookie);
    response
}

/// The CSRF token of this visitor, and the cookie that it belongs to if there is none yet.
fn token(asked: &Asked) -> io::Result<(String, Option<String>)> {
    if let Some(own) = &asked.token {
        return Ok((own.clone(), None));
    }
    let new = SESSION_COOKIES.new_form_token(asked.jar())?;
    Ok((new.token, Some(new.cookie)))
}

async fn begin(state: &SharedSite, asked: &Asked, body: Body) -> Answer {
    let form = match asked.form_guard().read(&asked.headers, body, MAX_FORM_BYTES).await {
        Ok(form) => form,
        Err(error) => return form_refused(error),
    };
    let (name, password) = (form.get("name"), form.exact("password"));
    let signed_in = match state.authenticator.sign_in(asked.browser(), name, password).await {
        Ok(signed_in) => signed_in,
        Err(SignInError::TooOften(wait)) => return too_often(state, asked, name, wait),
        Err(SignInError::Wrong(_)) => {
            let problem = Some("The name or the password is not right.");
            return page(state, asked, StatusCode::UNAUTHORIZED, name, problem);
        }
        Err(error) => return wrong(&error),
    };
    // Whoever may edit wants to; and is one of the few who may know where.
    let is_admin = signed_in.account.is_admin;
    let to =
        if is_admin { format!("/{}/", state.cache.reserved().admin()) } else { "/".to_owned() };
    let mut response = go(StatusCode::SEE_OTHER, &to);
    append_cookies(response.headers_mut(), &signed_in.cookies);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The form, and when the next attempt is possible.
fn too_often(state: &SharedSite, asked: &Asked, name: &str, wait: Duration) -> Answer {
    let problem = Some("That was too often. Try again in a minute.");
    let mut response = page(state, asked, StatusCode::TOO_MANY_REQUESTS, name, problem);
    let seconds = HeaderValue::from(wait.as_secs() + 1);
    response.headers_mut().insert(RETRY_AFTER, seconds);
    response
}

async fn end(state: &SharedSite, asked: &Asked, body: Body) -> Answer {
    if let Err(error) = asked.form_guard().read(&asked.headers, body, MAX_FORM_BYTES).await {
        return form_refused(error);
    }
    let cookies = match state.authenticator.sign_out(asked.jar(), asked.session).await {
        Ok(cookies) => cookies,
        Err(error) => return wrong(&error),
    };
    let mut response = go(StatusCode::SEE_OTHER, "/");
    append_cookies(response.headers_mut(), &cookies);
    response
}

fn wrong(error: &dyn std::fmt::Display) -> Answer {
    tracing::error!(%error, "somebody could not be signed in");
    text(StatusCode::INTERNAL_SERVER_ERROR, "Something is wrong with this server.\n")
}
