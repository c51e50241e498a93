//! A site with ResourceSync: what its Change Lists say, from where they were last processed.

use tidings_store::{
    Collection, CollectionOutcome, Lease, Millis, NewCollection, Site, Store, Via,
};
use tidings_web::{DiscoveryFailure, Url};

use super::adoption::adopt;
use super::source_documents::{SourceCheck, check};
use super::{LOOK_AGAIN, News, asked};
use crate::collector::{Collector, ROOM, size};
use crate::details::{Details, Progress};
use crate::fetch::Fetch;
use crate::find::{Found, find_again};
use crate::succession::fresh_collection;
use crate::{PollError, change_list};

/// After how many failures of a server it is asked for nothing more.
const MOST_SILENT: u32 = 3;
/// How many bytes the changes of a collection may take, whatever those of others do.
const LEAST_ROOM: usize = 64 << 10;
/// When to look again if that failed.
const LOOK_SOON: Millis = 60 * 60 * 1000;

/// The steps of IFCC-0001, "Checking for Updates". The Source Description and the Capability Lists are
/// asked for at each poll; the sets are found again when one of them is different, and once a day.
pub(super) async fn poll(
    store: &Store,
    fetch: &Fetch<'_>,
    lease: &Lease,
    site: &Site,
    now: Millis,
) -> Result<News, PollError> {
    let mut collections = store.collections(site.id).await?;
    let mut details = Details::read(&site.details);
    let mut news = News::nothing();
    let is_old = now - details.looked_at >= LOOK_AGAIN;
    let known =
        if is_old { SourceCheck::default() } else { check(fetch, &mut details.documents).await };
    if known.is_noted {
        news.details = Some(details.clone());
    }
    news.reason =
        known.problem.map(|reason| format!("its sets may be other ones by now: {reason}"));
    let has_looked = is_old || known.is_different;
    if has_looked {
        let found = again(fetch, site, &mut details, &mut collections, &mut news, now).await;
        // Its Change Lists may well be there.
        news.reason = found.err().map(|error| error.to_string());
    }
    let mut reading = Reading::new(fetch, site, now);
    let mut moved = Vec::new();
    for collection in collections.iter().filter(|one| !one.is_gone && !one.is_muted) {
        let outcome = match reading.read(collection).await {
            Err(error) if error.is_gone() && !has_looked => {
                moved.push((collection.identity.clone(), error));
                continue;
            }
            Err(error) => Some(reading.failed(collection, error)),
            Ok(outcome) => outcome,
        };
        merge(&mut news.collections, outcome);
    }
    if !moved.is_empty() {
        look_for(&mut reading, &mut details, &mut collections, &mut news, moved).await;
    }
    let Reading { polled, errors, .. } = reading;
    news.retry_after = errors.iter().filter_map(PollError::retry_after).max();
    match errors.into_iter().next() {
        // Of the collections that there are, not one could be had. One answer may be a mistake of the
        // server.
        Some(error) if polled == 0 && error.is_gone() && site.failures > 0 => {
            return match elsewhere(fetch, site, &details, now).await {
                Some(found) => adopt(store, fetch, lease, site, found, now).await,
                None => Err(error),
            };
        }
        Some(error) if polled == 0 => return Err(error),
        Some(error) => {
            news.is_partial = true;
            news.reason.get_or_insert(format!("not all of it could be had: {error}"));
        }
        None => {}
    }
    Ok(news)
}

/// Other means to follow a site that has no Change List any more, and says so.
async fn elsewhere(
    fetch: &Fetch<'_>,
    site: &Site,
    details: &Details,
    now: Millis,
) -> Option<Found> {
    let asked = asked(site, details).ok()?;
    let found = find_again(fetch, &asked, &site.settings, now).await.ok()?;
    let is_other = matches!(found.via, Via::Sitemap | Via::Feed);
    (is_other && description_trouble(&found, details).is_none()).then_some(found)
}

/// Why the Source Description could not be fetched, if that does not say that there is none.
fn description_trouble<'a>(found: &'a Found, details: &Details) -> Option<&'a DiscoveryFailure> {
    let is_it = |url: &Url| Some(url.as_str()) == details.description.as_deref();
    let (_, failure) = found.missing.iter().find(|(url, _)| is_it(url))?;
    Some(failure).filter(|failure| !failure.is_absence())
}

/// Reads all of these collections, and says what a person should know of them.
pub(super) async fn read_all(
    fetch: &Fetch<'_>,
    site: &Site,
    collections: Vec<Collection>,
    now: Millis,
) -> Result<(Vec<CollectionOutcome>, Option<String>), PollError> {
    let mut reading = Reading::new(fetch, site, now);
    let mut outcomes = Vec::with_capacity(collections.len());
    for collection in &collections {
        outcomes.push(match reading.read(collection).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) => {
                let collection = same(collection);
                CollectionOutcome { collection, ..CollectionOutcome::default() }
            }
            Err(error) => reading.failed(collection, error),
        });
    }
    match reading.errors.into_iter().next() {
        Some(error) if reading.polled == 0 => Err(error),
        Some(error) => Ok((outcomes, Some(format!("not all of it could be had: {error}")))),
        None => Ok((outcomes, None)),
    }
}

