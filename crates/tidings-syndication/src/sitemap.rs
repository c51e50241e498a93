//! Follows a site by its Sitemaps: one snapshot is compared with the next.

mod gather;
mod sort;

use std::collections::HashMap;

use tidings_document::Moment;
use tidings_store::{CollectionOutcome, Kind, Lease, Millis, Run, Site, Snapshot, Store};

use crate::PollError;
use crate::collector::millis;
use crate::details::Details;
use crate::fetch::Fetch;
use crate::key::change_key;
use crate::snapshot::{Counted, Difference, Merge, Page, compare};
use gather::{Gathered, gather};
use sort::Sorter;

/// How old a page may be that is shown when a site is first followed, and how many of them there are.
const RECENT: Millis = 30 * 24 * 60 * 60 * 1000;
const MOST_RECENT: usize = 100;
/// How often in a row a snapshot in which much is gone is held back.
const HOLDS: u32 = 1;

/// What came of a poll.
pub(crate) struct Compared {
    pub(crate) collections: Vec<CollectionOutcome>,
    pub(crate) snapshot: Option<Snapshot>,
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
    let Gathered { runs, is_new, indexes, unread, mut reason } = gathered;
    if !is_new {
        details.held = 0;
        return Ok(Compared { collections: Vec::new(), snapshot: None, reason });
    }
    let mut sorter = Sorter::new(site);
    if details.snapshots == 0 {
        recent(Merge::new(store, site.id, &runs).await?, &mut sorter, now).await?;
    } else {
        // What was never had before is as it was, for all that is known.
        let first = runs.iter().filter(|run| details.unread.contains(&run.document));
        let before: Vec<Run> = before.into_iter().chain(first.cloned()).collect();
        let (old, new) =
            (Merge::new(store, site.id, &before).await?, Merge::new(store, site.id, &runs).await?);
        let stamps = Stamps { number: details.snapshots, since: details.snapshot_at, now };
        let each = |difference: Difference| {
            let (time, key) = (stamps.time(&difference), stamps.key(&difference));
            sorter.take(difference, time, key);
        };
        let counted = compare(old, new, each).await?;
        if let Some((stamp, count)) = counted.common_stamp()
            && is_restamped(count, counted.after)
        {
            sorter.forget_updates(stamp);
            reason.get_or_insert(format!(
                "{count} of {} pages have the same new time in its Sitemap, which is that of the \
                 Sitemap and not of the pages: nothing is said about them",
                counted.after
            ));
        }
        if is_mass_deletion(&counted) && details.held < HOLDS {
            details.held += 1;
            let reason = format!(
                "{} of {} pages are gone from its Sitemap at once, which may be a mistake: nothing \
                 is said about it unless it is so at the next poll, too",
                counted.deleted, counted.before
            );
            return Ok(Compared { collections: Vec::new(), snapshot: None, reason: Some(reason) });
        }
    }
    details.held = 0;
    details.snapshots += 1;
    details.snapshot_at = Some(now);
    details.indexes = indexes;
    details.unread = unread;
    Ok(Compared { collections: sorter.outcomes(), snapshot: Some(Snapshot { runs }), reason })
}

/// What a site that is followed from now on changed last: else its feed would stay empty until
/// something happens, and nobody could tell whether it works.
async fn recent(
    mut pages: Merge<'_>,
    sorter: &mut Sorter<'_>,
    now: Millis,
) -> Result<(), PollError> {
    sorter.keep(MOST_RECENT);
    while let Some(page) = pages.next().await? {
        let Some(time) = lastmod(&page) else { continue };
        if (now - RECENT..=now).contains(&time) {
            let key = change_key(&["snapshot", &page.uri, "first", &page.stamp]);
            sorter.take(Difference { page, kind: Kind::Updated }, time, key);
        }
    }
    sorter.forget_more();
    Ok(())
}

/// Much of what was there is gone: an empty answer, or a part of one, more often than a site's end.
fn is_mass_deletion(counted: &Counted) -> bool {
    let is_empty = counted.after == 0 && counted.before > 0;
    is_empty || (counted.deleted > 20 && counted.deleted * 10 > counted.before)
}

/// Nearly all pages changed at the same time: programs that write the time of the Sitemap for that of
/// each page do so at every build.
fn is_restamped(same: u64, after: u64) -> bool {
    same > 20 && same * 10 > after * 8
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
