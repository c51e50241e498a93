//! Moves a site to other means of following, in place: its keys, its feeds and their past stay.

use tidings_document::Moment;
use tidings_store::{
    CollectionOutcome, Kind, Lease, Millis, NewChange, NewCollection, Site, SiteMove, Snapshot,
    Store, Via,
};

use super::{News, source};
use crate::details::Details;
use crate::fetch::Fetch;
use crate::find::Found;
use crate::handover::Handover;
use crate::page_identity::page_identity;
use crate::succession::Succession;
use crate::{PollError, feed_taken, site_pages, sitemap};

/// Follows a site by what was found, from now on. Changes that were told already are not told again.
pub(super) async fn adopt(
    store: &Store,
    fetch: &Fetch<'_>,
    lease: &Lease,
    site: &Site,
    found: Found,
    now: Millis,
) -> Result<News, PollError> {
    let Found { via, url, title, mut details, collections: new, .. } = found;
    let old = store.collections(site.id).await?;
    let mut handover = Handover::from_recorded(store, site).await?;
    let succession = Succession::new(&old, &new, url.as_str());
    let moved = Site { via, url: url.to_string(), ..site.clone() };
    let before = Details::read(&site.details);
    // The numbers of snapshots tell changes apart, also those of the time before.
    details.earlier_snapshots = before.earlier_snapshots + before.snapshots;
    let mut news = News::nothing();
    // A snapshot of Sitemaps is of use only to the next one.
    news.snapshot = Some(Snapshot::default());
    match via {
        Via::ResourceSync => {
            let collections = succession.collections(&moved, &old, new, handover.since());
            (news.collections, news.reason) =
                source::read_all(fetch, &moved, collections, now).await?;
        }
        Via::Feed => news.collections.extend(feed_taken::poll(fetch, &mut details, now).await?),
        Via::Sitemap => {
            let compared = sitemap::poll(store, fetch, &moved, &mut details, lease, now).await?;
            (news.snapshot, news.reason) = (compared.snapshot, compared.reason);
            news.collections = compared.collections;
            describe(&mut news.collections, new);
        }
        Via::Pages => {
            let read = site_pages::poll(store, fetch, &moved, &mut details, now).await?;
            news.collections.extend(read.outcome);
            news.reason = read.reason;
        }
        Via::Webfeed => {
            let reason = "it is a webfeed by now; unfollow it and follow it again".to_owned();
            return Err(PollError::Site(reason));
        }
    }
    if site.via == Via::Sitemap {
        let changes = news.collections.iter().flat_map(|outcome| &outcome.changes);
        handover.add_snapshot(store, site.id, changes).await?;
    }
    handover.add_pages(before.pages.keys());
    handover.add_known(&before.known_pages);
    for outcome in &mut news.collections {
        leave_out_told(outcome, &mut handover);
    }
    details.known_pages = handover.into_known();
    news.title = title;
    news.details = Some(details);
    let Succession { identities, ended } = succession;
    news.moved = Some(Box::new(SiteMove { via, url: url.into(), identities, ended }));
    Ok(news)
}

/// Leaves out the changes that were told already, for good.
fn leave_out_told(outcome: &mut CollectionOutcome, handover: &mut Handover) {
    let changes = std::mem::take(&mut outcome.changes);
    let (told, new): (Vec<NewChange>, Vec<NewChange>) =
        changes.into_iter().partition(|change| handover.has_told(change));
    for change in &told {
        if change.kind != Kind::Deleted {
            let changed = change.time_text.as_deref().and_then(|text| Moment::parse(text).ok());
            handover.hand_over(page_identity(&change.uri), changed);
        }
    }
    outcome.changes = new;
    outcome.told = told.into_iter().map(|change| change.key).collect();
    // What there was no room for is older than all that.
    outcome.more = [0; 3];
}

/// Adds what the collections of a Sitemap are called, and those without a change.
fn describe(outcomes: &mut Vec<CollectionOutcome>, collections: Vec<NewCollection>) {
    for new in collections {
        let known = outcomes.iter_mut().find(|one| one.collection.identity == new.identity);
        match known {
            Some(outcome) => outcome.collection = new,
            None => {
                outcomes
                    .push(CollectionOutcome { collection: new, ..CollectionOutcome::default() });
            }
        }
    }
}
