//! What is where.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, RETRY_AFTER,
};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode};
use tidings_http::compression::smaller;
use tidings_http::request_body::BodyProgress;
use tidings_site::path::named;
use tidings_site::{Kind, MOST_MARKDOWN, ObjectId, PageMeta};

use super::answer_error::AnswerError;
use super::machine_documents::{self, File};
use super::site_request::Asked;
use super::site_response::{Answer, go, keeping, text, unsized_body, with};
use super::state::SharedSite;
use super::{admin, blob, memento_routes, page, search, sign_in};

/// Answers a request.
pub(super) async fn answer(State(state): State<SharedSite>, request: Request<Body>) -> Answer {
    let (parts, body) = request.into_parts();
    let extensions = parts.extensions.clone();
    let asked = match Asked::of(&state, parts).await {
        Ok(Ok(asked)) => asked,
        Ok(Err(_)) => {
            return finished(
                text(StatusCode::BAD_REQUEST, "The host of this request is none.\n"),
                None,
            );
        }
        Err(error) => {
            tracing::error!(%error, "accounts could not be read");
            let words = "Something is wrong with this server.\n";
            return finished(text(StatusCode::INTERNAL_SERVER_ERROR, words), None);
        }
    };
    if asked.account.is_some() {
        BodyProgress::trust(&extensions);
    }
    // What was changed before this was asked is in the answer.
    if !state.cache.is_fresh() {
        let cache = Arc::clone(&state.cache);
        // It does not fail; and if it did, what was known would be answered.
        let _ = tokio::task::spawn_blocking(move || cache.refresh()).await;
    }
    let response = routed(&state, &asked, body).await;
    let response = smaller(response, &asked.headers).await;
    finished(response, Some(&asked.method))
}

/// What is said with every answer.
fn finished(mut response: Answer, method: Option<&Method>) -> Answer {
    let length = response.body().size_hint().exact();
    let headers = response.headers_mut();
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ));
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if method == Some(&Method::HEAD) {
        if let Some(length) = length.filter(|length| *length > 0) {
            headers.entry(CONTENT_LENGTH).or_insert(length.into());
        }
        *response.body_mut() = if length.is_some() { Body::empty() } else { unsized_body() };
    }
    response
}

async fn routed(state: &SharedSite, asked: &Asked, body: Body) -> Answer {
    let path = asked.path.as_str();
    let admin = state.cache.reserved().admin();
    let below = path.strip_prefix('/').and_then(|path| path.strip_prefix(admin));
    // Everybody else goes on, as to anywhere else where nothing is, whatever the method is.
    let below = below.filter(|rest| asked.is_admin() && (rest.is_empty() || rest.starts_with('/')));
    if let Some(rest) = below {
        let rest = rest.to_owned();
        return admin::admin(state, asked, &rest, body).await;
    }
    if path == "/login" || path.starts_with("/login/") {
        let answer = sign_in::sign_in(state, asked, body).await;
        return answer.unwrap_or_else(|| nothing(state, asked));
    }
    if !asked.is_read() {
        return read_only();
    }
    if path == "/robots.txt" {
        return machine_documents::robots_txt(state, asked);
    }
    let found = match own(state, asked).await {
        Some(Ok(found)) => Some(found),
        Some(Err(error)) => return failed(state, asked, &error),
        None => return object(state, asked).await,
    };
    found.unwrap_or_else(|| nothing(state, asked))
}

/// What the program itself has at a path. None if it has nothing to do with that path.
async fn own(state: &SharedSite, asked: &Asked) -> Option<Result<Answer, AnswerError>> {
    let there = |answer: Option<Answer>| Some(Ok(answer.unwrap_or_else(|| nothing(state, asked))));
    let path = asked.path.as_str();
    let gone = || !state.cache.is_there();
    match path {
        "/sitemap.xml" | "/sitemap_index.xml" | "/feed.atom" if gone() => {
            Some(Err(AnswerError::Away))
        }
        "/sitemap.xml" => there(machine_documents::sitemap(state, asked, &File::Whole)),
        "/sitemap_index.xml" => there(machine_documents::sitemap(state, asked, &File::Index)),
        "/feed.atom" => Some(machine_documents::feed(state, asked).await),
        "/builtin/search" if gone() => Some(Err(AnswerError::Away)),
        "/builtin/search" => there(Some(search::search(state, asked).await)),
        _ => {
            if let Some(number) = path.strip_prefix("/sitemaps/sitemap-") {
                if gone() {
                    return Some(Err(AnswerError::Away));
                }
                let file = part(number).map(File::Part);
                return there(
                    file.and_then(|file| machine_documents::sitemap(state, asked, &file)),
                );
            }
            if path.starts_with("/resourcesync/") || path.starts_with("/.well-known/") {
                if gone() {
                    return Some(Err(AnswerError::Away));
                }
                return there(machine_documents::document(state, asked));
            }
            if let Some(name) = path.strip_prefix("/builtin/theme/") {
                return there(asset(state, asked, name));
            }
            if path.starts_with("/builtin/") {
                return match memento_routes::past(state, asked).await {
                    Some(answer) => Some(answer),
                    None => there(admin::asset(asked)),
                };
            }
            None
        }
    }
}

