//! One poll of a webfeed (Webfeeds Specification, "Polling For Updates").
//!
//! The length of the index is asked for, and only if that is another one is it read. Lines that are new
//! are posts, discovered now, whatever anybody says of their age; lines that are gone are posts that are
//! gone, too.

mod corrections;
mod difference;
mod doubt;
mod identity;
mod index;
mod patience;
mod posts;
mod sheets;

use std::collections::HashMap;

use tidings_store::{
    CollectionOutcome, FetchedPost, Kind, Millis, NewChange, NewCollection, NewPost, PostsOutcome,
    Site, Store,
};
use tidings_web::Url;
use tidings_webfeed::Index;

use crate::PollError;
use crate::details::{Details, Webfeed};
use crate::fetch::Fetch;
use crate::key::{change_key, key};
use difference::difference;
use doubt::{Believed, believed};
use index::Seen;
use patience::Patience;
use posts::Wanted;

pub(crate) use identity::{name, whose};
pub(crate) use index::{read, read_plain};
pub(crate) use posts::{is_in_folder, page, taken_apart};

/// How many changes of one poll are recorded one by one.
const MOST_CHANGES: usize = 1_000;
/// What a poll of a webfeed found out.
pub(crate) struct Polled {
    pub(crate) details: Details,
    pub(crate) title: Option<String>,
    pub(crate) collections: Vec<CollectionOutcome>,
    pub(crate) posts: Option<Box<PostsOutcome>>,
    /// What a person should know.
    pub(crate) reason: Option<String>,
    /// After how long there is more to do, if that is before something new is expected.
    pub(crate) wait: Option<Millis>,
}

/// Polls a webfeed. What looks like a mistake is believed once it has been so for as long as `doubt`.
pub(crate) async fn poll(
    store: &Store,
    fetch: &Fetch<'_>,
    site: &Site,
    doubt: Millis,
    now: Millis,
) -> Result<Polled, PollError> {
    let mut details = Details::read(&site.details);
    let mut known = details.webfeed.take().unwrap_or_default();
    let at = Url::parse(&site.url).map_err(|error| PollError::Site(error.to_string()))?;
    let mut outcome = PostsOutcome::default();
    let mut gone = Vec::new();
    let mut reason = None;
    let mut is_edited = false;
    if let Some((index, seen)) = index::look(fetch, &at, &mut known).await? {
        let before = store.post_urls(site.id).await?;
        outcome.is_first = before.is_empty() && known.digest.is_empty();
        let is_full = known.was_full || index.left_out > 0;
        let mut difference = difference(&before, &index, is_full);
        // What there is no room for any more is still in the index.
        let overflow = std::mem::take(&mut difference.overflow);
        is_edited = difference.added.is_empty() && difference.removed.is_empty();
        let held = known.held.take();
        let Believed { added, removed, held, reason: why } = believed(difference, held, now, doubt);
        (outcome.removed, gone) = removed.into_iter().unzip();
        outcome.removed.extend(overflow);
        (outcome.added, known.held, reason) = (added, held, why);
        if known.held.is_none() {
            settle(&mut known, &index, seen);
        }
    }
    let (wanted, rest) = wanted(store, site, &outcome.added, now).await?;
    let mut patience = Patience::new();
    let mut fetched = posts::fetch(fetch, wanted, &at, &mut patience).await;
    let corrections =
        corrections::look_after(store, fetch, site, is_edited, &mut patience, now).await?;
    fetched.sheets.extend(corrections.sheets);
    let sheets = std::mem::take(&mut known.sheets);
    known.sheets = sheets::fetch(fetch, &mut fetched, sheets, &mut patience).await;
    known.retry_at = retry_at(&known, &fetched.posts, now);
    remember_below(&mut known, &fetched.below);
    identity::refresh(store, fetch, site, &at, &mut known, fetched.identity, now).await?;
    let titles: HashMap<&str, Option<&str>> = fetched
        .posts
        .iter()
        .map(|post| {
            (post.url.as_str(), post.result.as_ref().ok().and_then(|one| one.title.as_deref()))
        })
        .collect();
    let collections =
        changes(&at, &known, &outcome.added, &gone, &corrections.fetched, &titles, now);
    drop(titles);
    (outcome.fetched, outcome.styles) = (fetched.posts, fetched.styles);
    outcome.fetched.extend(corrections.fetched);
    outcome.checked = corrections.unchanged;
    let title = name(&known);
    let wait = if rest || fetched.is_cut_short || !known.sheets.is_empty() {
        Some(0)
    } else {
        let held = known.held.as_ref().map(|held| held.since.saturating_add(doubt));
        known.retry_at.into_iter().chain(held).min().map(|at| (at - now).max(0))
    };
    details.webfeed = Some(known);
    let is_news = outcome != PostsOutcome { is_first: outcome.is_first, ..PostsOutcome::default() };
    let posts = is_news.then(|| Box::new(outcome));
    Ok(Polled { details, title, collections, posts, reason, wait })
}

