//! A site with Sitemaps: what is different from one snapshot to the next.

use tidings_store::{Lease, Millis, Site, Store, Via};
use tidings_web::Url;

use super::adoption::adopt;
use super::{News, asked, is_time_to_look};
use crate::details::Details;
use crate::fetch::Fetch;
use crate::find::{Found, find_again};
use crate::{PollError, sitemap};

/// Takes the next snapshot.
pub(super) async fn poll(
    store: &Store,
    fetch: &Fetch<'_>,
    lease: &Lease,
    site: &Site,
    now: Millis,
) -> Result<News, PollError> {
    let mut details = Details::read(&site.details);
    let before = (details.snapshots, details.held, details.looked_at);
    let asked = asked(site, &details)?;
    if is_time_to_look(fetch, site, &details, now) {
        let found = again(fetch, site, &mut details, &asked, now).await;
        if let Some(found) = found.filter(Found::is_source) {
            return adopt(store, fetch, lease, site, found, now).await;
        }
    }
    let compared = match sitemap::poll(store, fetch, site, &mut details, lease, now).await {
        // One answer may be a mistake of the server.
        Err(error) if error.is_gone() && site.failures > 0 => {
            let found = again(fetch, site, &mut details, &asked, now).await;
            return match found.filter(|found| found.via != Via::Webfeed) {
                Some(found) => adopt(store, fetch, lease, site, found, now).await,
                None => Err(error),
            };
        }
        compared => compared?,
    };
    let is_other = before != (details.snapshots, details.held, details.looked_at);
    Ok(News {
        details: is_other.then_some(details),
        collections: compared.collections,
        snapshot: compared.snapshot,
        moved: compared.moved.map(Box::new),
        reason: compared.reason,
        ..News::nothing()
    })
}

/// Looks for the Sitemaps of a site again: it may have others by now, or something else, which is
/// answered.
async fn again(
    fetch: &Fetch<'_>,
    site: &Site,
    details: &mut Details,
    asked: &Url,
    now: Millis,
) -> Option<Found> {
    details.looked_at = now;
    // What is known of it may still be there.
    let found = find_again(fetch, asked, &site.settings, now).await.ok()?;
    if found.via != Via::Sitemap {
        return Some(found);
    }
    let is_whole = found.missing.iter().all(|(_, failure)| failure.is_absence());
    let known = std::mem::replace(&mut details.sitemaps, found.details.sitemaps);
    // What was not seen because of some trouble is not gone.
    for one in known.into_iter().filter(|_| !is_whole) {
        if !details.sitemaps.contains(&one) {
            details.sitemaps.push(one);
        }
    }
    details.quality = found.details.quality;
    details.found_by = found.details.found_by;
    None
}
