//! Whose webfeed it is.

use tidings_store::Millis;
use tidings_web::Url;
use tidings_webfeed::{Identity, Index};

use super::posts::{page, taken_apart};
use crate::details::Webfeed;
use crate::fetch::Fetch;

/// How often that is looked up, if there is news.
const LOOK_AGAIN: Millis = 24 * 60 * 60 * 1000;

/// Looks up whose it is, if that is due: in the document of the folder, else in the newest post.
pub(super) async fn refresh(
    fetch: &Fetch<'_>,
    at: &Url,
    known: &mut Webfeed,
    newest: Identity,
    now: Millis,
) {
    if known.looked_at > 0 && now - known.looked_at < LOOK_AGAIN && known.author.is_some() {
        return;
    }
    known.looked_at = now;
    let identity = whose(fetch, at).await.or(newest);
    known.author = identity.author.or(known.author.take());
    known.description = identity.description.or(known.description.take());
    known.icon = identity.icon.map(String::from).or(known.icon.take());
}

/// What the document of the folder says.
pub(crate) async fn whose(fetch: &Fetch<'_>, at: &Url) -> Identity {
    let folder = Index::folder(at);
    if folder == *at {
        return Identity::default();
    }
    match page(fetch, &folder).await {
        Ok((whole, text)) => taken_apart(text, &whole.url).await.0.identity,
        Err(_) => Identity::default(),
    }
}

/// What a webfeed is called.
pub(crate) fn name(known: &Webfeed) -> Option<String> {
    known.author.clone()
}
