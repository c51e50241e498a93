//! The reader of webfeeds: a grid of leads, and posts as screens.
//!
//! What others wrote is shown in frames of its own ([`frames`]), which no script runs in, which nothing is
//! loaded into but pictures that came through us ([`pictures`]), and which are of no origin. What is around
//! them are pages as all others.

mod document;
mod effects;
mod feed;
mod frames;
mod grid;
mod links;
mod lists;
mod marks;
mod original;
mod parsed;
mod pictures;
mod post;
mod shelf;
mod tile;

use askama::Template;
use axum::Router;
use axum::body::Body;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderValue, Response};
use axum::routing::{get, post};
use tidings_store::{Millis, Post, Site, State as PostState, Via};
use tidings_syndication::{Details, Webfeed};

use crate::api::Problem;
use crate::frame::show;
use crate::pages::named;
use crate::parts::short;
use crate::state::{Shared, State};
use crate::visitor::{Visitor, Who};

pub(crate) use pictures::Pictures;

/// As that of all pages, and frames of ours.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
    connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; \
    base-uri 'none'";
/// Whose read posts are looked up for somebody whose posts are not marked: nobody's.
const NO_READER: i64 = -1;
/// What a webfeed is called that does not say whose it is.
const UNKNOWN: &str = "(Author unknown)";

/// The pages of the reader, and the frames in them.
pub(crate) fn router() -> Router<Shared> {
    Router::new()
        .route("/webfeeds", get(grid::page))
        .route("/webfeeds.txt", get(lists::export))
        .route("/webfeeds/import", post(lists::import))
        .route("/webfeeds/read", post(marks::all))
        .route("/webfeeds/{key}", get(feed::page))
        .route("/webfeeds/{key}/tiles", post(marks::tiles))
        .route("/webfeeds/posts/{id}", get(post::page))
        .route("/webfeeds/posts/{id}/plain", get(post::plain))
        .route("/webfeeds/posts/{id}/unread", post(marks::unread))
        .route("/webfeeds/posts/{id}/retry", post(marks::retry))
        .route("/webfeeds/posts/{id}/follow", post(original::follow))
        .route("/webfeeds/posts/{id}/lead", get(frames::lead))
        .route("/webfeeds/posts/{id}/sections/{number}", get(frames::section))
        .route("/webfeeds/posts/{id}/text", get(frames::text))
}

/// Pictures are had by whoever got their address from us: frames have no cookies to show.
pub(crate) fn open_router() -> Router<Shared> {
    Router::new().route("/webfeeds/pictures/{mark}/{name}", get(pictures::picture))
}

/// Whose posts are marked as read: that of somebody who is signed in, or whose machine this is.
fn reader(visitor: &Visitor) -> Option<i64> {
    match &visitor.who {
        Who::User(session) => Some(session.user.id),
        Who::Local => Some(0),
        Who::Nobody | Who::Program(_) => None,
    }
}

/// A page that has frames in it.
fn show_framed(page: &impl Template) -> Result<Response<Body>, Problem> {
    let mut response = show(page)?;
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    Ok(response)
}

/// A webfeed by its key.
async fn webfeed(state: &State, key: &str) -> Result<Site, Problem> {
    let site = named(state, key).await?;
    match site.via {
        Via::Webfeed => Ok(site),
        _ => Err(Problem::not_found("this site is followed, but it is no webfeed")),
    }
}

/// A post, and the webfeed that it is in.
async fn post_named(state: &State, id: &str) -> Result<(Post, Site), Problem> {
    let gone = || {
        Problem::not_found(
            "there is no such post; authors may take posts back, and then they are gone here, too",
        )
    };
    let id = id.parse().map_err(|_| gone())?;
    let post = state.store.post(id).await?.ok_or_else(gone)?;
    let site = state.store.site_by_id(post.site_id).await?.ok_or_else(gone)?;
    Ok((post, site))
}

/// What is known of a webfeed.
fn details(site: &Site) -> Webfeed {
    Details::read(&site.details).webfeed.unwrap_or_default()
}

/// Whose webfeed it is.
fn author_of(site: &Site, details: &Webfeed) -> String {
    let said = [details.author.as_deref(), site.title.as_deref()];
    let said = said.into_iter().flatten().map(str::trim).find(|name| !name.is_empty());
    said.map_or_else(|| UNKNOWN.to_owned(), |name| short(name, 100))
}

/// Who wrote a post, if that is not whose webfeed it is in.
fn writer_of(post: &Post, author: &str) -> Option<String> {
    let said = post.author.as_deref().map(str::trim).filter(|name| !name.is_empty());
    match said {
        Some(name) if name != author => Some(short(name, 100)),
        None if post.is_repost => Some(UNKNOWN.to_owned()),
        _ => None,
    }
}

/// What a post is called: if it does not say so, by where it is.
fn title_of(post: &Post) -> String {
    let title = post.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let place = post.url.split_once("://").map_or(post.url.as_str(), |(_, place)| place);
    short(title.unwrap_or(place), 120)
}

/// What is said of a post that cannot be shown.
fn trouble(post: &Post) -> Option<String> {
    match post.state {
        PostState::Well => None,
        PostState::Failing | PostState::PartlyFailing => {
            let reason = post.reason.as_deref().unwrap_or("it could not be fetched");
            Some(short(reason, 300))
        }
        PostState::New | PostState::Paused if post.is_forgotten => {
            Some("It is no longer kept here: newer posts of this webfeed took its room".to_owned())
        }
        PostState::New | PostState::Paused => Some("Not fetched yet".to_owned()),
    }
}

/// A place in a grid as it stands in an address.
fn cursor((seen_at, place, id): (Millis, i64, i64)) -> String {
    format!("{seen_at}.{place}.{id}")
}

/// The same, read; none if it is not one.
fn cursor_of(text: &str) -> Option<(Millis, i64, i64)> {
    let mut parts = text.split('.').map(|part| part.parse::<i64>().ok());
    let read = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_grid_is_read_as_it_was_written() {
        assert_eq!(
            cursor_of(&cursor((1_700_000_000_000, 7, 42))),
            Some((1_700_000_000_000, 7, 42))
        );
        for bad in
            ["", "1", "1.2", "1.2.3.4", "a.b.c", "1..3", "1.2.3;", "1.2.99999999999999999999"]
        {
            assert_eq!(cursor_of(bad), None, "{bad}");
        }
    }
}
