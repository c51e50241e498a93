//! Following whoever wrote a post that somebody else reposted.

use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Response};
use tidings_http::listener::Peer;
use tidings_store::{Followed, Role};
use tidings_syndication::{FollowError, Wishes};
use tidings_web::Url;

use super::post_named;
use crate::access::address_of;
use crate::api::Problem;
use crate::frame::go;
use crate::pages::Asking;
use crate::posted::Posted;
use crate::state::{Shared, State as ServerState};

/// Follows the webfeed that the original of a repost is in.
pub(super) async fn follow(
    State(state): State<Shared>,
    Extension(peer): Extension<Peer>,
    visitor: Asking,
    Path(id): Path<String>,
    headers: HeaderMap,
    _form: Posted,
) -> Result<Response<Body>, Problem> {
    visitor.must(Role::Editor)?;
    let (post, _) = post_named(&state, &id).await?;
    state.limits.take(address_of(&state, &headers, peer)).map_err(Problem::too_often)?;
    let wishes = Wishes { webfeed: true, ..Wishes::default() };
    // Its address is of somebody else's webfeed: nobody typed it.
    let followed = follow_around(&state, &post.url, &wishes).await?;
    state.worker.wake.notify_one();
    let key = &followed.site.key;
    if followed.is_new {
        state.did(&visitor, "follow", &followed.site.url, key).await;
    }
    let said = if followed.is_new { "followed" } else { "known" };
    Ok(go(&state, &format!("webfeeds/{key}?said={said}")))
}

/// Follows the webfeed that a post belongs to: the one that it offers, or the one in its folder or at the
/// root of its host.
async fn follow_around(
    state: &ServerState,
    post: &str,
    wishes: &Wishes,
) -> Result<Followed, FollowError> {
    let error = match state.follower.follow(post, wishes, false).await {
        Ok(followed) => return Ok(followed),
        Err(error) => error,
    };
    let Ok(at) = Url::parse(post) else { return Err(error) };
    for place in ["index.txt", "/index.txt"] {
        let Ok(index) = at.join(place) else { continue };
        if let Ok(followed) = state.follower.follow(index.as_str(), wishes, false).await {
            return Ok(followed);
        }
    }
    Err(error)
}
