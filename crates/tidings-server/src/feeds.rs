//! Sends feeds.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LAST_MODIFIED, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use jiff::Timestamp;
use tidings_syndication::{FeedName, Variant};

use crate::api::Problem;
use crate::cache::Rendered;
use crate::conditional::{is_known, takes_gzip};
use crate::options::Access;
use crate::state::State;

const ATOM: &str = "application/atom+xml; charset=utf-8";
const RSS: &str = "application/rss+xml; charset=utf-8";
const JSON: &str = "application/feed+json; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";
const OPML: &str = "text/x-opml; charset=utf-8";

/// A feed, by the path of its URL; none if that is not a feed's.
pub(crate) async fn feed(
    state: &State,
    path: &str,
    headers: &HeaderMap,
) -> Result<Option<Response<Body>>, Problem> {
    if let Some(rendered) = state.cache.fresh(path, &state.worker.changed) {
        return Ok(Some(answer(state, &rendered, headers)));
    }
    let begun = Instant::now();
    let Some((name, variant, format)) = parse(path) else { return Ok(None) };
    let feed = state.desk.feed(&name, variant, format).await?;
    let Some((feed, modified)) = feed else { return Ok(None) };
    // A large feed takes a while to be written and compressed.
    let written = tokio::task::spawn_blocking(move || {
        let (body, media_type) = match format {
            "rss" => (tidings_feed::rss(&feed), RSS),
            "json" => (tidings_feed::json_feed(&feed), JSON),
            _ => (tidings_feed::atom(&feed), ATOM),
        };
        Rendered::new(body, media_type, modified)
    });
    let broken =
        |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the feed could not be written");
    let rendered = state.cache.keep(path, begun, written.await.map_err(broken)?);
    Ok(Some(answer(state, &rendered, headers)))
}

/// All feeds, for those who want to read them all.
pub(crate) async fn opml(state: &State, headers: &HeaderMap) -> Result<Response<Body>, Problem> {
    let path = "/feeds.opml";
    let begun = Instant::now();
    if let Some(rendered) = state.cache.fresh(path, &state.worker.changed) {
        return Ok(answer(state, &rendered, headers));
    }
    let opml = tidings_syndication::export(&state.store, &state.base).await?;
    let rendered = Rendered::new(opml.write(None), OPML, Timestamp::now());
    let rendered = state.cache.keep(path, begun, rendered);
    Ok(answer(state, &rendered, headers))
}

/// What the path of a feed says: whose it is, which of its forms, and in which format.
fn parse(path: &str) -> Option<(FeedName, Variant, &'static str)> {
    let (folder, rest) = path.strip_prefix('/')?.split_once('/')?;
    let (stem, format) = rest.rsplit_once('.')?;
    let format = ["atom", "rss", "json"].into_iter().find(|known| *known == format)?;
    let (key, variant) = match stem.split_once('/') {
        None => (stem, Variant::Digest),
        Some((key, "changes")) => (key, Variant::Changes(1)),
        Some((key, part)) => {
            let (what, number) = part.split_once('/')?;
            let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
            // One document has one name.
            let number: i64 =
                number.parse().ok().filter(|_| is_plain && !number.starts_with('0'))?;
            match what {
                "archive" => (key, Variant::Archive(number)),
                "changes" if number > 1 => (key, Variant::Changes(number)),
                _ => return None,
            }
        }
    };
    let name = match folder {
        "feeds" => FeedName::Collection(key.to_owned()),
        "sites" => FeedName::Site(key.to_owned()),
        _ => return None,
    };
    Some((name, variant, format))
}

fn answer(state: &State, rendered: &Arc<Rendered>, headers: &HeaderMap) -> Response<Body> {
    let gzip = takes_gzip(headers);
    let mut response = Response::new(Body::empty());
    let is_known = is_known(headers, &rendered.etag_text, rendered.modified);
    let sent = response.headers_mut();
    let etag = if gzip { &rendered.gzip_etag } else { &rendered.etag };
    sent.insert(ETAG, etag.clone());
    // Of something that changed in this second it would say the same if that changed again.
    if Timestamp::now().as_second() - rendered.modified.as_second() > 1 {
        sent.insert(LAST_MODIFIED, rendered.last_modified.clone());
    }
    sent.insert(VARY, HeaderValue::from_static("accept, accept-encoding"));
    sent.insert(
        CACHE_CONTROL,
        match state.options.access {
            Access::Public => HeaderValue::from_static("public, max-age=60"),
            Access::Private => HeaderValue::from_static("private, max-age=60"),
        },
    );
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return response;
    }
    sent.insert(CONTENT_TYPE, media_type(rendered, headers));
    if gzip {
        sent.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        *response.body_mut() = Body::from(rendered.gzip.clone());
    } else {
        *response.body_mut() = Body::from(rendered.body.clone());
    }
    response
}

/// Browsers show a feed as its source, unless it comes as plain XML: then its style sheet makes it
/// readable. The bytes are the same.
fn media_type(rendered: &Rendered, headers: &HeaderMap) -> HeaderValue {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_xml = rendered.body.starts_with(b"<?xml");
    let is_browser = accept.contains("text/html") && !accept.contains("application/atom+xml");
    if is_browser && is_xml { HeaderValue::from_static(XML) } else { rendered.media_type.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paths_of_feeds_are_those_that_are_handed_out() {
        for name in [FeedName::Collection("a.example-b".into()), FeedName::Site("a.example".into())]
        {
            for variant in
                [Variant::Digest, Variant::Changes(1), Variant::Changes(2), Variant::Archive(7)]
            {
                for format in ["atom", "rss", "json"] {
                    let path = format!("/{}", name.path(variant, format));
                    assert_eq!(parse(&path), Some((name.clone(), variant, format)), "{path}");
                }
            }
        }
        for path in [
            "/feeds/a",
            "/feeds/a.xml",
            "/other/a.atom",
            "/feeds/a/b.atom",
            "/feeds/a/archive/0.atom",
            "/feeds/a/archive/07.atom",
            "/feeds/a/archive/-1.atom",
            "/feeds/a/archive/x.atom",
        ] {
            assert!(parse(path).is_none(), "{path}");
        }
    }
}
