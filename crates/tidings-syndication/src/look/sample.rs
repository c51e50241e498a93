//! The newest changes of a collection that is not followed yet.

use tidings_document::{
    DocumentRequest, Form, Reader, SourceWalk, WalkLimits, WalkPolicy, WalkScope,
};
use tidings_store::{Kind, Millis, NewChange, NewCollection, Via};
use tidings_web::{Url, Validators};

use crate::PollError;
use crate::change_list::{CHANGE_LIST_POLICY, off_the_road, read_one};
use crate::collector::{Collector, millis};
use crate::details::{Details, Progress};
use crate::document_fault::DocumentFault;
use crate::fetch::{Fetch, read_options};
use crate::{feed_taken, webfeed};

/// How many are shown.
const MOST: usize = 5;
/// How many bytes they may take while they are read.
const ROOM: usize = 1 << 20;
/// The first of the Sitemaps of a site, and of an index the newest.
const SAMPLE_POLICY: WalkPolicy = WalkPolicy {
    limits: WalkLimits { max_levels: 1, ..WalkLimits::DEFAULT },
    scope: WalkScope::Parts,
    ..CHANGE_LIST_POLICY
};

/// The newest changes, the newest first.
pub(super) async fn newest(
    fetch: &Fetch<'_>,
    via: Via,
    details: &Details,
    collection: &NewCollection,
    now: Millis,
) -> Result<Vec<NewChange>, PollError> {
    let mut changes = match via {
        Via::ResourceSync => listed(fetch, &collection.progress, now).await?,
        Via::Sitemap => dated(fetch, details, now).await?,
        Via::Webfeed => posted(fetch, &collection.identity, now).await?,
        Via::Pages => Vec::new(),
        Via::Feed => {
            let mut details = details.clone();
            let taken = feed_taken::poll(fetch, &mut details, now).await;
            taken?.map(|one| one.changes).unwrap_or_default()
        }
    };
    changes.reverse();
    changes.truncate(MOST);
    Ok(changes)
}

/// The last lines of its index.
async fn posted(fetch: &Fetch<'_>, at: &str, now: Millis) -> Result<Vec<NewChange>, PollError> {
    let at = Url::parse(at).map_err(|error| PollError::Site(error.to_string()))?;
    let index = webfeed::read(fetch, &at).await?;
    let lines = index.lines.into_iter();
    let post = |url: Url| NewChange { kind: Kind::Created, ..updated(now, url.into()) };
    Ok(lines.map(|line| post(line.url)).collect())
}

/// What the last of its Change Lists says.
async fn listed(
    fetch: &Fetch<'_>,
    progress: &str,
    now: Millis,
) -> Result<Vec<NewChange>, PollError> {
    let progress = Progress::read(progress);
    let none = || PollError::Site("it has no Change List".to_owned());
    let first = progress.change_list.as_deref().and_then(|url| Url::parse(url).ok());
    let mut walk = SourceWalk::new(CHANGE_LIST_POLICY);
    walk.start(first.ok_or_else(none)?, ());
    while let Some(DocumentRequest { url, depth, .. }) = walk.next_request() {
        let fetched = fetch.get(&url, Validators::default()).await?;
        let strict = progress.is_ifcc;
        let work = move || {
            let mut collector = Collector::new(None, now, strict, false, None, ROOM);
            let members = read_one(fetched, &mut collector, depth, None);
            (collector, members)
        };
        let (collector, members) = off_the_road(work).await;
        match members.map_err(|fault| fault.at(&url))? {
            None => return Ok(collector.finish().0),
            // In an index the lists are in the order of their times.
            Some(members) => {
                walk.list(depth, members.into_iter().next_back().map(|last| (last, ())));
            }
        }
    }
    Ok(Vec::new())
}

/// The pages of its Sitemap that changed last, as far as it says so, oldest first.
async fn dated(
    fetch: &Fetch<'_>,
    details: &Details,
    now: Millis,
) -> Result<Vec<NewChange>, PollError> {
    let none = || PollError::Site("it names no Sitemap".to_owned());
    let first = details.sitemaps.first().and_then(|url| Url::parse(url).ok());
    let mut walk = SourceWalk::new(SAMPLE_POLICY);
    walk.start(first.ok_or_else(none)?, ());
    while let Some(DocumentRequest { url: sitemap, depth, .. }) = walk.next_request() {
        let fetched = fetch.get(&sitemap, Validators::default()).await?;
        let read = off_the_road(move || {
            let options = read_options(&fetched);
            let base = fetched.url;
            let mut reader = Reader::with_options(fetched.body.into_reader(), options);
            let is_index = reader.head()?.form == Form::Index;
            let mut pages: Vec<(Millis, String)> = Vec::new();
            for _ in 0..SAMPLE_POLICY.limits.max_children {
                let Some(entry) = reader.next_entry()? else { break };
                let Ok(url) = base.join(entry.loc.trim()) else { continue };
                let time = entry.lastmod.map_or(0, millis);
                pages.push((time.min(now), url.into()));
                if pages.len() > 1_000 {
                    pages.sort_unstable();
                    pages.drain(..pages.len() - MOST);
                }
            }
            pages.sort_unstable();
            Ok::<_, DocumentFault>((is_index, pages))
        });
        let (is_index, pages) = read.await.map_err(|fault| fault.at(&sitemap))?;
        if !is_index {
            let dated = pages.into_iter().filter(|(time, _)| *time > 0);
            return Ok(dated.map(|(time, uri)| updated(time, uri)).collect());
        }
        let last = pages.last().and_then(|(_, url)| Url::parse(url).ok());
        walk.list(depth, last.map(|last| (last, ())));
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
