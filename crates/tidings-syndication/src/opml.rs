//! Writes lists of sites and of feeds, and follows what is in such lists.

use tidings_feed::{FeedFormat, FollowedSite, Opml, Outline};
use tidings_store::{Site, SiteFilter, Store, StoreError, Via};

use crate::desk::{FeedName, Variant};
use crate::details::Details;
use crate::follower::hidden;
use crate::news::name;
use crate::{FollowError, Follower, Wishes, opml_settings};

/// How many sites are read at once.
const SITES_PER_PAGE: u32 = 500;

/// What came of one line of a list.
#[derive(Debug)]
pub struct Imported {
    /// What was to be followed.
    pub url: String,
    /// The key of the site, and whether it is new; or why it cannot be followed.
    pub result: Result<(String, bool), FollowError>,
    /// The settings of the list that were not understood, and are not set.
    pub skipped_settings: Vec<String>,
}

/// Follows what an outline names: the site that is named by our own attributes, else its feed, as whoever made
/// the list did; if that leads nowhere, the page that the feed is of. What is wished for counts more than the
/// settings of the list. None if it names nothing.
pub async fn import_outline(
    follower: &Follower,
    outline: &Outline,
    wishes: &Wishes,
    trusted: bool,
) -> Option<Imported> {
    let mut skipped_settings = Vec::new();
    let (wishes, is_paused, urls) = match &outline.site {
        Some(site) => {
            let of_list = opml_settings::read(&site.settings);
            skipped_settings = of_list.skipped;
            (wishes.or(of_list.wishes), of_list.is_paused, vec![&site.url])
        }
        None => {
            let urls = [&outline.xml_url, &outline.html_url].into_iter().flatten();
            (*wishes, false, urls.collect())
        }
    };
    let mut imported = None;
    for url in urls {
        let result = follow(follower, url, &wishes, trusted, is_paused).await;
        let is_done = result.is_ok();
        // What is said is about the first that was tried, unless another does better.
        if is_done || imported.is_none() {
            imported = Some(Imported { url: hidden(url), result, skipped_settings: Vec::new() });
        }
        if is_done {
            break;
        }
    }
    imported.map(|imported| Imported { skipped_settings, ..imported })
}

async fn follow(
    follower: &Follower,
    url: &str,
    wishes: &Wishes,
    trusted: bool,
    is_paused: bool,
) -> Result<(String, bool), FollowError> {
    let followed = follower.follow(url, wishes, trusted).await?;
    if is_paused && followed.is_new {
        follower.store().set_paused(&followed.site.key, true).await?;
    }
    Ok((followed.site.key, followed.is_new))
}

/// The sites that are followed, with their settings: what another Tidings needs to follow the same. A feed
/// reader finds in it the feeds of those sites that are followed by their own.
pub async fn export_sites(store: &Store) -> Result<Opml, StoreError> {
    let mut outlines = Vec::new();
    let mut pages = SitePages::default();
    while let Some(sites) = pages.next(store).await? {
        outlines.extend(sites.iter().map(|site| {
            let own_feed = Details::read(&site.details).feed.filter(|_| site.via == Via::Feed);
            Outline {
                text: title(site),
                xml_url: own_feed,
                html_url: Some(site.url.clone()),
                site: Some(FollowedSite {
                    url: address(site),
                    settings: opml_settings::write(site),
                }),
                ..Outline::default()
            }
        }));
    }
    Ok(Opml { title: "Sites followed by Tidings".to_owned(), outlines })
}

/// All feeds of a server at a base URL: a group for each site that has more than one collection.
pub async fn export_feeds(store: &Store, base: &str) -> Result<Opml, StoreError> {
    let base = if base.ends_with('/') { base.to_owned() } else { format!("{base}/") };
    let mut outlines = Vec::new();
    let mut pages = SitePages::default();
    while let Some(sites) = pages.next(store).await? {
        for site in &sites {
            let collections = store.collections(site.id).await?;
            let mut feeds: Vec<Outline> = collections
                .iter()
                .map(|one| {
                    let feed = FeedName::Collection(one.key.clone());
                    Outline {
                        text: name(one),
                        xml_url: Some(format!(
                            "{base}{}",
                            feed.path(Variant::Digest, FeedFormat::Atom)
                        )),
                        html_url: Some(one.identity.clone()),
                        kind: Some("rss".to_owned()),
                        // Who takes the list over follows the site, and not our feed of it.
                        site: Some(FollowedSite {
                            url: address(site),
                            settings: opml_settings::write(site),
                        }),
                        ..Outline::default()
                    }
                })
                .collect();
            match feeds.pop() {
                Some(only) if feeds.is_empty() => {
                    outlines.push(Outline { html_url: Some(site.url.clone()), ..only });
                }
                last => {
                    feeds.extend(last);
                    let text = title(site);
                    outlines.push(Outline { text, children: feeds, ..Outline::default() });
                }
            }
        }
    }
    Ok(Opml { title: "Feeds of Tidings".to_owned(), outlines })
}

fn title(site: &Site) -> String {
    site.title.clone().unwrap_or_else(|| site.url.clone())
}

/// The address by which a person followed a site: what is found from there is found again.
fn address(site: &Site) -> String {
    let asked = Details::read(&site.details).asked;
    if asked.is_empty() { site.url.clone() } else { asked }
}

/// All sites in the order of their keys, some at a time.
#[derive(Default)]
struct SitePages {
    after: Option<String>,
}

impl SitePages {
    async fn next(&mut self, store: &Store) -> Result<Option<Vec<Site>>, StoreError> {
        let after = self.after.take();
        let filter = SiteFilter { after, limit: SITES_PER_PAGE, ..SiteFilter::default() };
        let sites = store.sites(filter).await?;
        self.after = sites.last().map(|site| site.key.clone());
        Ok((!sites.is_empty()).then_some(sites))
    }
}
