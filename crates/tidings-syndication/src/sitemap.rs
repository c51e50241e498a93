//! Follows a site by its Sitemaps: one snapshot is compared with the next.

mod content_sample;
mod doubt;
mod gather;
mod sort;

use std::collections::{BTreeMap, HashMap, HashSet};

use tidings_document::Moment;
use tidings_store::{CollectionOutcome, Kind, Lease, Millis, Run, Site, SiteMove, Snapshot, Store};
use tidings_web::Url;

use crate::PollError;
use crate::collector::millis;
use crate::details::{Details, Index};
use crate::fetch::Fetch;
use crate::key::change_key;
use crate::moved_pages::{Things, moved_change};
use crate::snapshot::{Counted, Difference, Merge, MoveFinder, Moves, Page, compare};
use doubt::{Claims, Sampler, doubt};
use gather::{Gathered, gather};
use sort::Sorter;

/// How old a page may be that is shown when a site is first followed, and how many of them there are.
const RECENT: Millis = 30 * 24 * 60 * 60 * 1000;
const MOST_RECENT: usize = 100;
/// Times that lie no further apart may be those of one run of the program that writes the Sitemap.
const ONE_RUN: Millis = 5 * 60 * 1000;
/// How often in a row a snapshot in which much is gone is held back.
const HOLDS: u32 = 1;

/// What came of a poll.
pub(crate) struct Compared {
    pub(crate) collections: Vec<CollectionOutcome>,
    pub(crate) snapshot: Option<Snapshot>,
    /// Set if most of its pages are at another origin by now.
    pub(crate) moved: Option<SiteMove>,
    /// What a person should know.
    pub(crate) reason: Option<String>,
}

/// Takes a new snapshot, if there is something new, and compares it with the last.
pub(crate) async fn poll(
    store: &Store,
    fetch: &Fetch<'_>,
    site: &Site,
    details: &mut Details,
    lease: &Lease,
    now: Millis,
) -> Result<Compared, PollError> {
    let before = store.runs(site.id).await?;
    let mut by_document: HashMap<String, Vec<Run>> = HashMap::new();
    for run in &before {
        by_document.entry(run.document.clone()).or_default().push(run.clone());
    }
    let gathered = gather(store, fetch, site.id, details, by_document, lease).await?;
    let Gathered { runs, is_new, indexes, unread, is_partial, carried, mut reason } = gathered;
    if !is_new {
        details.held = 0;
        let (collections, snapshot) = (Vec::new(), None);
        return Ok(Compared { collections, snapshot, moved: None, reason });
    }
    if details.snapshots == 0 {
        let mut sorter = Sorter::new(site);
        let mut sampler = Sampler::new(site, &runs);
        recent(Merge::new(store, site.id, &runs).await?, &mut sorter, &mut sampler, now).await?;
        details.sample = content_sample::take(fetch, &site.host, sampler.uris).await;
        remember(details, now, indexes, unread);
        let snapshot = Some(Snapshot { runs });
        let collections = sorter.outcomes();
        return Ok(Compared { collections, snapshot, moved: None, reason });
    }
    // What was never had before is as it was, for all that is known.
    let first = runs.iter().filter(|run| details.unread.contains(&run.document));
    let before: Vec<Run> = before.into_iter().chain(first.cloned()).collect();
    let Walk { mut counted, mut sorter, mut claims, moves } =
        walk(store, site, details, [&before, &runs], now).await?;
    counted.carried = carried;
    let deleted = counted.deleted - moves.count();
    let is_mass = is_mass_deletion(&counted, deleted);
    // Pages that are gone from one Sitemap may be in another one that could not be had.
    let is_hidden = deleted > 0 && is_partial;
    if (is_mass || is_hidden) && details.held < HOLDS {
        details.held += 1;
        let why = match (is_mass, reason) {
            (true, _) | (false, None) => "at once, which may be a mistake".to_owned(),
            (false, Some(reason)) => format!("while {reason}"),
        };
        let reason = format!(
            "{deleted} of {} pages are gone from its Sitemap {why}: nothing is said about it unless it is \
             so at the next poll, too",
            counted.before
        );
        let (collections, snapshot) = (Vec::new(), None);
        return Ok(Compared { collections, snapshot, moved: None, reason: Some(reason) });
    }
    if counted.stamped > 0 {
        claims.add_stamped(Merge::new(store, site.id, &runs).await?).await?;
    }
    let doubt = doubt(fetch, site, details, &counted, claims, &mut sorter).await;
    reason = reason.or(doubt);
    let moved = moved_site(store, site, &moves, &counted).await?;
    let change = moved_change(Things::Pages, moves.count(), &moves.named(), now);
    remember(details, now, indexes, unread);
    let collections = sorter.outcomes_with(change, moved.as_ref().map(|moved| &moved.url[..]));
    Ok(Compared { collections, snapshot: Some(Snapshot { runs }), moved, reason })
}

/// Remembers how the documents were of which a snapshot was taken.
fn remember(
    details: &mut Details,
    now: Millis,
    indexes: BTreeMap<String, Index>,
    unread: Vec<String>,
) {
    details.held = 0;
    details.snapshots += 1;
    details.snapshot_at = Some(now);
    details.indexes = indexes;
    details.unread = unread;
}

/// What two snapshots have that is different.
struct Walk<'a> {
    counted: Counted,
    sorter: Sorter<'a>,
    claims: Claims,
    moves: Moves,
}

