//! Whose webfeed it is.

use tidings_store::{Millis, Site, Store};
use tidings_web::Url;
use tidings_webfeed::{Identity, Index};

use super::posts::{is_in_folder, page, taken_apart};
use crate::PollError;
use crate::details::Webfeed;
use crate::fetch::Fetch;

/// How many of the newest posts are looked at to find one of the folder.
const MAX_POSTS_LOOKED_AT: usize = 100;
/// How often that is looked up, if there is news.
const LOOK_AGAIN: Millis = 24 * 60 * 60 * 1000;

/// Looks up whose it is, if that is due, or if it is not known from where that is known: in the document of
/// the folder, else in the newest post of the folder.
pub(super) async fn refresh(
    store: &Store,
    fetch: &Fetch<'_>,
    site: &Site,
    at: &Url,
    known: &mut Webfeed,
    newest: Option<(Identity, String)>,
    now: Millis,
) -> Result<(), PollError> {
    let folder = Index::folder(at);
    let is_own = |from: &String| Url::parse(from).is_ok_and(|from| is_in_folder(&from, at));
    let is_sure = known.identity_from.as_ref().is_some_and(is_own);
    let is_due = now - known.looked_at >= LOOK_AGAIN || known.author.is_none();
    let is_wrong = !is_sure && (known.author.is_some() || newest.is_some());
    if !(is_wrong || is_due && newest.is_some()) {
        return Ok(());
    }
    let newest = match newest {
        None => newest_known(store, site, at).await?,
        newest => newest,
    };
    let own = whose(fetch, at).await;
    let from_newest =
        newest.as_ref().filter(|(newest, _)| own.author.is_none() && newest.author.is_some());
    let from = from_newest.map_or_else(|| folder.to_string(), |(_, from)| from.clone());
    let identity = own.or(newest.map(|(identity, _)| identity).unwrap_or_default());
    // Who was named by a page that is not of the folder is somebody else.
    let keep = |new: Option<String>, old: Option<String>| new.or(old.filter(|_| is_sure));
    known.author = keep(identity.author, known.author.take());
    known.description = keep(identity.description, known.description.take());
    known.icon = keep(identity.icon.map(String::from), known.icon.take());
    (known.looked_at, known.identity_from) = (now, Some(from));
    Ok(())
}

/// Whose the newest post of the folder is, of those that were read before.
async fn newest_known(
    store: &Store,
    site: &Site,
    at: &Url,
) -> Result<Option<(Identity, String)>, PollError> {
    let posts = store.post_urls(site.id).await?;
    for (id, url) in posts.iter().rev().take(MAX_POSTS_LOOKED_AT) {
        let Some(place) = Url::parse(url).ok().filter(|place| is_in_folder(place, at)) else {
            continue;
        };
        if let Some(text) = store.post_text(*id).await? {
            let (post, _) = taken_apart(text.text, &place).await;
            return Ok(Some((post.identity, url.clone())));
        }
    }
    Ok(None)
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
