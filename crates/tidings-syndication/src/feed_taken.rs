//! A feed of the site's own, taken over.

use tidings_feed::{TakenEntry, TakenFeed};
use tidings_store::{CollectionOutcome, Kind, Millis, NewChange, NewCollection};
use tidings_web::{Url, Validators};

use crate::PollError;
use crate::details::{Details, Known};
use crate::fetch::Fetch;
use crate::key::{change_key, key};

/// How much of a feed is read.
pub(crate) const MOST_BYTES: u64 = 16 << 20;
/// An entry that was changed within this time of its publication was just published.
const JUST: Millis = 60_000;

/// Looks for new entries.
pub(crate) async fn poll(
    fetch: &Fetch<'_>,
    details: &mut Details,
    now: Millis,
) -> Result<Option<CollectionOutcome>, PollError> {
    let none = || PollError::Site("its feed is not known any more: follow it again".to_owned());
    let url = details.feed.as_deref().and_then(|url| Url::parse(url).ok()).ok_or_else(none)?;
    let known = details.seen.as_ref().map(Validators::from).unwrap_or_default();
    let fetched = fetch.get(&url, known).await?;
    if fetched.is_unchanged() {
        return Ok(None);
    }
    let (seen, content_type, at) =
        (Known::of(&fetched), fetched.content_type.clone(), fetched.url.clone());
    let unreadable = |reason: String| PollError::Document { url: url.clone(), reason };
    let bytes = fetched.body.opening(MOST_BYTES);
    let bytes = bytes.map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    let feed = TakenFeed::read(&bytes, content_type.as_deref(), &at)
        .map_err(|error| unreadable(format!("cannot be read as a feed: {error}")))?;
    details.seen = Some(seen);
    let mut changes: Vec<NewChange> =
        feed.entries.into_iter().map(|entry| change(entry, &at, now)).collect();
    changes.sort_by_key(|change| change.time);
    Ok(Some(CollectionOutcome {
        collection: NewCollection {
            key: key(&url, Some("feed")),
            identity: url.to_string(),
            title: feed.title,
            author: feed.author,
            language: feed.language,
            about: feed.description,
            progress: "{}".to_owned(),
            ..NewCollection::default()
        },
        changes,
        ..CollectionOutcome::default()
    }))
}

/// An entry is known by its id and the time of its last change; one that does not say when it was
/// changed by its id alone, because many programs publish it anew each time that they are asked.
fn change(entry: TakenEntry, feed: &Url, now: Millis) -> NewChange {
    let changed = entry.updated.filter(|_| entry.published != entry.updated);
    let changed = changed.map(|time| time.to_string());
    let updated = entry.updated.or(entry.published);
    let text = updated.map(|time| time.to_string());
    let is_new = match (entry.published, entry.updated) {
        (Some(published), Some(updated)) => {
            updated.as_millisecond() - published.as_millisecond() < JUST
        }
        _ => true,
    };
    NewChange {
        key: change_key(&["entry", &entry.id, changed.as_deref().unwrap_or_default()]),
        uri: entry.link.map_or_else(|| feed.to_string(), Url::into),
        kind: if is_new { Kind::Created } else { Kind::Updated },
        time: updated.map_or(now, |time| time.as_millisecond().min(now)),
        time_text: text,
        title: entry.title,
        note: entry.summary,
    }
}
