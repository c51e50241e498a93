//! Past versions: TimeGate, TimeMap and the versions themselves (RFC 7089).

use std::io;
use std::sync::Arc;

use axum::http::header::{CACHE_CONTROL, LINK, VARY};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use tidings_site::documents::TIMEGATE;
use tidings_site::memento::{MEMENTO, Memento, Mementos, TIMEMAP, accept_datetime, http_date};
use tidings_site::{Kind, ObjectId};

use super::answer_error::AnswerError;
use super::page::{self, Who, made};
use super::site_request::Asked;
use super::site_response::{Answer, go, keeping, text, with};
use super::state::SharedSite;

/// The answer for a path below `/builtin/` that is about past versions. None if there is nothing.
pub(super) async fn past(state: &SharedSite, asked: &Asked) -> Option<Result<Answer, AnswerError>> {
    if let Some(id) = asked.path.strip_prefix(TIMEGATE) {
        return timegate(state, asked, id).await.map(Ok);
    }
    if let Some(id) = asked.path.strip_prefix(TIMEMAP) {
        let mementos = mementos(state, asked, id).await?;
        let map = mementos.timemap(&asked.origin);
        return Some(Ok(quiet(
            asked,
            with(StatusCode::OK, "application/link-format; charset=utf-8", map),
        )));
    }
    let (id, number) = asked.path.strip_prefix(MEMENTO)?.split_once('.')?;
    let mementos = mementos(state, asked, id).await?;
    // One spelling, as anywhere.
    let number = number.parse::<u32>().ok().filter(|it| it.to_string() == number)?;
    let memento = mementos.number(number)?;
    Some(version(state, asked, &mementos, memento).await)
}

/// Those that whoever asks may see. The sidecars of all versions are read.
async fn mementos(state: &SharedSite, asked: &Asked, id: &str) -> Option<Mementos> {
    let id = ObjectId::parse(id)?;
    let current = state.cache.get(id).filter(|meta| asked.may_see(meta))?;
    let (state, who) = (Arc::clone(state), Who::of(asked));
    let read = move || Mementos::of(&state.cache, &current, |meta| who.may_see(meta));
    tokio::task::spawn_blocking(read).await.ok().flatten()
}

/// Leads to the version of a time (section 4.2.1, pattern 2.1).
async fn timegate(state: &SharedSite, asked: &Asked, id: &str) -> Option<Answer> {
    let mementos = mementos(state, asked, id).await?;
    let wanted = asked.headers.get("accept-datetime");
    let wanted = match wanted.map(|value| value.to_str().ok().and_then(accept_datetime)) {
        None => None,
        Some(Some(wanted)) => Some(wanted),
        // Section 4.5.2: it must be said that this is no time.
        Some(None) => {
            return Some(quiet(
                asked,
                text(
                    StatusCode::BAD_REQUEST,
                    "Accept-Datetime is no time: it has to be like \"Sun, 06 Nov 1994 08:49:37 GMT\".\n",
                ),
            ));
        }
    };
    let memento = mementos.at(wanted)?;
    let mut response = go(StatusCode::FOUND, &mementos.url(&asked.origin, memento));
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-datetime"));
    if let Ok(links) = HeaderValue::from_str(&mementos.links(&asked.origin, Some(memento))) {
        headers.insert(LINK, links);
    }
    Some(quiet(asked, response))
}

/// A version, as it was, in the theme of today.
async fn version(
    state: &SharedSite,
    asked: &Asked,
    mementos: &Mementos,
    memento: &Memento,
) -> Result<Answer, AnswerError> {
    let path = memento.meta.place.path(memento.meta.id);
    let (file, _) = state.cache.root().open(&path)?;
    let meta = memento.meta.clone();
    let mut response = if meta.kind == Kind::Markdown
        && meta.blob.length <= tidings_site::MOST_MARKDOWN
    {
        let (state, who) = (Arc::clone(state), Who::of(asked));
        let html = tokio::task::spawn_blocking(move || {
            let shell = state.shell();
            made(&state, &who, &meta, &shell, file)
        });
        let mut response = with(StatusCode::OK, page::HTML, html.await.map_err(io::Error::other)??);
        response.headers_mut().insert(axum::http::header::CONTENT_SECURITY_POLICY, page::POLICY);
        response
    } else {
        super::blob::version(file, &meta)
    };
    let headers = response.headers_mut();
    if let Ok(time) = HeaderValue::from_str(&http_date(memento.since)) {
        headers.insert(HeaderName::from_static("memento-datetime"), time);
    }
    if let Ok(links) = HeaderValue::from_str(&mementos.links(&asked.origin, Some(memento))) {
        headers.insert(LINK, links);
    }
    Ok(quiet(asked, response))
}

/// Not for search engines: it is what they have, or had, elsewhere. Nor for caches, where it is not for
/// everybody.
fn quiet(asked: &Asked, mut response: Answer) -> Answer {
    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    headers.insert(CACHE_CONTROL, keeping(asked));
    headers.append(VARY, HeaderValue::from_static("cookie"));
    response
}
