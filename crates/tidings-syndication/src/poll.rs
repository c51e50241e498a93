//! One poll of one site.

use std::collections::HashSet;
use std::time::Instant;

use tidings_store::{
    Collection, CollectionOutcome, Lease, Millis, NewCollection, Outcome, Site, Snapshot, State,
    Store, Via,
};
use tidings_web::Url;

use crate::collector::Collector;
use crate::details::{Details, Progress};
use crate::fetch::Fetch;
use crate::find::{Found, find};
use crate::schedule::{Pacing, spread};
use crate::{PollError, change_list, feed_taken, page, sitemap};

/// How often it is looked for new collections, and for those that are gone.
const LOOK_AGAIN: Millis = 24 * 60 * 60 * 1000;
/// The same, if that failed.
const LOOK_SOON: Millis = 60 * 60 * 1000;

/// What a poll found out, before it is known when the next one is.
struct News {
    details: Option<Details>,
    title: Option<String>,
    collections: Vec<CollectionOutcome>,
    snapshot: Option<Snapshot>,
    reason: Option<String>,
}

impl News {
    fn nothing() -> Self {
        Self { details: None, title: None, collections: Vec::new(), snapshot: None, reason: None }
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
    let news = look(store, fetch, lease, site, now).await;
    let outcome = match news {
        Ok(news) => {
            let moments = moments(&news.collections);
            let interval = pacing.after(site, moments, now);
            Outcome {
                site_id: site.id,
                state: State::Well,
                reason: news.reason,
                failures: 0,
                interval,
                wait: spread(interval),
                title: news.title,
                details: news.details.map(|details| details.write()),
                collections: news.collections,
                snapshot: news.snapshot,
                requests: 0,
                took: 0,
            }
        }
        Err(error) => {
            let failures = site.failures + 1;
            Outcome {
                site_id: site.id,
                state: State::Failing,
                reason: Some(error.to_string()),
                failures,
                interval: site.interval,
                wait: pacing.back_off(failures, error.retry_after()),
                title: None,
                details: None,
                collections: Vec::new(),
                snapshot: None,
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
    now: Millis,
) -> Result<News, PollError> {
    let mut news = match site.via {
        Via::ResourceSync => resourcesync(store, fetch, site, now).await?,
        Via::Sitemap => {
            let mut details = Details::read(&site.details);
            let before = (details.snapshots, details.held, details.looked_at);
            let mut reason = None;
            if now - details.looked_at >= LOOK_AGAIN {
                reason = sitemaps_again(fetch, site, &mut details, now).await?;
            }
            let compared =
                sitemap::poll(store, fetch, site, &mut details, lease.generation, now).await?;
            let is_other = before != (details.snapshots, details.held, details.looked_at);
            News {
                details: is_other.then_some(details),
                collections: compared.collections,
                snapshot: compared.snapshot,
                reason: compared.reason.or(reason),
                title: None,
            }
        }
        Via::Feed => {
            let mut details = Details::read(&site.details);
            match feed_taken::poll(fetch, &mut details, now).await? {
                Some(outcome) => News {
                    title: outcome.collection.title.clone(),
                    details: Some(details),
                    collections: vec![outcome],
                    snapshot: None,
                    reason: None,
                },
                None => News::nothing(),
            }
        }
    };
    only_new(store, site, &mut news.collections).await?;
    for outcome in &mut news.collections {
        if site.settings.titles > 0 && site.via != Via::Feed {
            page::look_at(store, fetch, site, &mut outcome.changes).await;
        }
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
        let keys: Vec<[u8; 16]> = outcome.changes.iter().map(|change| change.key).collect();
        let known: HashSet<[u8; 16]> =
            store.known(collection.id, &keys).await?.into_iter().collect();
        outcome.changes.retain(|change| !known.contains(&change.key));
    }
    Ok(())
}

/// The steps of IFCC-0001, "Checking for Updates". Steps 1 and 2, which say where the Change Lists are,
/// are done once a day, and when a list is not where it was.
async fn resourcesync(
    store: &Store,
    fetch: &Fetch<'_>,
    site: &Site,
    now: Millis,
) -> Result<News, PollError> {
    let mut collections = store.collections(site.id).await?;
    let mut details = Details::read(&site.details);
    let mut news = News::nothing();
    let mut has_looked = now - details.looked_at >= LOOK_AGAIN;
    if has_looked {
        let found = again(fetch, site, &mut details, &mut collections, &mut news, now).await;
        // Its Change Lists may well be there.
        news.reason = found.err().map(|error| error.to_string());
    }
    let mut first_error = None;
    let mut polled = 0;
    let mut index = 0;
    while let Some(collection) = collections.get(index) {
        index += 1;
        if collection.is_gone {
            continue;
        }
        let progress = Progress::read(&collection.progress);
        let outcome = match changes_of(fetch, site, collection, progress, now).await {
            Ok(outcome) => {
                polled += 1;
                outcome
            }
            Err(error) if error.is_of_the_host() => return Err(error),
            Err(error) if error.is_gone() && !has_looked => {
                // It may have moved.
                has_looked = true;
                again(fetch, site, &mut details, &mut collections, &mut news, now).await?;
                index -= 1;
                continue;
            }
            Err(error) => {
                let outcome = failed(collection, error.to_string());
                first_error.get_or_insert(error);
                Some(outcome)
            }
        };
        merge(&mut news.collections, outcome);
    }
    match first_error {
        // Of the collections that there are, not one could be had.
        Some(error) if polled == 0 => return Err(error),
        Some(error) => {
            news.reason.get_or_insert(format!("not all of it could be had: {error}"));
        }
        None => {}
    }
    Ok(news)
}

/// Looks at the Source again: new collections are added, others are marked as gone.
async fn again(
    fetch: &Fetch<'_>,
    site: &Site,
    details: &mut Details,
    collections: &mut Vec<Collection>,
    news: &mut News,
    now: Millis,
) -> Result<(), PollError> {
    // If it fails, it is not tried at each poll.
    details.looked_at = now - LOOK_AGAIN + LOOK_SOON;
    news.details = Some(details.clone());
    let asked = asked(site, details)?;
    let found = find(fetch, &asked, &site.settings, now).await;
    let found = found.map_err(|error| PollError::Site(error.to_string()))?;
    if found.via != Via::ResourceSync {
        return Err(PollError::Site(format!(
            "{asked} has no Change List any more, only what was found by {}; unfollow it and follow \
             it again to go on with that",
            found.details.found_by
        )));
    }
    let Found { details: new_details, title, collections: new, .. } = found;
    for collection in collections.iter_mut() {
        match new.iter().find(|one| one.identity == collection.identity) {
            Some(one) => {
                let (old, new) =
                    (Progress::read(&collection.progress), Progress::read(&one.progress));
                let progress = Progress { cursor: old.cursor, documents: old.documents, ..new };
                collection.progress = progress.write();
                collection.is_gone = false;
                let said = NewCollection { progress: collection.progress.clone(), ..one.clone() };
                merge(
                    &mut news.collections,
                    Some(CollectionOutcome { collection: said, ..CollectionOutcome::default() }),
                );
            }
            None => {
                collection.is_gone = true;
                let mut outcome =
                    failed(collection, "its site does not name it any more".to_owned());
                outcome.is_gone = true;
                merge(&mut news.collections, Some(outcome));
            }
        }
    }
    for one in new {
        if collections.iter().all(|collection| collection.identity != one.identity) {
            collections.push(fresh(site.id, one));
        }
    }
    *details = Details { asked: details.asked.clone(), ..new_details };
    news.details = Some(details.clone());
    news.title = title;
    Ok(())
}

/// The URL that the site was followed by.
fn asked(site: &Site, details: &Details) -> Result<Url, PollError> {
    let asked = Url::parse(&details.asked).or_else(|_| Url::parse(&site.url));
    asked.map_err(|error| PollError::Site(format!("{}: {error}", site.url)))
}

/// Looks for the Sitemaps of a site again: it may have others by now. Says what a person should know.
async fn sitemaps_again(
    fetch: &Fetch<'_>,
    site: &Site,
    details: &mut Details,
    now: Millis,
) -> Result<Option<String>, PollError> {
    let asked = asked(site, details)?;
    details.looked_at = now;
    Ok(match find(fetch, &asked, &site.settings, now).await {
        Ok(found) if found.via == Via::Sitemap => {
            details.sitemaps = found.details.sitemaps;
            details.quality = found.details.quality;
            details.found_by = found.details.found_by;
            None
        }
        Ok(found) if found.via == Via::ResourceSync => Some(
            "it has ResourceSync by now; unfollow it and follow it again to have its collections"
                .to_owned(),
        ),
        // What is known of it may still be there.
        Ok(_) | Err(_) => None,
    })
}

/// A collection that the store does not know yet.
fn fresh(site_id: i64, new: NewCollection) -> Collection {
    Collection {
        id: 0,
        site_id,
        key: new.key,
        identity: new.identity,
        title: new.title,
        author: new.author,
        language: new.language,
        about: new.about,
        progress: new.progress,
        reason: None,
        is_gone: false,
        ignored: 0,
        changes: 0,
        batches: 0,
        changed_at: None,
    }
}

/// One outcome for a collection, whatever was found out about it first.
fn merge(outcomes: &mut Vec<CollectionOutcome>, outcome: Option<CollectionOutcome>) {
    let Some(outcome) = outcome else { return };
    let identity = &outcome.collection.identity;
    match outcomes.iter_mut().find(|one| one.collection.identity == *identity) {
        Some(one) => {
            let said = std::mem::take(&mut one.collection);
            *one = outcome;
            let collection = &mut one.collection;
            collection.title = collection.title.take().or(said.title);
            collection.author = collection.author.take().or(said.author);
            collection.language = collection.language.take().or(said.language);
            collection.about = collection.about.take().or(said.about);
        }
        None => outcomes.push(outcome),
    }
}

fn same(collection: &Collection) -> NewCollection {
    NewCollection {
        key: collection.key.clone(),
        identity: collection.identity.clone(),
        title: collection.title.clone(),
        author: collection.author.clone(),
        language: collection.language.clone(),
        about: collection.about.clone(),
        progress: collection.progress.clone(),
    }
}

fn failed(collection: &Collection, reason: String) -> CollectionOutcome {
    CollectionOutcome {
        collection: same(collection),
        reason: Some(reason),
        ..CollectionOutcome::default()
    }
}

/// What is new in one collection; none if nothing is, not even what to remember.
async fn changes_of(
    fetch: &Fetch<'_>,
    site: &Site,
    collection: &Collection,
    progress: Progress,
    now: Millis,
) -> Result<Option<CollectionOutcome>, PollError> {
    let Some(change_list) = &progress.change_list else {
        let reason = "it has no Change List: no changes can be determined".to_owned();
        let is_said = collection.reason.as_ref() == Some(&reason);
        return Ok((!is_said || collection.id == 0).then(|| failed(collection, reason)));
    };
    let url = Url::parse(change_list)
        .map_err(|error| PollError::Site(format!("{change_list} is no URL: {error}")))?;
    let strict = progress.is_ifcc || site.settings.strict;
    let lists = change_list::read(fetch, &progress, &url, strict, now).await?;
    let notes = if lists.is_new { notes(&lists.collector) } else { progress.notes.clone() };
    let progress = Progress { notes: notes.clone(), ..lists.progress }.write();
    let (ignored, more) = (lists.collector.ignored, lists.collector.more);
    let changes = lists.collector.changes();
    let is_same = changes.is_empty() && progress == collection.progress;
    if is_same && collection.reason == notes && collection.id != 0 {
        return Ok(None);
    }
    let collection = NewCollection { progress, ..same(collection) };
    Ok(Some(CollectionOutcome {
        collection,
        reason: notes,
        is_gone: false,
        ignored: Some(ignored),
        changes,
        more,
    }))
}

/// What a person should know about the Change Lists of a collection.
fn notes(collector: &Collector) -> Option<String> {
    let mut notes = Vec::new();
    if collector.is_behind() {
        notes.push("an older Change List than before is being served".to_owned());
    }
    if collector.future > 0 {
        notes.push(format!(
            "{} of its changes are said to lie in the future: its clock, or what writes its Change \
             List, is wrong",
            collector.future
        ));
    }
    if collector.ignored > 0 {
        notes.push(format!(
            "{} of its changes are ignored, because they do not say when they happened, or what",
            collector.ignored
        ));
    }
    (!notes.is_empty()).then(|| notes.join("; "))
}