/// Reads one collection after the other, as long as that is of use.
struct Reading<'a, 'f> {
    fetch: &'a Fetch<'f>,
    site: &'a Site,
    now: Millis,
    /// How many bytes changes may still take.
    room: usize,
    /// How many collections could be had.
    polled: usize,
    /// How often the server did not answer, or asked to be left alone.
    silent: u32,
    errors: Vec<PollError>,
}

impl<'a, 'f> Reading<'a, 'f> {
    fn new(fetch: &'a Fetch<'f>, site: &'a Site, now: Millis) -> Self {
        Self { fetch, site, now, room: ROOM, polled: 0, silent: 0, errors: Vec::new() }
    }

    async fn read(
        &mut self,
        collection: &Collection,
    ) -> Result<Option<CollectionOutcome>, PollError> {
        if self.silent >= MOST_SILENT {
            let reason = "it was not asked for: its server does not answer".to_owned();
            return Err(PollError::Site(reason));
        }
        let progress = Progress::read(&collection.progress);
        let Self { fetch, site, now, room, .. } = *self;
        let outcome = changes_of(fetch, site, collection, progress, room, now).await?;
        self.polled += 1;
        let changes = outcome.iter().flat_map(|outcome| &outcome.changes);
        // Some room is left to the last of them.
        self.room = room.saturating_sub(changes.map(size).sum()).max(LEAST_ROOM);
        Ok(outcome)
    }

    /// What is remembered of a collection that could not be had.
    fn failed(&mut self, collection: &Collection, error: PollError) -> CollectionOutcome {
        self.silent += u32::from(error.is_of_the_host());
        let outcome = failed(collection, error.to_string());
        self.errors.push(error);
        outcome
    }
}

/// Looks for collections whose Change Lists are not where they were: they may have moved. What was read
/// of the others stands.
async fn look_for(
    reading: &mut Reading<'_, '_>,
    details: &mut Details,
    collections: &mut Vec<Collection>,
    news: &mut News,
    moved: Vec<(String, PollError)>,
) {
    let known = collections.len();
    let mut found = News::nothing();
    let (fetch, site, now) = (reading.fetch, reading.site, reading.now);
    let looked = again(fetch, site, details, collections, &mut found, now).await;
    news.details = found.details;
    news.title = found.title;
    let is_moved = |identity: &str| moved.iter().any(|(one, _)| one == identity);
    for outcome in found.collections {
        let identity = &outcome.collection.identity;
        let is_said = news.collections.iter().any(|one| one.collection.identity == *identity);
        if !is_said && (outcome.is_gone || is_moved(identity)) {
            news.collections.push(outcome);
        }
    }
    let news = &mut news.collections;
    for (index, collection) in collections.iter().enumerate() {
        let is_wanted = index >= known || is_moved(&collection.identity);
        if !is_wanted || collection.is_gone {
            continue;
        }
        let outcome = match reading.read(collection).await {
            Ok(outcome) => outcome,
            Err(error) => Some(reading.failed(collection, error)),
        };
        merge(news, outcome);
    }
    if looked.is_err() {
        // Why they cannot be had says more than why nothing else was found.
        reading.errors.extend(moved.into_iter().map(|(_, error)| error));
    }
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
    let found = find_again(fetch, &asked, &site.settings, now).await;
    let found = found.map_err(|error| PollError::Site(error.to_string()))?;
    if let Some(reason) = description_trouble(&found, details)
        && found.via != Via::ResourceSync
    {
        return Err(PollError::Site(format!("its Source Description could not be had: {reason}")));
    }
    if found.via != Via::ResourceSync {
        return Err(PollError::Site(format!(
            "{asked} has no Source Description with a Change List any more, only what was found by \
             {}; it is followed by that as soon as its Change Lists are gone, too",
            found.details.found_by
        )));
    }
    let Found { details: new_details, title, collections: new, missing, .. } = found;
    // Only who was seen whole can be missing something.
    let is_whole =
        new_details.left_out == 0 && missing.iter().all(|(_, failure)| failure.is_absence());
    for collection in collections.iter_mut() {
        match new.iter().find(|one| one.identity == collection.identity) {
            Some(one) => {
                let (old, new) =
                    (Progress::read(&collection.progress), Progress::read(&one.progress));
                let Progress { cursor, floor, documents, notes, .. } = old;
                let progress = Progress { cursor, floor, documents, notes, ..new };
                collection.progress = progress.write();
                collection.is_gone = false;
                let said = NewCollection { progress: collection.progress.clone(), ..one.clone() };
                let reason = collection.reason.clone();
                let outcome =
                    CollectionOutcome { collection: said, reason, ..CollectionOutcome::default() };
                merge(&mut news.collections, Some(outcome));
            }
            // It could not be had now, which says nothing.
            None if !is_whole => {}
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
            collections.push(fresh_collection(site.id, one));
        }
    }
    let Details { asked, known_pages, earlier_snapshots, .. } = std::mem::take(details);
    *details = Details { asked, known_pages, earlier_snapshots, ..new_details };
    news.details = Some(details.clone());
    news.title = title;
    Ok(())
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
        is_muted: collection.is_muted,
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
    room: usize,
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
    let lists = change_list::read(fetch, &progress, &url, strict, room, now).await?;
    let notes = if lists.is_new { notes(&lists.collector) } else { progress.notes.clone() };
    let ignored = lists.collector.ignored;
    let (changes, more, floor) = lists.collector.finish();
    let progress = Progress { notes: notes.clone(), floor, ..lists.progress }.write();
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
        told: Vec::new(),
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
