//! The administration.
//!
//! Whoever gets here is signed in and may administer; everybody else was told that nothing is here. No
//! page needs a script. Whatever changes something is a POST that carries the guard of the session, and is
//! answered by sending the browser elsewhere, so that nothing is done twice by loading a page again.

mod account;
mod delete;
mod editor;
mod effect;
mod fields;
mod file;
mod findings;
mod frame;
mod multipart;
mod overview;
mod page_form;
mod pages;
mod tags;
mod target;
mod upload;
mod users;
mod versions;

use std::sync::LazyLock;

use axum::body::Body;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, VARY};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use tidings_http::secret::hash;

use super::site_request::Asked;
use super::site_response::{Answer, go, with};
use super::state::SharedSite;
pub(super) use frame::sentence;
use frame::{Refused, Visit};

const CSS: &str = include_str!("assets/admin.css");

/// What names the style sheet of this build: it may be kept for as long as anybody likes.
static CSS_VERSION: LazyLock<String> = LazyLock::new(|| tidings_base::to_hex(&hash(CSS)[..6]));

/// What a browser may do with these pages: no script at all, and nothing of others.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; \
     frame-ancestors 'none'; base-uri 'none'",
);

/// The answer for a path below that of the administration, to somebody who may administer.
pub(super) async fn admin(state: &SharedSite, asked: &Asked, rest: &str, body: Body) -> Answer {
    let visit = Visit { state, asked };
    let answer = routed(&visit, rest, body).await;
    let mut answer = answer.unwrap_or_else(|refused| *refused);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    headers.append(VARY, HeaderValue::from_static("cookie"));
    answer
}

async fn routed(visit: &Visit<'_>, rest: &str, body: Body) -> Result<Answer, Refused> {
    let Some(path) = rest.strip_prefix('/') else {
        return Ok(go(StatusCode::SEE_OTHER, &visit.root()));
    };
    let (name, below) = match path.split_once('/') {
        Some((name, below)) => (name, Some(below)),
        None => (path, None),
    };
    let is_read = visit.asked.is_read();
    let is_post = visit.asked.method == Method::POST;
    match (name, below) {
        ("", None) if is_read => overview::page(visit).await,
        ("pages", None) if is_read => pages::page(visit).await,
        ("new", None) if is_read => editor::new(visit).await,
        ("new", None) if is_post => editor::create(visit, body).await,
        ("edit", Some(id)) if is_read => editor::page(visit, id).await,
        ("edit", Some(id)) if is_post => editor::save(visit, id, body).await,
        ("file", Some(id)) if is_read => file::page(visit, id).await,
        ("file", Some(id)) if is_post => file::save(visit, id, body).await,
        ("delete", Some(id)) if is_read => delete::page(visit, id).await,
        ("delete", Some(id)) if is_post => delete::remove(visit, id, body).await,
        ("restore", Some(id)) if is_post => versions::restore(visit, id, body).await,
        ("upload", None) if is_read => upload::page(visit).await,
        ("upload", None) if is_post => upload::take(visit, body).await,
        ("tags", None) if is_read => tags::page(visit).await,
        ("tags", None) if is_post => tags::save(visit, body).await,
        ("roles", None) if is_post => tags::save_roles(visit, body).await,
        ("users", None) if is_read => users::page(visit).await,
        ("users", Some("add")) if is_post => users::add(visit, body).await,
        ("users", Some("change")) if is_post => users::change(visit, body).await,
        ("users", Some("password")) if is_post => users::password(visit, body).await,
        ("users", Some("remove")) if is_post => users::remove(visit, body).await,
        ("account", None) if is_read => Ok(account::page(visit)),
        ("account", None) if is_post => account::change(visit, body).await,
        _ => Err(elsewhere(visit, name, below)),
    }
}

/// Nothing is here, or not for this method.
fn elsewhere(visit: &Visit<'_>, name: &str, below: Option<&str>) -> Refused {
    let allowed = match (name, below) {
        ("" | "pages" | "users", None) => "GET, HEAD",
        ("new" | "upload" | "tags" | "account", None) | ("edit" | "file" | "delete", Some(_)) => {
            "GET, HEAD, POST"
        }
        ("roles", None)
        | ("restore", Some(_))
        | ("users", Some("add" | "change" | "password" | "remove")) => "POST",
        _ => return visit.missing("There is no such page in the administration."),
    };
    let message =
        "This address is not for that: it takes what a form of this site sends, or is read.";
    let mut answer = visit.problem(StatusCode::METHOD_NOT_ALLOWED, "Not like this", message);
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// What its pages are shown with, below `/builtin/`. It says nothing of where they are.
pub(super) fn asset(asked: &Asked) -> Option<Answer> {
    if asked.path != "/builtin/admin.css" {
        return None;
    }
    let mut answer = with(StatusCode::OK, "text/css; charset=utf-8", CSS);
    let is_fixed = asked.queried("v").as_deref() == Some(CSS_VERSION.as_str());
    let keep = if is_fixed { "public, max-age=31536000, immutable" } else { "no-cache" };
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    Some(answer)
}
