//! Decides whether the `lastmod` of a Sitemap is believed: when most pages claim to have changed, the
//! contents of some are compared.

use std::collections::HashSet;

use tidings_store::{Kind, Run, Site};
use tidings_web::Url;

use super::content_sample::{self, Comparison, MAX_SAMPLED_PAGES};
use super::sort::Sorter;
use crate::PollError;
use crate::details::Details;
use crate::fetch::Fetch;
use crate::follower::host_of;
use crate::snapshot::{Counted, Difference, Merge, Page};

/// How many pages have to be compared before they say something of a site most of whose pages claim nothing.
const MIN_EVIDENCE: usize = 3;

/// Decides whether it is believed that so many pages changed; if not, only those are told that were seen
/// to have changed. Says what a person should know.
pub(super) async fn doubt(
    fetch: &Fetch<'_>,
    site: &Site,
    details: &mut Details,
    counted: &Counted,
    claims: Claims,
    sorter: &mut Sorter<'_>,
) -> Option<String> {
    let Claims { sampled, others, new, gone, .. } = claims;
    details.sample.retain(|sampled| !gone.contains(&sampled.uri));
    // Pages of the sample are read again whenever they change, so that they can be compared later.
    let seen = content_sample::compare(fetch, &site.host, &mut details.sample, &sampled).await;
    let is_doubted = std::mem::take(&mut details.lastmod_is_doubted);
    // Pages join while there is room, so that their first claim can be compared already.
    enlarge(fetch, site, details, new).await;
    let was_suspect = details.lastmod_is_suspect;
    if seen.count() > 0 {
        let are_few_right = seen.count() >= MIN_EVIDENCE && seen.changed.len() * 2 < seen.count();
        let is_tested = was_suspect || are_few_right || counted.has_most_updated();
        details.lastmod_is_suspect = is_tested && !seen.unchanged.is_empty();
    }
    if details.lastmod_is_suspect {
        // What is known better is not told; the other claims may still be believed.
        sorter.forget_updates_of(&seen.unchanged);
    }
    // Fewer claims are believed, unless the site was caught before and one of them is wrong again.
    if !counted.has_most_updated() && (!is_doubted || seen.count() == 0) {
        return None;
    }
    enlarge(fetch, site, details, others).await;
    let compared = seen.count();
    let Comparison { changed, .. } = seen;
    if compared == 0 {
        let (stamp, count) = counted.common_stamp()?;
        if !is_restamped(count, counted.after) {
            return None;
        }
        sorter.forget_updates(stamp);
        return Some(format!(
            "{count} of {} pages have the same new time in its Sitemap, which is that of the Sitemap and \
             not of the pages: nothing is said about them",
            counted.after
        ));
    }
    details.lastmod_is_doubted = changed.len() * 2 < compared;
    if !details.lastmod_is_doubted {
        return None;
    }
    sorter.forget_updates_except(&changed);
    Some(format!(
        "{} of {} pages have a new time in its Sitemap, but of {compared} that were compared {} changed: \
         the times of its Sitemap are not believed for now",
        counted.updated,
        counted.after,
        changed.len()
    ))
}

/// Adds pages to the sample, as many as there is room for.
async fn enlarge(fetch: &Fetch<'_>, site: &Site, details: &mut Details, mut uris: Vec<String>) {
    uris.retain(|uri| details.sample.iter().all(|sampled| sampled.uri != *uri));
    uris.truncate(MAX_SAMPLED_PAGES.saturating_sub(details.sample.len()));
    details.sample.extend(content_sample::take(fetch, &site.host, uris).await);
}

/// The pages that are claimed to have changed, as far as their contents may be compared.
pub(super) struct Claims {
    sample: HashSet<String>,
    host: String,
    /// Those of the sample.
    sampled: Vec<String>,
    /// Some others.
    others: Vec<String>,
    /// Some that are new, or have a time for the first time.
    new: Vec<String>,
    /// Those of the sample that are not there any more.
    gone: Vec<String>,
}

impl Claims {
    pub(super) fn new(site: &Site, details: &Details) -> Self {
        let sample = details.sample.iter().map(|sampled| sampled.uri.clone()).collect();
        let host = site.host.clone();
        let (sampled, others, new, gone) = Default::default();
        Self { sample, host, sampled, others, new, gone }
    }

    pub(super) fn take(&mut self, difference: &Difference) {
        let uri = &difference.page.uri;
        if difference.kind == Kind::Deleted && self.sample.contains(uri) {
            self.gone.push(uri.clone());
        }
        if difference.kind == Kind::Created {
            self.add_new(&difference.page);
        }
        if difference.kind != Kind::Updated {
            return;
        }
        if self.sample.contains(uri) {
            self.sampled.push(uri.clone());
        } else if self.others.len() < MAX_SAMPLED_PAGES && is_on(uri, &self.host) {
            self.others.push(uri.clone());
        }
    }

    /// Adds the pages of a snapshot in which pages have times for the first time.
    pub(super) async fn add_stamped(&mut self, mut pages: Merge<'_>) -> Result<(), PollError> {
        while self.new.len() < MAX_SAMPLED_PAGES
            && let Some(page) = pages.next().await?
        {
            if !self.new.contains(&page.uri) && !self.sample.contains(&page.uri) {
                self.add_new(&page);
            }
        }
        Ok(())
    }

    fn add_new(&mut self, page: &Page) {
        let has_room = self.new.len() < MAX_SAMPLED_PAGES;
        if has_room && !page.stamp.is_empty() && is_on(&page.uri, &self.host) {
            self.new.push(page.uri.clone());
        }
    }
}

fn is_on(uri: &str, host: &str) -> bool {
    Url::parse(uri).is_ok_and(|url| host_of(&url) == host)
}

/// Picks pages that have a time, at equal distances, for their contents to be compared.
pub(super) struct Sampler {
    host: String,
    distance: u64,
    count: u64,
    pub(super) uris: Vec<String>,
}

impl Sampler {
    pub(super) fn new(site: &Site, runs: &[Run]) -> Self {
        let pages: u64 = runs.iter().map(|run| run.entries.unsigned_abs()).sum();
        let distance = (pages / MAX_SAMPLED_PAGES as u64).max(1);
        Self { host: site.host.clone(), distance, count: 0, uris: Vec::new() }
    }

    pub(super) fn take(&mut self, page: &Page) {
        let is_picked = self.count.is_multiple_of(self.distance);
        self.count += 1;
        let has_room = self.uris.len() < MAX_SAMPLED_PAGES;
        if is_picked && has_room && !page.stamp.is_empty() && is_on(&page.uri, &self.host) {
            self.uris.push(page.uri.clone());
        }
    }
}

/// Nearly all pages changed at the same time: programs that write the time of the Sitemap for that of
/// each page do so at every build.
fn is_restamped(same: u64, after: u64) -> bool {
    same > 20 && same * 10 > after * 8
}
