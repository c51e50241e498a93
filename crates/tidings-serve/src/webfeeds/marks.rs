//! What readers do with posts: read, not read, try again, and how many tiles a webfeed has.

use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Response};
use tidings_http::listener::Peer;
use tidings_store::{Role, Settings};

use super::{post_named, reader, webfeed};
use crate::access::address_of;
use crate::api::Problem;
use crate::frame::go;
use crate::pages::Asking;
use crate::posted::Posted;
use crate::state::Shared;
use crate::visitor::Visitor;

/// Who reads, if what they read is marked.
fn must_read(visitor: &Visitor) -> Result<i64, Problem> {
    let nobody = || Problem::unauthorized("sign in: then it is known what you have read");
    reader(visitor).ok_or_else(nobody)
}

/// Marks all posts as read that there were when the page was made: of one webfeed, or of all.
pub(super) async fn all(
    State(state): State<Shared>,
    visitor: Asking,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    let reader = must_read(&visitor)?;
    let now = state.store.now().await?;
    let until = form.get("until").parse().map_err(|_| Problem::bad("until: give a time"))?;
    let key = form.get("key");
    let site = if key.is_empty() { None } else { Some(webfeed(&state, key).await?) };
    let site_id = site.as_ref().map(|site| site.id);
    state.store.mark_all_posts(reader, site_id, now.min(until)).await?;
    let to = site.map(|site| format!("/{}", site.key)).unwrap_or_default();
    Ok(go(&state, &format!("webfeeds{to}?said=all-read")))
}

/// Marks a post as not read.
pub(super) async fn unread(
    State(state): State<Shared>,
    visitor: Asking,
    Path(id): Path<String>,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    let reader = must_read(&visitor)?;
    let (post, site) = post_named(&state, &id).await?;
    state.store.mark_posts(reader, &[post.id], false).await?;
    let to = back(form.get("from"), &site.key, post.id, "?said=unread");
    Ok(go(&state, &to))
}

/// Fetches a post again, with the next poll of its webfeed, which is now.
pub(super) async fn retry(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    visitor: Asking,
    Path(id): Path<String>,
    headers: HeaderMap,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let (post, site) = post_named(&state, &id).await?;
    state.limits.take(address_of(&state, &headers, peer)).map_err(Problem::too_often)?;
    state.store.retry_post(post.id).await?;
    state.store.make_due(&site.key).await?;
    state.worker.wake.notify_one();
    state.did(&visitor, "fetch again", &post.url, &site.key).await;
    let to = back(form.get("from"), &site.key, post.id, "?said=retrying");
    Ok(go(&state, &to))
}

/// Sets how many tiles a webfeed has a day.
pub(super) async fn tiles(
    State(state): State<Shared>,
    visitor: Asking,
    Path(key): Path<String>,
    form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let site = webfeed(&state, &key).await?;
    let most = Settings::MOST_TILES;
    let tiles = form.get("tiles").parse().ok().filter(|tiles| *tiles <= most);
    let wrong = || Problem::bad(format!("tiles: give a number from 0 to {most}"));
    let tiles: u32 = tiles.ok_or_else(wrong)?;
    if !state.store.set_tiles(&key, tiles).await? {
        return Err(Problem::not_found("this webfeed is not followed any more"));
    }
    state.did(&visitor, "settings", &site.url, &format!("{tiles} tiles a day")).await;
    Ok(go(&state, &format!("webfeeds/{key}?said=saved")))
}

/// The place in the grid that somebody came from, below the root.
pub(super) fn back(from: &str, key: &str, id: i64, said: &str) -> String {
    match from {
        "feed" => format!("webfeeds/{key}{said}#p{id}"),
        _ => format!("webfeeds{said}#p{id}"),
    }
}
