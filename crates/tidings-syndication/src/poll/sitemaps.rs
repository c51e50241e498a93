//! A site with Sitemaps: what is different from one snapshot to the next.

use tidings_store::{Lease, Millis, Site, Store, Via};

use super::{LOOK_AGAIN, News, asked, is_absent};
use crate::Wishes;
use crate::details::Details;
use crate::fetch::Fetch;
use crate::find::find;
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
    let mut reason = None;
    if now - details.looked_at >= LOOK_AGAIN {
        reason = again(fetch, site, &mut details, now).await?;
    }
    let compared = sitemap::poll(store, fetch, site, &mut details, lease, now).await?;
    let is_other = before != (details.snapshots, details.held, details.looked_at);
    Ok(News {
        details: is_other.then_some(details),
        collections: compared.collections,
        snapshot: compared.snapshot,
        reason: compared.reason.or(reason),
        ..News::nothing()
    })
}

/// Looks for the Sitemaps of a site again: it may have others by now. Says what a person should know.
async fn again(
    fetch: &Fetch<'_>,
    site: &Site,
    details: &mut Details,
    now: Millis,
) -> Result<Option<String>, PollError> {
    let asked = asked(site, details)?;
    details.looked_at = now;
    Ok(match find(fetch, &asked, &site.settings, &Wishes::default(), now).await {
        Ok(found) if found.via == Via::Sitemap => {
            let is_whole = found.missing.iter().all(|(_, reason)| is_absent(reason));
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
        Ok(found) if found.via == Via::ResourceSync => Some(
            "it has ResourceSync by now; unfollow it and follow it again to have its collections"
                .to_owned(),
        ),
        // What is known of it may still be there.
        Ok(_) | Err(_) => None,
    })
}
