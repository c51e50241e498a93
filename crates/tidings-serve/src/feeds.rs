//! Sends feeds.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::Query;
use axum::http::header::{
    ACCEPT, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, LAST_MODIFIED, LOCATION,
    VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, Uri};
use jiff::Timestamp;
use tidings_feed::FeedFormat;
use tidings_http::conditional::{is_known, takes_gzip};
use tidings_syndication::{FeedName, FeedQuery, Retired, Variant, export_feeds, export_sites};

use crate::api::Problem;
use crate::cache::Rendered;
use crate::filter::Filter;
use crate::options::Access;
use crate::state::State;

const XML: &str = "application/xml; charset=utf-8";
const OPML: &str = "text/x-opml; charset=utf-8";

/// A feed, by the URL that was asked for; none if that is not a feed's.
pub(crate) async fn feed(
    state: &State,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Option<Response<Body>>, Problem> {
    let path = uri.path();
    let asked = if uri.query().is_none() { None } else { asked_for(uri)? };
    // The same filter is the same document, in whichever order it was written.
    let key = asked.as_ref().map(|filter| format!("{path}{}", filter.whole_query()));
    let key = key.as_deref().unwrap_or(path);
    if let Some(rendered) = state.cache.fresh(key, &state.worker.changed) {
        return Ok(Some(answer(state, &rendered, headers)));
    }
    let begun = Instant::now();
    let Some((name, variant, format)) = parse(path) else { return Ok(None) };
    let query = match name {
        FeedName::Search(id) => match saved(state, id, asked).await? {
            Some(query) => Some(query),
            None => return Ok(None),
        },
        _ => asked.map(|filter| feed_query(&filter)),
    };
    let feed = state.desk.feed(&name, variant, format, query.as_ref()).await?;
    let Some((feed, modified)) = feed else {
        return retired(state, &name, variant, format, query.as_ref()).await;
    };
    // A large feed takes a while to be written and compressed.
    let written = tokio::task::spawn_blocking(move || {
        Rendered::new(format.write(&feed), format.content_type(), modified)
    });
    let broken =
        |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the feed could not be written");
    let rendered = state.cache.keep(key, begun, written.await.map_err(broken)?);
    Ok(Some(answer(state, &rendered, headers)))
}

/// What is answered where a feed was: the way to the one that goes on with it (301), or that it is gone
/// (410).
async fn retired(
    state: &State,
    name: &FeedName,
    variant: Variant,
    format: FeedFormat,
    query: Option<&FeedQuery>,
) -> Result<Option<Response<Body>>, Problem> {
    let target = match state.desk.retired(name).await? {
        None => return Ok(None),
        Some(Retired::Gone) => {
            let reason = "its site is not followed any more";
            return Err(Problem::new(StatusCode::GONE, reason));
        }
        Some(Retired::Moved(target)) => target,
    };
    // Other feeds have other archives.
    let variant =
        if let Variant::Changes(_) = variant { Variant::Changes(1) } else { Variant::Digest };
    let filter = query.map_or("", |query| &query.text);
    let location = format!("{}{}{filter}", state.root, target.path(variant, format));
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    let value = HeaderValue::try_from(location);
    let broken = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the feed has an odd name");
    response.headers_mut().insert(LOCATION, value.map_err(broken)?);
    let keep = HeaderValue::from_static("private, max-age=3600");
    response.headers_mut().insert(CACHE_CONTROL, keep);
    Ok(Some(response))
}

/// The filter in the URL of a feed; none if there is none. What is no filter is somebody else's, and is not
/// looked at; a filter that cannot be read must not show everything.
fn asked_for(uri: &Uri) -> Result<Option<Filter>, Problem> {
    let Query(filter) = Query::<Filter>::try_from_uri(uri)
        .map_err(|error| Problem::bad(format!("the query of the feed: {error}")))?;
    if let Some(problem) = filter.problem() {
        return Err(Problem::bad(problem));
    }
    Ok((filter.is_on() || filter.cursor().is_some()).then_some(filter))
}

fn feed_query(filter: &Filter) -> FeedQuery {
    FeedQuery {
        filter: filter.of(None),
        text: if filter.is_on() { filter.query() } else { String::new() },
        words: filter.words(),
        before: filter.cursor(),
        title: None,
    }
}

/// What a saved search searches for, from where on it was asked for.
async fn saved(
    state: &State,
    id: i64,
    asked: Option<Filter>,
) -> Result<Option<FeedQuery>, Problem> {
    let Some(saved) = state.store.saved_search(id).await? else { return Ok(None) };
    let filter = Filter::read(&saved.query);
    let before = asked.as_ref().and_then(Filter::cursor);
    Ok(Some(FeedQuery { title: Some(saved.name), before, ..feed_query(&filter) }))
}

/// The lists of subscriptions that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// All feeds, for those who want to read them all.
    Feeds,
    /// The sites and how they are followed, for another Tidings.
    Sites,
}

