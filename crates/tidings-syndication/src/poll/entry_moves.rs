//! Entries of a feed that have another id than before and are the same otherwise.

use std::collections::{BTreeMap, HashSet};

use tidings_document::Moment;
use tidings_store::{CollectionOutcome, Millis, NewChange, Site, Store};

use crate::PollError;
use crate::collector::millis;
use crate::moved_pages::{Things, moved_change};
use crate::page_identity::page_identity;

/// With how many of the newest recorded entries those of a feed are compared.
const MAX_COMPARED_ENTRIES: u32 = 2_000;

/// Replaces the entries that have nothing new but an id by one change that says so.
pub(super) async fn recognise(
    store: &Store,
    site: &Site,
    known_pages: &BTreeMap<String, Option<String>>,
    outcome: &mut CollectionOutcome,
    now: Millis,
) -> Result<(), PollError> {
    let collections = store.collections(site.id).await?;
    let identity = &outcome.collection.identity;
    let Some(collection) = collections.iter().find(|one| one.identity == *identity) else {
        return Ok(());
    };
    let keys: Vec<[u8; 16]> = outcome.changes.iter().map(|change| change.key).collect();
    let known: HashSet<[u8; 16]> = store.known(collection.id, &keys).await?.into_iter().collect();
    if known.len() == keys.len() {
        return Ok(());
    }
    let recorded = store.changes(collection.id, 0, MAX_COMPARED_ENTRIES).await?;
    // What the feed still has under its old id is another entry.
    let gone: Vec<NewChange> = recorded
        .into_iter()
        .map(|recorded| recorded.change)
        .filter(|change| !known.contains(&change.key))
        .collect();
    let mut named = Vec::new();
    let mut told = Vec::new();
    let (there, new): (Vec<&NewChange>, Vec<&NewChange>) =
        outcome.changes.iter().partition(|change| known.contains(&change.key));
    // One that stands beside an entry like it does not take its place.
    let new = new.into_iter().filter(|new| !there.iter().any(|there| is_same_entry(there, new)));
    for change in new {
        if let Some(old) = gone.iter().find(|old| is_same_entry(old, change)) {
            named.push((old.uri.clone(), change.uri.clone()));
            told.push(change.key);
        } else if is_known_page(known_pages, change) {
            // It was told by other means, or not at all, because it was there before.
            named.push((change.uri.clone(), change.uri.clone()));
            told.push(change.key);
        }
    }
    let count = told.len() as u64;
    let first: Vec<(&str, &str)> =
        named.iter().take(5).map(|(old, new)| (&old[..], &new[..])).collect();
    let moved = moved_change(Things::Entries, count, &first, now);
    outcome.changes.retain(|change| !told.contains(&change.key));
    outcome.changes.extend(moved);
    outcome.told.extend(told);
    Ok(())
}

/// Whether two entries say the same: of the same time, with the same link or the same title. Entries
/// without a time may be told apart by their ids alone.
fn is_same_entry(old: &NewChange, new: &NewChange) -> bool {
    let same_page = page_identity(&old.uri) == page_identity(&new.uri);
    let same_title = old.title.is_some() && old.title == new.title;
    // By other means than a feed pages may have been told without their titles.
    let may_be_titled_so = old.title.is_none() || old.title == new.title;
    is_same_time(old.time_text.as_deref(), new.time_text.as_deref())
        && (same_title || (same_page && may_be_titled_so))
}

/// Whether two times are known, and the same, however they are written.
fn is_same_time(old: Option<&str>, new: Option<&str>) -> bool {
    let (Some(old), Some(new)) = (old, new) else { return false };
    let moments = Moment::parse(old).ok().zip(Moment::parse(new).ok());
    old == new || moments.is_some_and(|(old, new)| millis(old) == millis(new))
}

/// Whether an entry is of a page that was known before the feed was followed, and has not changed since.
fn is_known_page(known_pages: &BTreeMap<String, Option<String>>, entry: &NewChange) -> bool {
    let moment = |text: &String| Moment::parse(text).ok();
    let known = known_pages.get(&page_identity(&entry.uri));
    let times = known.and_then(|known| known.as_ref().zip(entry.time_text.as_ref()));
    let times = times.and_then(|(known, entry)| moment(known).zip(moment(entry)));
    times.is_some_and(|(known, entry)| !known.is_before(entry))
}