/// When the next post is to be tried again.
fn retry_at(known: &Webfeed, fetched: &[FetchedPost], now: Millis) -> Option<Millis> {
    let failed = fetched.iter().filter_map(|post| post.result.as_ref().err());
    let soonest = failed.map(|failure| now + failure.wait).min();
    soonest.into_iter().chain(known.retry_at.filter(|at| *at > now)).min()
}

/// How many lines are remembered that lead to a post only from the folder of the index.
const MAX_BELOW: usize = 20;

fn remember_below(known: &mut Webfeed, found: &[String]) {
    for line in found {
        if known.below.len() < MAX_BELOW && !known.below.contains(line) {
            known.below.push(line.clone());
        }
    }
}

/// Remembers what an index was known by.
fn settle(known: &mut Webfeed, index: &Index, seen: Seen) {
    (known.length, known.etag, known.digest) = (seen.length, seen.etag, seen.digest);
    known.left_out = index.left_out as u64;
    known.was_full |= index.left_out > 0;
    known.odd =
        index.odd.iter().map(|(line, why)| format!("line {line}: {why}")).take(20).collect();
}

/// The posts to fetch now, the newest first; and whether there are more.
async fn wanted(
    store: &Store,
    site: &Site,
    added: &[NewPost],
    now: Millis,
) -> Result<(Vec<Wanted>, bool), PollError> {
    let most = posts::MOST;
    let waiting = store.posts_waiting(site.id, now, most + 1).await?;
    let added = added.iter().rev().map(|post| Wanted {
        url: post.url.clone(),
        failures: 0,
        is_repost: post.is_repost,
    });
    let waiting = waiting.into_iter().map(|post| Wanted {
        url: post.url,
        failures: post.failures,
        is_repost: post.is_repost,
    });
    let mut wanted: Vec<Wanted> = added.chain(waiting).take(most as usize + 1).collect();
    let has_more = wanted.len() > most as usize;
    wanted.truncate(most as usize);
    Ok((wanted, has_more))
}

/// The webfeed as a collection, and what changed in it.
fn changes(
    at: &Url,
    known: &Webfeed,
    added: &[NewPost],
    gone: &[String],
    corrected: &[FetchedPost],
    titles: &HashMap<&str, Option<&str>>,
    now: Millis,
) -> Vec<CollectionOutcome> {
    if added.is_empty() && gone.is_empty() && corrected.is_empty() {
        return Vec::new();
    }
    let change = |kind: Kind, word: &str, url: &str| NewChange {
        // Who removes a post may bring it back: that is another change.
        key: change_key(&["post", word, url, &now.to_string()]),
        uri: url.to_owned(),
        kind,
        time: now,
        time_text: None,
        title: titles.get(url).copied().flatten().map(str::to_owned),
        note: None,
    };
    let gone = gone.iter().map(|url| change(Kind::Deleted, "gone", url));
    let new = added.iter().map(|post| change(Kind::Created, "new", &post.url));
    let corrected = corrected.iter().map(|post| NewChange {
        title: post.result.as_ref().ok().and_then(|one| one.title.clone()),
        ..change(Kind::Updated, "edited", &post.url)
    });
    let mut changes: Vec<NewChange> = gone.chain(corrected).chain(new).collect();
    let mut more = [0; 3];
    for beyond in changes.drain(..changes.len().saturating_sub(MOST_CHANGES)) {
        more[match beyond.kind {
            Kind::Created => 0,
            Kind::Updated => 1,
            Kind::Deleted => 2,
        }] += 1;
    }
    let collection = collection(at, known);
    vec![CollectionOutcome { collection, changes, more, ..CollectionOutcome::default() }]
}

/// The webfeed as a collection.
pub(crate) fn collection(at: &Url, known: &Webfeed) -> NewCollection {
    NewCollection {
        key: key(at, Some("webfeed")),
        identity: at.to_string(),
        title: name(known),
        author: known.author.clone(),
        about: known.description.clone(),
        progress: "{}".to_owned(),
        ..NewCollection::default()
    }
}