/// The number of a part, from zero: four digits at least, and no more zeros than it needs.
fn part(name: &str) -> Option<usize> {
    let digits = name.strip_suffix(".xml")?;
    let number: usize = digits.parse().ok()?;
    (digits == format!("{number:04}")).then(|| number.checked_sub(1))?
}

/// A file of the theme. One that was asked for as that of this theme may be kept for ever.
fn asset(state: &SharedSite, asked: &Asked, name: &str) -> Option<Answer> {
    let theme = Arc::clone(&state.shell().theme);
    let (kind, bytes) = theme.asset(name)?;
    let mut response = with(StatusCode::OK, &kind, bytes);
    let is_fixed = asked.queried("v") == Some(format!("{:016x}", theme.fingerprint()));
    let keep = if is_fixed { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(keep));
    Some(response)
}

/// What the content root has at a path.
async fn object(state: &SharedSite, asked: &Asked) -> Answer {
    let Some(name) = named(&asked.path) else { return nothing(state, asked) };
    let found = match asked.path.strip_prefix("/id/") {
        Some(id) => {
            let id = id.strip_suffix('/').unwrap_or(id);
            ObjectId::parse(id).and_then(|id| state.cache.get(id))
        }
        // What has no page of its own at `/` may have one of the name that others use for it.
        None if name.is_empty() => state.cache.find("").or_else(|| state.cache.find("index")),
        None => state.cache.find(&name),
    };
    let Some(meta) = found.filter(|meta| asked.may_see(meta)) else { return nothing(state, asked) };
    let canonical = meta.url_path();
    if canonical != asked.path {
        let query = asked.query.as_deref().map_or_else(String::new, |query| format!("?{query}"));
        // A home page may come to where there is none yet.
        let status =
            if name.is_empty() { StatusCode::FOUND } else { StatusCode::MOVED_PERMANENTLY };
        let mut response = go(status, &format!("{canonical}{query}"));
        // An alias may be another tomorrow.
        response.headers_mut().insert(CACHE_CONTROL, keeping(asked));
        return response;
    }
    match served(state, asked, &meta).await {
        Ok(answer) => answer,
        Err(error) => failed(state, asked, &error),
    }
}

async fn served(
    state: &SharedSite,
    asked: &Asked,
    meta: &Arc<PageMeta>,
) -> Result<Answer, AnswerError> {
    match meta.kind {
        Kind::Markdown if meta.blob.length <= MOST_MARKDOWN => page::page(state, asked, meta).await,
        Kind::Markdown | Kind::Blob => blob::blob(state, asked, meta).await,
    }
}

fn read_only() -> Answer {
    let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "This can be read, and no more.\n");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

/// What could not be read: it is gone, or the whole content root is, for a while.
fn failed(state: &SharedSite, asked: &Asked, error: &AnswerError) -> Answer {
    match error {
        AnswerError::Missing => nothing(state, asked),
        AnswerError::Away => away(),
        AnswerError::Io(error) => {
            tracing::error!(path = asked.path, %error, "an answer could not be made");
            text(StatusCode::INTERNAL_SERVER_ERROR, "Something is wrong with this server.\n")
        }
    }
}

/// The content root is not there: those who ask should come again, and not forget what they know.
fn away() -> Answer {
    let words = "The content of this site is not there at the moment.\n";
    let mut response = text(StatusCode::SERVICE_UNAVAILABLE, words);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("30"));
    response
}

/// Nothing is here: the same for what is not there, and for what is not for everybody.
fn nothing(state: &SharedSite, asked: &Asked) -> Answer {
    if !state.cache.is_there() {
        return away();
    }
    let content = "<p>There is no page at this address. \
        <a href=\"/\">Go to the first page</a>, or <a href=\"/builtin/search\">search</a>.</p>";
    page::own_page(state, asked, StatusCode::NOT_FOUND, "Nothing is here", content)
}
