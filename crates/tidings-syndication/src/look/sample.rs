//! The newest changes of a collection that is not followed yet.

use tidings_document::{Form, Reader};
use tidings_store::{Kind, Millis, NewChange, NewCollection, Via};
use tidings_web::{Url, Validators};

use crate::change_list::{off_the_road, read_one, told};
use crate::collector::{Collector, millis};
use crate::details::{Details, Progress};
use crate::fetch::{Fetch, read_options};
use crate::{feed_taken, webfeed};

/// How many are shown.
const MOST: usize = 5;
/// How many bytes they may take while they are read.
const ROOM: usize = 1 << 20;
/// How many entries of a Sitemap are looked at.
const MOST_ENTRIES: usize = 50_000;

/// The newest changes, the newest first. The error is a sentence.
pub(super) async fn newest(
    fetch: &Fetch<'_>,
    via: Via,
    details: &Details,
    collection: &NewCollection,
    now: Millis,
) -> Result<Vec<NewChange>, String> {
    let mut changes = match via {
        Via::ResourceSync => listed(fetch, &collection.progress, now).await?,
        Via::Sitemap => dated(fetch, details, now).await?,
        Via::Webfeed => posted(fetch, &collection.identity, now).await?,
        Via::Feed => {
            let mut details = details.clone();
            let taken = feed_taken::poll(fetch, &mut details, now).await;
            taken.map_err(|error| error.to_string())?.map(|one| one.changes).unwrap_or_default()
        }
    };
    changes.reverse();
    changes.truncate(MOST);
    Ok(changes)
}

/// The last lines of its index.
async fn posted(fetch: &Fetch<'_>, at: &str, now: Millis) -> Result<Vec<NewChange>, String> {
    let at = Url::parse(at).map_err(|error| error.to_string())?;
    let index = webfeed::read(fetch, &at).await.map_err(|error| error.to_string())?;
    let lines = index.lines.into_iter();
    let post = |url: Url| NewChange { kind: Kind::Created, ..updated(now, url.into()) };
    Ok(lines.map(|line| post(line.url)).collect())
}

/// What the last of its Change Lists says.
async fn listed(fetch: &Fetch<'_>, progress: &str, now: Millis) -> Result<Vec<NewChange>, String> {
    let progress = Progress::read(progress);
    let none = "it has no Change List".to_owned();
    let mut next =
        progress.change_list.as_deref().and_then(|url| Url::parse(url).ok()).ok_or(none)?;
    for level in 0..=2 {
        let fetched = fetch.get(&next, Validators::default()).await;
        let fetched = fetched.map_err(|error| error.to_string())?;
        let strict = progress.is_ifcc;
        let work = move || {
            let mut collector = Collector::new(None, now, strict, false, None, ROOM);
            let members = read_one(fetched, &mut collector, level, None);
            (collector, members)
        };
        let (collector, members) = off_the_road(work).await;
        let members = members.map_err(|reason| format!("{next} {reason}"))?;
        match members {
            None => return Ok(collector.finish().0),
            // In an index the lists are in the order of their times.
            Some(members) => match members.into_iter().next_back() {
                Some(last) => next = last,
                None => return Ok(Vec::new()),
            },
        }
    }
    Ok(Vec::new())
}

/// The pages of its Sitemap that changed last, as far as it says so, oldest first.
async fn dated(
    fetch: &Fetch<'_>,
    details: &Details,
    now: Millis,
) -> Result<Vec<NewChange>, String> {
    let none = || "it names no Sitemap".to_owned();
    let mut next =
        details.sitemaps.first().and_then(|url| Url::parse(url).ok()).ok_or_else(none)?;
    for _ in 0..2 {
        let fetched = fetch.get(&next, Validators::default()).await;
        let fetched = fetched.map_err(|error| error.to_string())?;
        let read = off_the_road(move || {
            let options = read_options(&fetched);
            let base = fetched.url;
            let mut reader = Reader::with_options(fetched.body.into_reader(), options);
            let is_index = reader.head().map_err(told)?.form == Form::Index;
            let mut pages: Vec<(Millis, String)> = Vec::new();
            for _ in 0..MOST_ENTRIES {
                let Some(entry) = reader.next_entry().map_err(told)? else { break };
                let Ok(url) = base.join(entry.loc.trim()) else { continue };
                let time = entry.lastmod.map_or(0, millis);
                pages.push((time.min(now), url.into()));
                if pages.len() > 1_000 {
                    pages.sort_unstable();
                    pages.drain(..pages.len() - MOST);
                }
            }
            pages.sort_unstable();
            Ok::<_, String>((is_index, pages))
        });
        let (is_index, pages) = read.await.map_err(|reason| format!("{next} {reason}"))?;
        if !is_index {
            let dated = pages.into_iter().filter(|(time, _)| *time > 0);
            return Ok(dated.map(|(time, uri)| updated(time, uri)).collect());
        }
        match pages.last().and_then(|(_, url)| Url::parse(url).ok()) {
            Some(last) => next = last,
            None => return Ok(Vec::new()),
        }
    }
    Ok(Vec::new())
}

fn updated(time: Millis, uri: String) -> NewChange {
    NewChange {
        key: [0; 16],
        uri,
        kind: Kind::Updated,
        time,
        time_text: None,
        title: None,
        note: None,
    }
}
