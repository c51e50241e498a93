//! A webfeed: named itself, or by a page that offers it.

use tidings_store::Via;
use tidings_web::Url;
use tidings_webfeed::{Identity, Index, Line};

use super::Found;
use crate::PollError;
use crate::details::{Details, Webfeed};
use crate::fetch::Fetch;
use crate::webfeed::{collection, is_in_folder, name, page, read, read_plain, taken_apart, whose};

/// How many of its posts are looked at to know what it is: of any text, and of what is said to be one.
const MOST_TRIED: usize = 5;
const MOST_TRIED_IF_MEANT: usize = 30;

/// The webfeed whose index is at a place; or why that is none. If it `is_meant` to be one, more is done to
/// find out.
pub(super) async fn webfeed_at(
    fetch: &Fetch<'_>,
    at: &Url,
    details: Details,
    is_meant: bool,
) -> Result<Found, PollError> {
    let index = read(fetch, at).await?;
    if index.lines.is_empty() && at.path().ends_with("/index.txt") {
        // Somebody who has not written anything yet can be followed all the same.
        return Ok(with_posts_of(fetch, at, details, Identity::default()).await);
    }
    let most = if is_meant { MOST_TRIED_IF_MEANT } else { MOST_TRIED };
    let lines = index.lines.iter().rev();
    // Those of somebody else say less of it.
    let (own, reposts): (Vec<_>, Vec<_>) = lines.partition(|line| !line.is_repost);
    let identity = newest(fetch, &index, own.into_iter().chain(reposts).take(most), at).await?;
    Ok(with_posts_of(fetch, at, details, identity).await)
}

/// The webfeed whose index is at its usual place, though nobody names it: a plain text of nothing but addresses, of
/// whose newest own ones at least one leads to a page of sections.
pub(super) async fn unnamed_webfeed(
    fetch: &Fetch<'_>,
    page: &Url,
    details: Details,
) -> Option<Found> {
    let at = usual(page)?;
    let index = read_plain(fetch, &at).await.ok()??;
    let own = index.lines.iter().rev().filter(|line| !line.is_repost);
    if !index.odd.is_empty() {
        return None;
    }
    let identity = newest(fetch, &index, own.take(MOST_TRIED), &at).await.ok()?;
    Some(with_posts_of(fetch, &at, details, identity).await)
}

/// A webfeed, whose it is unless its folder says something else.
async fn with_posts_of(
    fetch: &Fetch<'_>,
    at: &Url,
    mut details: Details,
    newest: Identity,
) -> Found {
    let Identity { author, description, icon } = whose(fetch, at).await.or(newest);
    let known = Webfeed { author, description, icon: icon.map(String::from), ..Webfeed::default() };
    let collections = vec![collection(at, &known)];
    let title = name(&known);
    details.webfeed = Some(known);
    Found {
        via: Via::Webfeed,
        url: at.clone(),
        title,
        details,
        collections,
        tried: Vec::new(),
        missing: Vec::new(),
    }
}

/// Whose the first of these posts is that is one. Any text may look like addresses, and a text file of addresses may
/// be a Sitemap: it is a webfeed if there is a page of sections behind it.
async fn newest(
    fetch: &Fetch<'_>,
    index: &Index,
    lines: impl Iterator<Item = &Line>,
    at: &Url,
) -> Result<Identity, PollError> {
    let none = |reason: &str| PollError::Document { url: at.clone(), reason: reason.to_owned() };
    if index.lines.is_empty() {
        return Err(none("names no post"));
    }
    if index.odd.len() > index.lines.len() {
        return Err(none("is a text, and no list of addresses"));
    }
    let mut why = None;
    for line in lines {
        match page(fetch, &line.url).await {
            Ok((whole, text)) => {
                let (post, _) = taken_apart(text, &whole.url).await;
                if !post.sections.is_empty() {
                    let is_own = !line.is_repost && is_in_folder(&whole.url, at);
                    let own = Some(post.identity).filter(|_| is_own);
                    return Ok(own.unwrap_or_default());
                }
                why.get_or_insert(format!("{} has no section", line.url));
            }
            Err(error) => {
                why.get_or_insert(error.to_string());
            }
        }
    }
    let why = why.unwrap_or_default();
    Err(none(&format!("is a list of addresses, but none of the newest leads to a post: {why}")))
}

/// The webfeeds that a page offers (`<a data-webfeed-href>`).
pub(super) async fn offers(fetch: &Fetch<'_>, at: &Url) -> Vec<Url> {
    match page(fetch, at).await {
        Ok((whole, text)) => taken_apart(text, &whole.url).await.0.offers,
        Err(_) => Vec::new(),
    }
}

/// Where the index of a webfeed may be if nobody says so.
pub(super) fn usual(at: &Url) -> Option<Url> {
    Index::folder(at).join("index.txt").ok().filter(|usual| usual != at)
}
