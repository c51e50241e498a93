//! Signing in and out.

use askama::Template;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::http::{HeaderValue, Method, StatusCode};
use tidings_http::password::is_right;
use tidings_http::same_origin::is_foreign;
use tidings_http::secret::{MaskedToken, guard_of, hash, is_same, random, unmasked};

use super::page::own_page;
use super::site_request::{Asked, FORMS, SESSION, now};
use super::site_response::{Answer, go, text};
use super::state::SharedSite;

/// For how long somebody stays signed in, in seconds.
pub(super) const LASTS: i64 = 14 * 24 * 60 * 60;
/// How much a form may be.
pub(super) const MOST_FORM: usize = 64 << 10;

#[derive(Template)]
#[template(path = "login.html")]
struct Form<'a> {
    guard: MaskedToken,
    name: &'a str,
    user: Option<&'a str>,
    problem: Option<&'a str>,
}

/// The answer for a path below `/login/`. None if there is nothing.
pub(super) async fn sign_in(state: &SharedSite, asked: &Asked, body: Body) -> Option<Answer> {
    match (asked.path.as_str(), &asked.method) {
        ("/login", _) if asked.is_read() => Some(go(StatusCode::MOVED_PERMANENTLY, "/login/")),
        ("/login/", _) if asked.is_read() => Some(form(state, asked, StatusCode::OK, "", None)),
        ("/login/", &Method::POST) => Some(begin(state, asked, body).await),
        ("/login/out", &Method::POST) => Some(end(state, asked, body).await),
        _ => None,
    }
}

/// The form, with what went wrong.
fn form(
    state: &SharedSite,
    asked: &Asked,
    status: StatusCode,
    name: &str,
    problem: Option<&str>,
) -> Answer {
    let (guard, cookie) = match guard(asked) {
        Ok(guard) => guard,
        Err(error) => return wrong(&error),
    };
    let user = asked.account.as_ref().map(|account| account.name.as_str());
    let form = Form { guard: MaskedToken::new(&guard), name, user, problem };
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
fn guard(asked: &Asked) -> std::io::Result<(String, Option<String>)> {
    if let Some(own) = own_guard(asked) {
        return Ok((own, None));
    }
    let secret = random(32)?;
    Ok((guard_of(&secret), Some(asked.jar().set(FORMS, &secret, None))))
}

/// The CSRF token that belongs to a cookie of this visitor. None if the visitor has none.
pub(super) fn own_guard(asked: &Asked) -> Option<String> {
    let jar = asked.jar();
    let session = asked.session.and_then(|_| jar.read(&asked.headers, SESSION));
    let secret =
        session.or_else(|| jar.read(&asked.headers, FORMS).filter(|secret| secret.len() >= 40))?;
    Some(guard_of(&secret))
}

/// The fields of a form that one of our own pages sent, or why it is not taken.
pub(super) async fn posted(
    asked: &Asked,
    body: Body,
    most: usize,
) -> Result<Vec<(String, String)>, Box<Answer>> {
    comes_from_here(asked)?;
    let too_long = |_| Box::new(text(StatusCode::PAYLOAD_TOO_LARGE, "The form is too long.\n"));
    let body = axum::body::to_bytes(body, most).await.map_err(too_long)?;
    let fields: Vec<(String, String)> = url::form_urlencoded::parse(&body).into_owned().collect();
    let given = fields.iter().find(|(name, _)| name == "guard").map_or("", |(_, value)| value);
    guarded(asked, given)?;
    Ok(fields)
}

/// Refuses what a page of another site sent.
pub(super) fn comes_from_here(asked: &Asked) -> Result<(), Box<Answer>> {
    let site = asked.headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    let is_elsewhere = site.is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if is_elsewhere || is_foreign(&asked.headers, asked.origin.as_str()) {
        return Err(Box::new(text(
            StatusCode::FORBIDDEN,
            "The request comes from a page of another site.\n",
        )));
    }
    Ok(())
}

/// Refuses what no page of ours sent.
pub(super) fn guarded(asked: &Asked, given: &str) -> Result<(), Box<Answer>> {
    let own = own_guard(asked);
    if own.is_some_and(|own| unmasked(given).is_some_and(|given| is_same(&given, &own))) {
        return Ok(());
    }
    Err(Box::new(text(
        StatusCode::FORBIDDEN,
        "This form is too old, or was not made by this site; go back, load the page again and send it once more.\n",
    )))
}

async fn begin(state: &SharedSite, asked: &Asked, body: Body) -> Answer {
    let fields = match posted(asked, body, MOST_FORM).await {
        Ok(fields) => fields,
        Err(refused) => return *refused,
    };
    let field = |wanted: &str| {
        fields.iter().find(|(name, _)| name == wanted).map_or("", |(_, value)| value.as_str())
    };
    let (name, password) = (field("name").trim(), field("password"));
    if state.limits.sign_in(asked.address, name).is_err() {
        let problem = Some("That was too often. Try again in a minute.");
        return form(state, asked, StatusCode::TOO_MANY_REQUESTS, name, problem);
    }
    let known = match state.accounts.password_hash(name) {
        Ok(known) => known,
        Err(error) => return wrong(&error),
    };
    if !is_right(&state.passwords, password, known).await {
        let problem = Some("The name or the password is not right.");
        return form(state, asked, StatusCode::UNAUTHORIZED, name, problem);
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
    if let Err(refused) = posted(asked, body, MOST_FORM).await {
        return *refused;
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