/// A list of subscriptions.
pub(crate) async fn opml(
    state: &State,
    list: List,
    headers: &HeaderMap,
) -> Result<Response<Body>, Problem> {
    let path = match list {
        List::Feeds => "/feeds.opml",
        List::Sites => "/sites.opml",
    };
    let begun = Instant::now();
    if let Some(rendered) = state.cache.fresh(path, &state.worker.changed) {
        return Ok(answer(state, &rendered, headers));
    }
    let opml = match list {
        List::Feeds => export_feeds(&state.store, &state.base).await?,
        List::Sites => export_sites(&state.store).await?,
    };
    let rendered = Rendered::new(opml.write(None), OPML, Timestamp::now());
    let rendered = state.cache.keep(path, begun, rendered);
    Ok(answer(state, &rendered, headers))
}

/// What the path of a feed says: whose it is, which of its forms, and in which format.
fn parse(path: &str) -> Option<(FeedName, Variant, FeedFormat)> {
    let (mut folder, mut rest) = path.strip_prefix('/')?.split_once('/')?;
    if folder == "feeds"
        && let Some((inner @ ("users" | "searches"), number)) = rest.split_once('/')
    {
        (folder, rest) = (inner, number);
    }
    let (stem, format) = rest.rsplit_once('.')?;
    let format = FeedFormat::from_extension(format)?;
    let (key, variant) = match stem.split_once('/') {
        None => (stem, Variant::Digest),
        Some((key, "changes")) => (key, Variant::Changes(1)),
        Some((key, part)) => {
            let (what, number) = part.split_once('/')?;
            let number = plain_number(number)?;
            match what {
                "archive" => (key, Variant::Archive(number)),
                "changes" if number > 1 => (key, Variant::Changes(number)),
                _ => return None,
            }
        }
    };
    let name = match folder {
        "feeds" if key == "all" => FeedName::All,
        "users" if path.starts_with("/feeds/") => FeedName::User(plain_number(key)?),
        "searches" if path.starts_with("/feeds/") => FeedName::Search(plain_number(key)?),
        "feeds" => FeedName::Collection(key.to_owned()),
        "sites" => FeedName::Site(key.to_owned()),
        _ => return None,
    };
    Some((name, variant, format))
}

/// A number as it is written in one way only: one document has one name.
fn plain_number(text: &str) -> Option<i64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    text.parse().ok().filter(|_| is_plain)
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
    share(state, sent);
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

/// Lets the pages of other sites read a feed, where everybody may. What only this machine can reach is not
/// for them: it would tell any page in its browser what is followed here.
fn share(state: &State, headers: &mut HeaderMap) {
    let is_for_all =
        state.options.access == Access::Public && (!state.is_local || state.is_proxied);
    if !is_for_all {
        return;
    }
    for (name, value) in [
        ("access-control-allow-origin", "*"),
        ("access-control-expose-headers", "etag, last-modified, link"),
        ("cross-origin-resource-policy", "cross-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// The answer to a browser that asks what a page of another site may ask for.
pub(crate) fn preflight(state: &State) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    share(state, headers);
    if headers.contains_key("access-control-allow-origin") {
        for (name, value) in [
            ("access-control-allow-methods", "GET, HEAD"),
            ("access-control-allow-headers", "if-none-match, if-modified-since"),
            ("access-control-max-age", "86400"),
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
    }
    headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS"));
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
        for name in [
            FeedName::Collection("a.example-b".into()),
            FeedName::Site("a.example".into()),
            FeedName::All,
            FeedName::User(7),
            FeedName::Search(12),
        ] {
            for variant in
                [Variant::Digest, Variant::Changes(1), Variant::Changes(2), Variant::Archive(7)]
            {
                for format in FeedFormat::ALL {
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
            "/feeds/users/07.atom",
            "/feeds/users/x.atom",
            "/users/7.atom",
            "/searches/7.atom",
        ] {
            assert!(parse(path).is_none(), "{path}");
        }
    }
}
