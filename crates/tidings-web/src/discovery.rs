//! Finds a Source, wherever a person points: at a site, a page of it, or any document of the Source.
//!
//! These are the three ways of the standard (section 6.3): the well-known place, links from pages,
//! `Sitemap` lines of robots.txt; then the place where a Sitemap usually is.

mod document;
mod error;
mod explorer;
mod failure;
mod policy;
mod source;
mod tree;

use std::sync::Arc;

use url::Url;

pub use error::DiscoveryError;
pub use failure::DiscoveryFailure;
pub use policy::{DiscoveryPolicy, Search};
pub use source::{DiscoveryAttempt, DiscoveryDocument, Offer, Source, SourceSet};

use crate::robots::{Robots, robots_of};
use crate::{Client, GetOptions, Login};
use document::{ProbeResult, ProbedDocument};
use explorer::{Explorer, attempt};
use source::name;
use tree::FoundSets;

const WELL_KNOWN: &str = ".well-known/resourcesync";

/// Finds the Source that `start` is the site, a page or a document of.
///
/// Of a site, its well-known place is looked at first, of everything else what was named. A Source
/// Description leads to all its sets, and any other document to the set that it belongs to. Documents
/// are read with the default [`Limits`](tidings_document::Limits), not more than 1,000 of them.
///
/// A user name and password in `start` go to all URLs of its origin, and are in none of those that are
/// answered with.
pub async fn discover(
    client: &Client,
    start: &Url,
    options: &GetOptions,
) -> Result<Source, DiscoveryError> {
    discover_with(client, start, options, DiscoveryPolicy::default()).await
}

/// The same, with a say in how far the search goes and what it is content with.
pub async fn discover_with(
    client: &Client,
    start: &Url,
    options: &GetOptions,
    policy: DiscoveryPolicy,
) -> Result<Source, DiscoveryError> {
    let mut start = start.clone();
    start.set_fragment(None);
    let login = Login::take(&mut start);
    let mut explorer = Explorer::new(client, options, policy, login);
    let found = search(&mut explorer, &start).await;
    match found.filter(|_| explorer.obstacle.is_none() && explorer.malformed.is_none()) {
        Some((FoundSets { description, mut sets }, found_by)) => {
            name(&mut sets);
            let top = description.as_ref().and_then(|url| explorer.known(url));
            let described_by = top.and_then(|document| document.link("describedby"));
            Ok(Source {
                documents: explorer.documents(),
                description,
                described_by,
                sets,
                found_by,
                left_out: explorer.left_out,
                tried: explorer.tried,
                unread: explorer.unread,
            })
        }
        None => {
            let gone = explorer.is_gone(&start);
            let Explorer { tried, obstacle, malformed, .. } = explorer;
            Err(DiscoveryError { start, tried, gone, obstacle, malformed })
        }
    }
}