/// Walks two snapshots side by side; once more if pages moved, which are known only at the end.
async fn walk<'a>(
    store: &Store,
    site: &'a Site,
    details: &Details,
    [before, after]: [&[Run]; 2],
    now: Millis,
) -> Result<Walk<'a>, PollError> {
    let number = details.earlier_snapshots + details.snapshots;
    let stamps = Stamps { number, since: details.snapshot_at, now };
    let mut moves = Moves::default();
    loop {
        let (old, new) =
            (Merge::new(store, site.id, before).await?, Merge::new(store, site.id, after).await?);
        let mut sorter = Sorter::new(site);
        let mut claims = Claims::new(site, details);
        let mut finder = MoveFinder::default();
        let each = |difference: Difference| {
            claims.take(&difference);
            finder.take(&difference);
            if moves.has(&difference) {
                return;
            }
            let (time, key) = (stamps.time(&difference), stamps.key(&difference));
            sorter.take(difference, time, key);
        };
        let counted = compare(old, new, each).await?;
        let found = finder.finish();
        if found.is_empty() || !moves.is_empty() {
            return Ok(Walk { counted, sorter, claims, moves });
        }
        moves = found;
    }
}

/// A site most of whose pages moved to another origin: its collections go on there, in place.
async fn moved_site(
    store: &Store,
    site: &Site,
    moves: &Moves,
    counted: &Counted,
) -> Result<Option<SiteMove>, PollError> {
    let named = moves.named();
    let Some((old, new)) = named.first().filter(|_| moves.count() * 2 > counted.before) else {
        return Ok(None);
    };
    let origin = |url: &str| Some(Url::parse(url).ok()?.origin().ascii_serialization());
    let (Some(old), Some(new)) = (origin(old), origin(new)) else { return Ok(None) };
    if old == new {
        return Ok(None);
    }
    let moved = |url: &str| url.strip_prefix(&old).map(|rest| format!("{new}{rest}"));
    let Some(url) = moved(&site.url) else { return Ok(None) };
    let collections = store.collections(site.id).await?;
    let known: HashSet<&str> = collections.iter().map(|one| one.identity.as_str()).collect();
    let identities = collections.iter().filter_map(|one| {
        let identity = moved(&one.identity).filter(|new| !known.contains(new.as_str()))?;
        Some((one.id, identity))
    });
    let identities = identities.collect();
    Ok(Some(SiteMove { via: site.via, url, identities, ended: Vec::new() }))
}

/// What a site that is followed from now on changed last: else its feed would stay empty until
/// something happens, and nobody could tell whether it works.
async fn recent(
    mut pages: Merge<'_>,
    sorter: &mut Sorter<'_>,
    sampler: &mut Sampler,
    now: Millis,
) -> Result<(), PollError> {
    sorter.keep(MOST_RECENT);
    let (mut count, mut newest) = (0_u64, NewestTimes::default());
    while let Some(page) = pages.next().await? {
        sampler.take(&page);
        count += 1;
        let Some(time) = lastmod(&page) else { continue };
        newest.take(time);
        if (now - RECENT..=now).contains(&time) {
            let key = change_key(&["snapshot", &page.uri, "first", &page.stamp]);
            sorter.take(Difference { page, kind: Kind::Updated }, time, key);
        }
    }
    if count > 1 && newest.count() * 2 > count {
        // That is when the Sitemap was written, and more is not known of the pages.
        sorter.forget_updates_except(&[]);
    }
    sorter.forget_more();
    Ok(())
}

/// Counts the times that one run of a program may have written: the newest, and those shortly before it.
#[derive(Debug, Default)]
struct NewestTimes {
    /// How many there are of each second, of the last [`ONE_RUN`] before the newest.
    seconds: BTreeMap<Millis, u64>,
}

impl NewestTimes {
    fn take(&mut self, time: Millis) {
        let newest = self.seconds.last_key_value().map_or(time, |(second, _)| second * 1000);
        if time < newest - ONE_RUN {
            return;
        }
        *self.seconds.entry(time.div_euclid(1000)).or_default() += 1;
        let oldest = (newest.max(time) - ONE_RUN).div_euclid(1000);
        self.seconds = self.seconds.split_off(&oldest);
    }

    fn count(&self) -> u64 {
        self.seconds.values().sum()
    }
}

/// Much of what was there is gone: an empty answer, or a part of one, more often than a site's end. A
/// third of a small site is much, and a tenth of a large one.
fn is_mass_deletion(counted: &Counted, deleted: u64) -> bool {
    let is_empty = counted.after == 0 && counted.before > 0;
    let is_third = deleted >= 2 && deleted * 3 >= counted.before;
    is_empty || is_third || (deleted > 20 && deleted * 10 > counted.before)
}

/// Where changes are put in time.
struct Stamps {
    number: u64,
    since: Option<Millis>,
    now: Millis,
}

impl Stamps {
    /// The page's own time if it lies between the two snapshots: then the change did. Any other is not
    /// that of the change, and all that is known is that it is there now.
    fn time(&self, difference: &Difference) -> Millis {
        let since = self.since.unwrap_or(Millis::MIN);
        let own = lastmod(&difference.page).filter(|_| difference.kind != Kind::Deleted);
        own.filter(|time| (since..=self.now).contains(time)).unwrap_or(self.now)
    }

    /// A page that comes, goes and comes again makes three changes, even if its time stays: the number
    /// of the snapshot tells them apart.
    fn key(&self, difference: &Difference) -> [u8; 16] {
        let kind = match difference.kind {
            Kind::Created => "created",
            Kind::Updated => "updated",
            Kind::Deleted => "deleted",
        };
        let number = self.number.to_string();
        change_key(&["snapshot", &difference.page.uri, kind, &difference.page.stamp, &number])
    }
}

fn lastmod(page: &Page) -> Option<Millis> {
    Moment::parse(&page.stamp).ok().map(millis)
}
