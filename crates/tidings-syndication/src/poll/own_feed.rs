//! A site with a feed of its own, until it offers something better.

use tidings_store::{Lease, Millis, Site, Store, Via};
use tidings_web::Url;

use super::adoption::adopt;
use super::{News, asked, entry_moves, is_time_to_look};
use crate::details::Details;
use crate::fetch::Fetch;
use crate::find::{Found, find_again};
use crate::{PollError, feed_taken};

/// Takes the new entries of the feed. Once a day, and when a person asks, it is found out whether the
/// site has ResourceSync or a Sitemap by now; who named the feed itself goes on with the feed.
pub(super) async fn poll(
    store: &Store,
    fetch: &Fetch<'_>,
    lease: &Lease,
    site: &Site,
    now: Millis,
) -> Result<News, PollError> {
    let mut details = Details::read(&site.details);
    let asked = asked(site, &details)?;
    let is_named = details.feed.as_deref() == Some(asked.as_str());
    let looks = !is_named && is_time_to_look(fetch, site, &details, now);
    if looks {
        details.looked_at = now;
        if let Ok(found) = find_again(fetch, &asked, &site.settings, now).await
            && (found.is_source() || found.via == Via::Sitemap)
        {
            return adopt(store, fetch, lease, site, found, now).await;
        }
    }
    match feed_taken::poll(fetch, &mut details, now).await {
        Ok(Some(mut outcome)) => {
            let known_pages = &details.known_pages;
            entry_moves::recognise(store, site, known_pages, &mut outcome, now).await?;
            Ok(News {
                title: outcome.collection.title.clone(),
                details: Some(details),
                collections: vec![outcome],
                ..News::nothing()
            })
        }
        Ok(None) => Ok(News { details: looks.then_some(details), ..News::nothing() }),
        // One answer may be a mistake of the server.
        Err(error) if error.is_gone() && site.failures > 0 => {
            match elsewhere(fetch, site, &details, &asked, now).await {
                Some(found) => adopt(store, fetch, lease, site, found, now).await,
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Other means to follow a site whose feed is gone.
async fn elsewhere(
    fetch: &Fetch<'_>,
    site: &Site,
    details: &Details,
    asked: &Url,
    now: Millis,
) -> Option<Found> {
    let root = asked.join("/").ok();
    for place in [Some(asked.clone()), root].into_iter().flatten() {
        let found = find_again(fetch, &place, &site.settings, now).await;
        if let Ok(mut found) = found
            && found.via != Via::Webfeed
            && found.details.feed.as_ref().is_none_or(|feed| Some(feed) != details.feed.as_ref())
        {
            found.details.asked = details.asked.clone();
            return Some(found);
        }
    }
    None
}