/// A place to look at.
enum ProbeLocation {
    /// What was named.
    Itself,
    /// Where a document would be.
    At(&'static str, Url),
    /// In robots.txt.
    Robots,
}

/// Looks at one place after the other, up to the first that leads to something.
async fn search(explorer: &mut Explorer<'_>, start: &Url) -> Option<(FoundSets, String)> {
    let site = start.join("/").ok()?;
    let well_known =
        |base: &Url| Some(ProbeLocation::At("the well-known place", base.join(WELL_KNOWN).ok()?));
    let sitemap = ProbeLocation::At("the usual place of a Sitemap", site.join("sitemap.xml").ok()?);
    let places = if explorer.policy.search == Search::Sitemaps {
        vec![ProbeLocation::Itself, ProbeLocation::Robots, sitemap]
    } else if is_site(start) {
        vec![well_known(&site)?, ProbeLocation::Itself, ProbeLocation::Robots, sitemap]
    } else {
        // Relative to a page, that is the folder that it is in.
        let folder = well_known(start)?;
        vec![ProbeLocation::Itself, folder, well_known(&site)?, ProbeLocation::Robots, sitemap]
    };
    for place in places {
        let found = match place {
            ProbeLocation::Itself => itself(explorer, start).await,
            ProbeLocation::At(what, url) => at_place(explorer, what, &url).await,
            ProbeLocation::Robots => in_robots(explorer, &site).await,
        };
        let is_over = explorer.obstacle.is_some() || explorer.malformed.is_some();
        if found.is_some() || explorer.is_gone(start) || is_over {
            return found;
        }
    }
    None
}

fn url_is_well_known(url: &Url) -> bool {
    url.path().ends_with(WELL_KNOWN)
}

/// True for the root of a site.
fn is_site(url: &Url) -> bool {
    url.path() == "/" && url.query().is_none()
}

/// A place where a document would be, and nothing else counts.
async fn at_place(
    explorer: &mut Explorer<'_>,
    what: &str,
    url: &Url,
) -> Option<(FoundSets, String)> {
    if explorer.knows(url) {
        return None;
    }
    let found = match url.path().ends_with(WELL_KNOWN) {
        true => required_at(explorer, what, url).await?,
        false => document_at(explorer, what, url).await?,
    };
    Some((found, format!("its {}", url.path())))
}

/// What was named: a document, or a page or other resource that links to one (section 6.3.3).
async fn itself(explorer: &mut Explorer<'_>, start: &Url) -> Option<(FoundSets, String)> {
    let what = "what was named";
    let other = match explorer.try_place(what, start).await {
        Some(ProbeResult::Document(document)) => {
            let found = of_document(explorer, what, &document).await?;
            return Some((found, "the document itself".to_owned()));
        }
        Some(ProbeResult::Other(other)) => other,
        None => {
            // Of a site, the well-known place has said that there is nothing.
            if !is_site(start) {
                explorer.hinder_by_failure(what, start);
            }
            return None;
        }
    };
    let ways = [(&other.header, "the Link header of"), (&other.page, "the link in the page")];
    for (links, way) in ways {
        for link in links.iter().filter(|link| link.is("resourcesync")) {
            let what = format!("{way} {start}");
            if let Some(found) = required_at(explorer, &what, &link.target).await {
                return Some((found, what));
            }
        }
    }
    None
}

/// Each `Sitemap` line may name a Resource List, which leads to its set, or a plain Sitemap (section
/// 6.3.4). Several plain ones are one set: they share out the pages of one site.
async fn in_robots(explorer: &mut Explorer<'_>, site: &Url) -> Option<(FoundSets, String)> {
    let what = "the Sitemap lines of robots.txt";
    let place = site.join("robots.txt").ok()?;
    let robots = robots_of(explorer.client, &explorer.request_url(site), explorer.options).await;
    let urls: Vec<Url> = robots.sitemaps().filter_map(|line| place.join(line).ok()).collect();
    if urls.is_empty() {
        let reason = robots.verdict(Robots::PRODUCT, site).reason;
        explorer.note(what, &place, DiscoveryFailure::without_sitemap_lines(&place, &reason));
        return None;
    }
    let mut found = FoundSets { description: None, sets: Vec::new() };
    let mut plain: Option<SourceSet> = None;
    for url in &urls {
        let Some(one) = document_at(explorer, what, url).await else {
            // What only this one lists would seem to be gone.
            explorer.hinder_by_failure(what, url);
            continue;
        };
        found.description = found.description.or(one.description);
        for set in one.sets {
            if set.offers.iter().any(|offer| offer.is_sitemap) && set.capability_list.is_none() {
                match &mut plain {
                    Some(plain) => plain.offers.extend(set.offers),
                    None => plain = Some(set),
                }
            } else if set.capability_list.is_none()
                || found.sets.iter().all(|other| other.capability_list != set.capability_list)
            {
                found.sets.push(set);
            }
        }
    }
    // Beside Resource Lists, Sitemaps are for search engines.
    if found.sets.is_empty() {
        found.sets.extend(plain);
    }
    let line = if urls.len() == 1 { "the Sitemap line" } else { "the Sitemap lines" };
    (!found.sets.is_empty()).then(|| (found, format!("{line} of robots.txt")))
}

/// The sets that the document at a place leads to, if there is one.
async fn document_at(explorer: &mut Explorer<'_>, what: &str, url: &Url) -> Option<FoundSets> {
    match explorer.try_place(what, url).await? {
        ProbeResult::Document(document) => of_document(explorer, what, &document).await,
        ProbeResult::Other(_) => None,
    }
}

/// The same where a strict search takes nothing but a document, or the word of the server that there is
/// none. A page in its place may be of a login, or of a server in trouble.
async fn required_at(explorer: &mut Explorer<'_>, what: &str, url: &Url) -> Option<FoundSets> {
    let found = document_at(explorer, what, url).await;
    if found.is_none() {
        if let Ok(ProbeResult::Other(other)) = explorer.look(url).await {
            explorer.hinder(what, url, other.failure.clone());
        }
        explorer.hinder_by_failure(what, url);
    }
    found
}

async fn of_document(
    explorer: &mut Explorer<'_>,
    what: &str,
    document: &Arc<ProbedDocument>,
) -> Option<FoundSets> {
    if explorer.policy.search == Search::Sitemaps {
        return explorer.sitemap_of(what, document);
    }
    if let Some(failure) = document.missing_root(url_is_well_known(&document.asked)) {
        explorer.note(what, &document.asked, failure.clone());
        if document.lists_capabilities {
            // Its author means ResourceSync, and has to know.
            explorer.malformed = Some(attempt(what, &document.asked, Err(failure)));
        }
        return None;
    }
    match explorer.sets_of(document).await {
        Ok(found) => Some(found),
        Err(failure) => {
            explorer.note(what, &document.asked, failure.clone());
            if !explorer.unread.is_empty() {
                explorer.hinder(what, &document.asked, failure);
            }
            None
        }
    }
}
