//! Follows a site by its pages: what they are called and what they say is compared with how it was.

mod crawl;

use tidings_store::{CollectionOutcome, Kind, Millis, NewChange, NewCollection, Site, Store};
use tidings_web::Url;

use crate::PollError;
use crate::details::{Details, SitePage};
use crate::fetch::Fetch;
use crate::key::{change_key, key};
use crate::moved_pages::{Things, moved_change};
use crate::page::difference;
use crate::snapshot::{Difference, MoveFinder, Moves, Page};
use crawl::{Crawl, crawl};

/// What came of reading the pages of a site.
#[derive(Debug, Default)]
pub(crate) struct PagesRead {
    pub(crate) outcome: Option<CollectionOutcome>,
    /// What a person should know.
    pub(crate) reason: Option<String>,
}

/// Reads the pages of a site, and compares them with what they were.
pub(crate) async fn poll(
    store: &Store,
    fetch: &Fetch<'_>,
    site: &Site,
    details: &mut Details,
    now: Millis,
) -> Result<PagesRead, PollError> {
    let unusable = |error| PollError::Site(format!("{}: {error}", site.url));
    let first = Url::parse(&site.url).map_err(unusable)?;
    let limit = site.settings.pages.max(1) as usize;
    let crawl = crawl(fetch, &first, &details.pages, limit).await?;
    let mut reason = crawl
        .problem
        .as_ref()
        .map(|problem| format!("not all of its pages could be read: {problem}"));
    if crawl.is_cut {
        let more = format!("it has more than {limit} pages, and the others are not read");
        reason.get_or_insert(more);
    }
    let before = details.pages.len();
    let is_mass = crawl.gone.len() >= 2 && crawl.gone.len() * 3 >= before;
    if is_mass && details.held == 0 {
        details.held = 1;
        let reason = format!(
            "{} of its {before} pages are gone at once, which may be a mistake: nothing is said about it \
             unless it is so at the next poll, too",
            crawl.gone.len()
        );
        return Ok(PagesRead { outcome: None, reason: Some(reason) });
    }
    details.held = 0;
    let changes = if details.snapshots == 0 { Vec::new() } else { changes(&crawl, details, now) };
    let changes = with_differences(store, site, &crawl, changes).await;
    details.snapshots += 1;
    details.snapshot_at = Some(now);
    details.pages_were_cut = crawl.is_cut;
    let moved = crawl.moved.into_iter().map(|(old, _)| old);
    for gone in crawl.gone.into_iter().chain(moved) {
        details.pages.remove(&gone);
    }
    let title = crawl.pages.get(first.as_str()).and_then(|read| read.page.title.clone());
    details.pages.extend(crawl.pages.into_iter().map(|(uri, read)| (uri, read.page)));
    let collection = NewCollection {
        key: key(&first, Some("pages")),
        identity: site.url.clone(),
        title,
        progress: "{}".to_owned(),
        ..NewCollection::default()
    };
    let outcome = CollectionOutcome { collection, changes, ..CollectionOutcome::default() };
    Ok(PagesRead { outcome: Some(outcome), reason })
}

/// The pages that were created, updated, deleted or moved.
fn changes(crawl: &Crawl, details: &Details, now: Millis) -> Vec<NewChange> {
    let number = details.snapshots.to_string();
    let known = &details.pages;
    let change = |uri: &str, kind: Kind, word: &str, page: &SitePage| NewChange {
        key: change_key(&["page", uri, word, &page.digest, &number]),
        uri: uri.to_owned(),
        kind,
        time: now,
        time_text: None,
        title: page.title.clone(),
        note: None,
    };
    let mut moves = moves(crawl, details);
    let is_redirected = |uri: &str| crawl.moved.iter().any(|(_, new)| new == uri);
    let mut changes = Vec::new();
    for uri in &crawl.gone {
        if let Some(page) = known.get(uri).filter(|_| !moves.has(&found(uri, Kind::Deleted))) {
            changes.push(change(uri, Kind::Deleted, "deleted", page));
        }
    }
    for (uri, read) in &crawl.pages {
        match known.get(uri) {
            Some(page) if page.digest != read.page.digest => {
                changes.push(change(uri, Kind::Updated, "updated", &read.page));
            }
            Some(_) => {}
            None if is_redirected(uri) || moves.has(&found(uri, Kind::Created)) => {}
            // There was no room for it before, which does not make it new.
            None if details.pages_were_cut => {}
            None => changes.push(change(uri, Kind::Created, "created", &read.page)),
        }
    }
    let redirected = crawl.moved.iter().map(|(old, new)| (&old[..], &new[..]));
    let named: Vec<(&str, &str)> = redirected.chain(moves.named()).take(5).collect();
    let count = moves.count() + crawl.moved.len() as u64;
    changes.extend(moved_change(Things::Pages, count, &named, now));
    changes
}

/// The pages that are gone at one address and new at one that says the same.
fn moves(crawl: &Crawl, details: &Details) -> Moves {
    let mut finder = MoveFinder::default();
    for uri in &crawl.gone {
        finder.take(&found(uri, Kind::Deleted));
    }
    for uri in crawl.pages.keys().filter(|uri| !details.pages.contains_key(*uri)) {
        finder.take(&found(uri, Kind::Created));
    }
    finder.finish()
}

fn found(uri: &str, kind: Kind) -> Difference {
    Difference { page: Page { uri: uri.to_owned(), stamp: String::new() }, kind }
}

/// Shows what is different in the pages that changed, if that is wanted, and remembers how all are now.
async fn with_differences(
    store: &Store,
    site: &Site,
    crawl: &Crawl,
    mut changes: Vec<NewChange>,
) -> Vec<NewChange> {
    if site.settings.diff {
        for (uri, read) in &crawl.pages {
            let note = difference(store, site.id, uri, &read.text).await;
            if let Some(change) = changes.iter_mut().find(|change| change.uri == *uri) {
                change.note = note;
            }
        }
    }
    changes
}
