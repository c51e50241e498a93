//! The frames that posts are shown in.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use jiff::Timestamp;
use tidings_http::conditional::is_known;
use tidings_http::secret::hash;
use tidings_webfeed::Dress;

use super::document::{screen, sentence, text as flowing};
use super::effects::dress_of;
use super::links::within_reader;
use super::parsed::{parsed, styles};
use super::{post_named, title_of, trouble};
use crate::api::Problem;
use crate::pages::Asking;
use crate::state::{Shared, State as Server};
use crate::visitor::Theme;

/// What every frame may do: show pictures of ours, and what its own styles say. It is of no origin, and
/// stands in our own pages alone.
const POLICY: &str = "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; \
    frame-ancestors 'self'; form-action 'none'; base-uri 'none'; sandbox";
/// What is between the words for a frame in which links lead somewhere: to a window of their own.
const POPUPS: &str = " allow-popups allow-popups-to-escape-sandbox";
/// What no post has any business with.
const PERMISSIONS: &str = "accelerometer=(), autoplay=(), camera=(), display-capture=(), \
    encrypted-media=(), fullscreen=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), \
    midi=(), payment=(), picture-in-picture=(), publickey-credentials-get=(), screen-wake-lock=(), \
    usb=(), xr-spatial-tracking=()";

/// What of a post is wanted.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    Lead,
    Section(usize),
    Text(Theme),
}

/// The section that stands for a post.
pub(super) async fn lead(
    State(state): State<Shared>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    frame(&state, &id, Wanted::Lead, &headers).await
}

/// One section.
pub(super) async fn section(
    State(state): State<Shared>,
    Path((id, number)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    frame(&state, &id, Wanted::Section(number.parse().unwrap_or(0)), &headers).await
}

/// All sections, as text.
pub(super) async fn text(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response<Body>, Problem> {
    frame(&state, &id, Wanted::Text(visitor.look.theme), &headers).await
}

async fn frame(
    state: &Server,
    id: &str,
    wanted: Wanted,
    headers: &HeaderMap,
) -> Result<Response<Body>, Problem> {
    match document(state, id, wanted).await {
        Ok(html) => Ok(answer(html, wanted, headers)),
        // What is said in a frame is said in a few words: a page of ours would not be shown there.
        Err(problem) if problem.status == StatusCode::NOT_FOUND => {
            let mut response = answer(sentence("There is nothing here any more."), wanted, headers);
            *response.status_mut() = StatusCode::NOT_FOUND;
            Ok(response)
        }
        Err(problem) => Err(problem),
    }
}

async fn document(state: &Server, id: &str, wanted: Wanted) -> Result<String, Problem> {
    let (post, site) = post_named(state, id).await?;
    let wanted_dress = match wanted {
        Wanted::Text(_) => Dress::None,
        // Many tiles are drawn at once: none of them may hold up the others.
        Wanted::Lead => Dress::Calm,
        Wanted::Section(_) => Dress::Full,
    };
    let Some(mut read) = parsed(state, &post, &site, wanted_dress).await? else {
        return Ok(sentence(&trouble(&post).unwrap_or_default()));
    };
    if read.page.sections.is_empty() {
        return Ok(sentence("This post has no sections."));
    }
    let title = title_of(&post);
    let number = match wanted {
        Wanted::Text(theme) => return Ok(flowing(&read.page, &title, theme)),
        Wanted::Lead => 1,
        Wanted::Section(number) => number,
    };
    let mut dress = wanted_dress;
    if dress == Dress::Full && dress_of(&read.page) == Dress::Calm {
        dress = Dress::Calm;
        if let Some(calm) = parsed(state, &post, &site, dress).await? {
            read = calm;
        }
    }
    let is_tile = matches!(wanted, Wanted::Lead);
    if !is_tile {
        within_reader(state, &site, &post, &mut read.page, number).await?;
    }
    let css = styles(state, &site, &read, dress).await?;
    screen(&read.page, number, &title, &css, is_tile)
        .ok_or_else(|| Problem::not_found("no such section"))
}

fn answer(html: String, wanted: Wanted, asked: &HeaderMap) -> Response<Body> {
    let (policy, keep) = match wanted {
        Wanted::Lead => (POLICY.to_owned(), "private, max-age=300"),
        Wanted::Section(_) => (format!("{POLICY}{POPUPS}"), "private, max-age=300"),
        // It is in the colours of who looks.
        Wanted::Text(_) => (format!("{POLICY}{POPUPS}"), "private, no-cache"),
    };
    // Addresses of pictures are in it, and so the tag is of the key that they are marked with.
    let tag = tidings_base::to_hex(&hash(&html)[..12]);
    let tag = format!("\"{tag}\"");
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    set(CONTENT_TYPE, "text/html; charset=utf-8");
    set(CONTENT_SECURITY_POLICY, &policy);
    set(CACHE_CONTROL, keep);
    set(ETAG, &tag);
    set(REFERRER_POLICY, "no-referrer");
    set(HeaderName::from_static("x-content-type-options"), "nosniff");
    set(HeaderName::from_static("permissions-policy"), PERMISSIONS);
    // A name that is looked up tells its owner that somebody reads.
    set(HeaderName::from_static("x-dns-prefetch-control"), "off");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    // What is of no origin cannot be opened beside what has one.
    set(HeaderName::from_static("cross-origin-opener-policy"), "unsafe-none");
    if is_known(asked, &tag, Timestamp::now()) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        *response.body_mut() = Body::from(html);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_say_what_they_may() {
        let of = |wanted| answer("<p>".to_owned(), wanted, &HeaderMap::new());
        for (wanted, end) in [
            (Wanted::Lead, "; sandbox"),
            (Wanted::Section(2), "; sandbox allow-popups allow-popups-to-escape-sandbox"),
            (Wanted::Text(Theme::Dark), "; sandbox allow-popups allow-popups-to-escape-sandbox"),
        ] {
            let response = of(wanted);
            let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
            let policy = header("content-security-policy");
            assert!(policy.starts_with("default-src 'none'; img-src 'self'; "), "{policy}");
            assert!(policy.ends_with(end) && !policy.contains("script"), "{policy}");
            assert!(!policy.contains("allow-same-origin"), "{policy}");
            assert!(policy.contains("frame-ancestors 'self'"), "{policy}");
            assert_eq!(header("referrer-policy"), "no-referrer");
            assert!(header("cache-control").starts_with("private"));
            assert!(header("permissions-policy").contains("camera=()"));
        }
        let tag = of(Wanted::Lead).headers()["etag"].clone();
        let again = HeaderMap::from_iter([(axum::http::header::IF_NONE_MATCH, tag)]);
        let response = answer("<p>".to_owned(), Wanted::Lead, &again);
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
        let response = answer("<b>".to_owned(), Wanted::Lead, &again);
        assert_eq!(response.status(), StatusCode::OK);
    }
}
