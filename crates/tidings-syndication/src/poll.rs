//! One poll of one site.

mod adoption;
mod entry_moves;
mod own_feed;
mod page_by_page;
mod sitemaps;
mod source;
mod source_documents;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tidings_store::{
    CollectionOutcome, Lease, Millis, Outcome, PostsOutcome, Site, SiteMove, Snapshot, State,
    Store, Via,
};
use tidings_web::Url;

use crate::details::Details;
use crate::fetch::Fetch;
use crate::schedule::{Pacing, spread};
use crate::{PollError, page, webfeed};

/// How often a site is looked at as a whole: titles, the quality of its documents, and by what else its
/// changes could be known.
const LOOK_AGAIN: Millis = 24 * 60 * 60 * 1000;

/// What a poll found out, before it is known when the next one is.
struct News {
    details: Option<Details>,
    title: Option<String>,
    collections: Vec<CollectionOutcome>,
    snapshot: Option<Snapshot>,
    /// Set if the site is followed by other means from now on.
    moved: Option<Box<SiteMove>>,
    posts: Option<Box<PostsOutcome>>,
    /// After how long there is more to do, if that is before something new is expected.
    sooner: Option<Millis>,
    reason: Option<String>,
    /// True if some of the collections could not be had.
    is_partial: bool,
    /// How long the server asked us to wait, though not all failed.
    retry_after: Option<Duration>,
}

impl News {
    fn nothing() -> Self {
        Self {
            details: None,
            title: None,
            collections: Vec::new(),
            snapshot: None,
            moved: None,
            posts: None,
            sooner: None,
            reason: None,
            is_partial: false,
            retry_after: None,
        }
    }
}

/// Polls a site. Whatever goes wrong is part of the outcome; no change is made of an error.
pub(crate) async fn poll(
    store: &Store,
    fetch: &Fetch<'_>,
    lease: &Lease,
    site: &Site,
    pacing: &Pacing,
    now: Millis,
) -> Outcome {
    let begun = Instant::now();
    let news = look(store, fetch, lease, site, pacing, now).await;
    let outcome = match news {
        Ok(news) => {
            let moments = moments(&news.collections);
            let interval = pacing.after(site, moments, now);
            let sooner = news.sooner.map(|wait| wait.max(pacing.shortest));
            let wait = sooner.unwrap_or(interval).min(interval);
            let asked = pacing.asked(news.retry_after);
            Outcome {
                site_id: site.id,
                state: if news.is_partial { State::PartlyFailing } else { State::Well },
                reason: news.reason,
                failures: 0,
                interval,
                wait: spread(wait).max(asked),
                title: news.title,
                details: news.details.map(|details| details.write()),
                collections: news.collections,
                snapshot: news.snapshot,
                moved: news.moved,
                posts: news.posts,
                requests: 0,
                took: 0,
            }
        }
        Err(error) => {
            let failures = site.failures + 1;
            let wait = spread(pacing.back_off(failures));
            // What a server asks for is never cut short.
            let wait = wait.max(pacing.asked(error.retry_after()));
            Outcome {
                site_id: site.id,
                state: State::Failing,
                reason: Some(error.to_string()),
                failures,
                interval: site.interval,
                wait,
                title: None,
                details: None,
                collections: Vec::new(),
                snapshot: None,
                moved: None,
                posts: None,
                requests: 0,
                took: 0,
            }
        }
    };
    let took = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
    Outcome { requests: fetch.requests(), took, ..outcome }
}

/// At how many different times something changed.
fn moments(collections: &[CollectionOutcome]) -> u64 {
    let changes = collections.iter().flat_map(|outcome| &outcome.changes);
    changes.map(|change| change.time).collect::<HashSet<_>>().len() as u64
}

async fn look(
    store: &Store,
    fetch: &Fetch<'_>,
    lease: &Lease,
    site: &Site,
    pacing: &Pacing,
    now: Millis,
) -> Result<News, PollError> {
    let mut news = match site.via {
        Via::ResourceSync => source::poll(store, fetch, lease, site, now).await?,
        Via::Sitemap => sitemaps::poll(store, fetch, lease, site, now).await?,
        Via::Webfeed => {
            let polled = webfeed::poll(store, fetch, site, pacing.doubt, now).await?;
            News {
                details: Some(polled.details),
                title: polled.title,
                collections: polled.collections,
                posts: polled.posts,
                reason: polled.reason,
                sooner: polled.wait,
                ..News::nothing()
            }
        }
        Via::Pages => page_by_page::poll(store, fetch, lease, site, now).await?,
        Via::Feed => own_feed::poll(store, fetch, lease, site, now).await?,
    };
    only_new(store, site, &mut news.collections).await?;
    if site.settings.titles > 0 && matches!(site.via, Via::ResourceSync | Via::Sitemap) {
        let changes = news.collections.iter_mut().flat_map(|outcome| &mut outcome.changes);
        page::look_at(store, fetch, site, changes.collect()).await;
    }
    Ok(news)
}

/// Leaves out what is recorded already, so that nobody is asked for its title again.
async fn only_new(
    store: &Store,
    site: &Site,
    outcomes: &mut [CollectionOutcome],
) -> Result<(), PollError> {
    if outcomes.iter().all(|outcome| outcome.changes.is_empty()) {
        return Ok(());
    }
    let collections = store.collections(site.id).await?;
    for outcome in outcomes.iter_mut().filter(|outcome| !outcome.changes.is_empty()) {
        let identity = &outcome.collection.identity;
        let Some(collection) = collections.iter().find(|one| one.identity == *identity) else {
            continue;
        };
        // What is not wanted is neither recorded nor looked at.
        if collection.is_muted {
            outcome.changes.clear();
            outcome.more = [0; 3];
            continue;
        }
        let keys: Vec<[u8; 16]> = outcome.changes.iter().map(|change| change.key).collect();
        let known: HashSet<[u8; 16]> =
            store.known(collection.id, &keys).await?.into_iter().collect();
        let is_forgotten = |time| collection.forgotten_until.is_some_and(|until| time <= until);
        outcome.changes.retain(|change| !known.contains(&change.key) && !is_forgotten(change.time));
    }
    Ok(())
}

/// Whether a poll finds out by what else the changes of a site could be known: once a day, and when a person asks
/// for a poll. The first one comes right after that was found out.
fn is_time_to_look(fetch: &Fetch<'_>, site: &Site, details: &Details, now: Millis) -> bool {
    now - details.looked_at >= LOOK_AGAIN || fetch.is_by_hand() && site.polled_at.is_some()
}

/// The URL that the site was followed by.
fn asked(site: &Site, details: &Details) -> Result<Url, PollError> {
    let asked = Url::parse(&details.asked).or_else(|_| Url::parse(&site.url));
    asked.map_err(|error| PollError::Site(format!("{}: {error}", site.url)))
}
