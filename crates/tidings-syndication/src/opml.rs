//! Lists of sites and feeds, in and out.

use tidings_feed::{Opml, Outline};
use tidings_store::{SiteFilter, Store, StoreError};

use crate::desk::{FeedName, Variant};
use crate::follower::hidden;
use crate::news::name;
use crate::{FollowError, Follower, Wishes};

/// What came of one line of a list.
#[derive(Debug)]
pub struct Imported {
    /// What was to be followed.
    pub url: String,
    /// The key of the site, and whether it is new; or why it cannot be followed.
    pub result: Result<(String, bool), FollowError>,
}

/// Follows all of a list: of each outline its feed, as whoever made the list did; if that leads nowhere, the
/// site that it is of. Each is shown to `each` as soon as it is done.
pub async fn import(
    follower: &Follower,
    opml: &Opml,
    wishes: &Wishes,
    trusted: bool,
    mut each: impl FnMut(&Imported),
) -> Vec<Imported> {
    let mut all = Vec::new();
    for outline in opml.feeds() {
        let urls = [&outline.xml_url, &outline.html_url].into_iter().flatten();
        let mut imported = None;
        for url in urls {
            let followed = follower.follow(url, wishes, trusted).await;
            let result = followed.map(|followed| (followed.site.key, followed.is_new));
            let is_done = result.is_ok();
            // What is said is about the first that was tried, unless another does better.
            if is_done || imported.is_none() {
                imported = Some(Imported { url: hidden(url), result });
            }
            if is_done {
                break;
            }
        }
        if let Some(imported) = imported {
            each(&imported);
            all.push(imported);
        }
    }
    all
}

/// All feeds of a server at a base URL: a group for each site that has more than one collection.
pub async fn export(store: &Store, base: &str) -> Result<Opml, StoreError> {
    let base = if base.ends_with('/') { base.to_owned() } else { format!("{base}/") };
    let mut outlines = Vec::new();
    let mut after = None;
    loop {
        let filter = SiteFilter { after: after.take(), limit: 500, ..SiteFilter::default() };
        let sites = store.sites(filter).await?;
        let Some(last) = sites.last() else { break };
        after = Some(last.key.clone());
        for site in &sites {
            let collections = store.collections(site.id).await?;
            let feed = |text: String, feed: &FeedName, html: &str| Outline {
                text,
                xml_url: Some(format!("{base}{}", feed.path(Variant::Digest, "atom"))),
                html_url: Some(html.to_owned()),
                kind: Some("rss".to_owned()),
                children: Vec::new(),
            };
            let mut feeds: Vec<Outline> = collections
                .iter()
                .map(|one| feed(name(one), &FeedName::Collection(one.key.clone()), &one.identity))
                .collect();
            let text = site.title.clone().unwrap_or_else(|| site.url.clone());
            match feeds.pop() {
                Some(only) if feeds.is_empty() => {
                    outlines.push(Outline { html_url: Some(site.url.clone()), ..only });
                }
                last => {
                    feeds.extend(last);
                    let group = Outline {
                        text,
                        xml_url: None,
                        html_url: None,
                        kind: None,
                        children: feeds,
                    };
                    outlines.push(group);
                }
            }
        }
    }
    Ok(Opml { title: "Sites followed by Tidings".to_owned(), outlines })
}
