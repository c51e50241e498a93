//! A site that is followed by its pages, until it offers something better.

use tidings_store::{Lease, Millis, Settings, Site, Store, Via};

use super::adoption::adopt;
use super::{News, asked, is_time_to_look};
use crate::details::Details;
use crate::fetch::Fetch;
use crate::find::find_again;
use crate::{PollError, site_pages};

/// Reads the pages. Once a day, and when a person asks, it is found out whether the site offers something
/// else by now.
pub(super) async fn poll(
    store: &Store,
    fetch: &Fetch<'_>,
    lease: &Lease,
    site: &Site,
    now: Millis,
) -> Result<News, PollError> {
    let mut details = Details::read(&site.details);
    let asked = asked(site, &details)?;
    if is_time_to_look(fetch, site, &details, now) {
        details.looked_at = now;
        let settings = Settings { pages: 0, ..site.settings.clone() };
        if let Ok(found) = find_again(fetch, &asked, &settings, now).await
            && found.via != Via::Webfeed
        {
            return adopt(store, fetch, lease, site, found, now).await;
        }
    }
    let read = site_pages::poll(store, fetch, site, &mut details, now).await?;
    Ok(News {
        details: Some(details),
        collections: read.outcome.into_iter().collect(),
        reason: read.reason,
        ..News::nothing()
    })
}
