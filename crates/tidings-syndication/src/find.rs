//! Finds out by what the changes of a site can be known.

mod feed_path;
mod site_pages;
mod webfeed;

use std::collections::HashSet;

use tidings_document::{Capability, Profile, rule::ifcc};
use tidings_feed::{Description, Page, TakenFeed};
use tidings_store::{Millis, NewCollection, Settings, Via};
use tidings_web::{
    DiscoveryDocument, DiscoveryFailure, Glance, Source, SourceSet, Url, Validators, discover,
};

use crate::details::{Details, Known, Progress};
use crate::fetch::Fetch;
use crate::key::key;
use crate::look::Tried;
use crate::quality::{SetFinding, add_findings, quality};
use crate::{FollowError, PollError, Wishes, feed_taken};
use feed_path::usual_feed;
use site_pages::with_pages;
use webfeed::{offers, unnamed_webfeed, usual, webfeed_at};

/// How a webfeed was found whose index was named.
const ITSELF: &str = "the index of the webfeed itself";

/// How a webfeed was found that is where webfeeds usually are.
const USUAL_PLACE: &str = "its usual place, index.txt";

/// How many collections of a site are followed.
const MOST_COLLECTIONS: usize = 1_000;
/// Of how many collections it is asked what they are called.
const MOST_DESCRIBED: usize = 50;

/// What was found at a site.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) via: Via,
    /// What the site is known by, whichever of its URLs was named.
    pub(crate) url: Url,
    pub(crate) title: Option<String>,
    pub(crate) details: Details,
    pub(crate) collections: Vec<NewCollection>,
    /// Where it was looked.
    pub(crate) tried: Vec<Tried>,
    /// The documents that could not be fetched or used on the way: they may be there all the same.
    pub(crate) missing: Vec<(Url, DiscoveryFailure)>,
}

impl Found {
    /// Whether a site that is followed by other means may go over to ResourceSync: it has a Source Description or a
    /// Capability List. A Change List by itself may stand where something else should.
    pub(crate) fn is_source(&self) -> bool {
        self.via == Via::ResourceSync && !self.details.documents.is_empty()
    }
}

/// Looks at a site. Errors say where it was looked.
pub(crate) async fn find(
    fetch: &Fetch<'_>,
    asked: &Url,
    settings: &Settings,
    wishes: &Wishes,
    now: Millis,
) -> Result<Found, FollowError> {
    find_for(fetch, asked, settings, Some(wishes), now).await
}

/// Looks at a site that is followed, for other means. A webfeed is none that it could go over to, so none is looked for
/// where nobody names one.
pub(crate) async fn find_again(
    fetch: &Fetch<'_>,
    asked: &Url,
    settings: &Settings,
    now: Millis,
) -> Result<Found, FollowError> {
    find_for(fetch, asked, settings, None, now).await
}

/// The same for somebody who begins to follow it, and has wishes; or for the next polls.
async fn find_for(
    fetch: &Fetch<'_>,
    asked: &Url,
    settings: &Settings,
    wishes: Option<&Wishes>,
    now: Millis,
) -> Result<Found, FollowError> {
    match fetch.may(asked).await {
        Ok(()) => {}
        Err(PollError::Store(error)) => return Err(error.into()),
        // Of a server that is not there, discovery says more.
        Err(_) if fetch.is_silent().await => {}
        Err(error) => return Err(FollowError::NotFound(error.to_string())),
    }
    let details = |found_by: &str| Details {
        asked: asked.to_string(),
        found_by: found_by.to_owned(),
        looked_at: now,
        ..Details::default()
    };
    // Who names a feed means the feed.
    if wishes.is_some_and(|wishes| wishes.webfeed) {
        return only_webfeed(fetch, asked, &details).await;
    }
    let (feed, at, kind) = feed_at(fetch, asked, "the feed itself", &details).await;
    if let Some(found) = feed {
        return Ok(found);
    }
    let is_text = kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/plain"));
    let mut doubt = None;
    if is_text {
        match webfeed_at(fetch, asked, details(ITSELF), false).await {
            Ok(found) => return Ok(found),
            Err(reason) => doubt = Some(reason),
        }
    }
    // Where the server itself sent us is as good as what was named.
    let at = at.unwrap_or_else(|| asked.clone());
    let discovered = discover(fetch.client(), asked, fetch.options()).await;
    let tried = match &discovered {
        Ok(source) => source.tried.len() + source.sets.len(),
        Err(error) => error.tried.len(),
    };
    fetch.count(i64::try_from(tried).unwrap_or(0));
    match discovered {
        Ok(source) => {
            let details = details(&source.found_by);
            let changes = |set: &SourceSet| set.offer(Capability::ChangeList).is_some();
            if source.sets.iter().any(changes) {
                Ok(with_changes(fetch, [asked, &at], source, details).await)
            } else if let Some(found) = offered_webfeed(fetch, asked, &|by: &str| Details {
                found_by: by.to_owned(),
                ..details.clone()
            })
            .await
            {
                Ok(found)
            } else {
                with_snapshots(fetch, [asked, &at], &source, details, settings).await
            }
        }
        Err(error) => {
            // The webfeed before the Atom feed beside it, which says less.
            if let Some(found) = offered_webfeed(fetch, asked, &details).await {
                return Ok(found);
            }
            if wishes.is_some()
                && !fetch.is_silent().await
                && let Some(found) = unnamed_webfeed(fetch, &at, details(USUAL_PLACE)).await
            {
                return Ok(found);
            }
            if let Some(found) = linked_feed(fetch, asked, &details).await {
                return Ok(found);
            }
            if !fetch.is_silent().await
                && let Some(found) = usual_feed(fetch, asked, &at, &details).await
            {
                return Ok(found);
            }
            if settings.pages > 0
                && let Some(found) = with_pages(fetch, asked, details("its pages")).await
            {
                return Ok(found);
            }
            let nothing =
                format!("{error}\nand no Atom, RSS or JSON feed and no webfeed was found either");
            Err(match doubt {
                Some(reason) => FollowError::DoubtfulIndex(format!("{nothing}\n{reason}")),
                None => FollowError::NotFound(nothing),
            })
        }
    }
}

/// The first webfeed that a page offers to follow.
async fn offered_webfeed(
    fetch: &Fetch<'_>,
    asked: &Url,
    details: &impl Fn(&str) -> Details,
) -> Option<Found> {
    for url in offers(fetch, asked).await.into_iter().take(3) {
        let details = details(&format!("the offer to follow a webfeed on {asked}"));
        if let Ok(found) = webfeed_at(fetch, &url, details, false).await {
            return Some(found);
        }
    }
    None
}

/// The webfeed that somebody means: what they named, what that page offers, or what is beside it.
async fn only_webfeed(
    fetch: &Fetch<'_>,
    asked: &Url,
    details: &impl Fn(&str) -> Details,
) -> Result<Found, FollowError> {
    let mut why = match webfeed_at(fetch, asked, details(ITSELF), true).await {
        Ok(found) => return Ok(found),
        Err(why) => why.to_string(),
    };
    let offered = offers(fetch, asked).await.into_iter().take(3);
    let offered = offered.map(|url| (url, format!("the offer to follow a webfeed on {asked}")));
    let usual = usual(asked).map(|url| (url, USUAL_PLACE.to_owned()));
    for (url, found_by) in offered.chain(usual) {
        match webfeed_at(fetch, &url, details(&found_by), true).await {
            Ok(found) => return Ok(found),
            Err(reason) => why = format!("{why}\n{reason}"),
        }
    }
    Err(FollowError::NotFound(format!("no webfeed was found at {asked}\n{why}")))
}

/// A Source, each set of which is a collection.
async fn with_changes(
    fetch: &Fetch<'_>,
    named_as: [&Url; 2],
    source: Source,
    mut details: Details,
) -> Found {
    let description = source.description.clone();
    let lists: Vec<Url> =
        source.sets.iter().filter_map(|set| set.capability_list.clone()).collect();
    let named = description.as_ref().map(site_of).or_else(|| lists.first().cloned());
    let url = own(named, named_as);
    details.description = description.as_ref().map(Url::to_string);
    let more = source.sets.len().saturating_sub(MOST_COLLECTIONS);
    details.left_out = (more + source.left_out) as u64;
    let mut documents: Vec<Url> = description.into_iter().collect();
    details.documents = source.documents.iter().map(known_document).collect();
    let mut identities = HashSet::new();
    let mut findings = Vec::new();
    let mut collections = Vec::new();
    let mut has_ifcc = false;
    for set in source.sets.iter().take(MOST_COLLECTIONS) {
        let Some((identity, progress)) = collection(set) else { continue };
        let list = set.capability_list.as_ref().unwrap_or(&url);
        if !identities.insert(identity.clone()) {
            let message =
                format!("another Capability List describes {identity}, too: this one is ignored");
            findings.push(SetFinding::new(list, ifcc::DESCRIBES_DUPLICATE, message));
            continue;
        }
        if let Some(other) = &set.described_otherwise {
            let message = format!(
                "the Source Description says that it describes {other}, and it describes {identity} itself"
            );
            findings.push(SetFinding::new(list, ifcc::DESCRIBES_DIFFERS, message));
        }
        has_ifcc |= progress.is_ifcc;
        documents.extend(set.capability_list.clone());
        documents.extend(set.offer(Capability::ChangeList).map(|offer| offer.url.clone()));
        let said = if collections.len() < MOST_DESCRIBED {
            let by = [set.described_by.as_ref(), set.described_also_by.as_ref()];
            let (said, absent) = describe(fetch, by, Some(&identity)).await;
            for url in absent {
                let message = format!("{url} is not there, and it is said to describe {identity}");
                findings.push(SetFinding::new(list, ifcc::DESCRIBEDBY_ABSENT, message));
            }
            said
        } else {
            Description::default()
        };
        collections.push(NewCollection {
            key: key(&identity, Some(url.as_str())),
            title: said.title,
            author: said.author,
            language: said.language,
            about: said.description,
            progress: progress.write(),
            identity: identity.into(),
            ..NewCollection::default()
        });
    }
    let profile = if has_ifcc { Profile::Ifcc } else { Profile::ResourceSync };
    details.quality = quality(fetch, &documents, profile).await;
    let title = match &collections[..] {
        [only] => only.title.clone(),
        _ => {
            let home = url.join("/").ok();
            let by = [source.described_by.as_ref(), None];
            let (said, absent) = describe(fetch, by, home.as_ref()).await;
            for by in absent {
                let message = format!("{by} is not there, and it is said to describe the site");
                let description = source.description.as_ref().unwrap_or(&url);
                findings.push(SetFinding::new(description, ifcc::DESCRIBEDBY_ABSENT, message));
            }
            said.title
        }
    };
    add_findings(&mut details.quality, findings);
    let (missing, tried) = (missing(&source), tried(&source));
    Found { via: Via::ResourceSync, url, title, details, collections, tried, missing }
}

/// What a site is known by: what its documents say only if that is at the origin that was named. Else
/// anybody could say that they are somebody else.
fn own(named: Option<Url>, [asked, at]: [&Url; 2]) -> Url {
    let is_own = |url: &Url| [asked, at].iter().any(|own| own.origin() == url.origin());
    named.filter(is_own).unwrap_or_else(|| at.clone())
}

fn missing(source: &Source) -> Vec<(Url, DiscoveryFailure)> {
    let failed = source
        .tried
        .iter()
        .filter_map(|attempt| Some((attempt.url.clone(), attempt.result.as_ref().err()?.clone())));
    failed.collect()
}

fn tried(source: &Source) -> Vec<Tried> {
    let tried = source.tried.iter().map(|attempt| Tried {
        what: attempt.what.clone(),
        url: attempt.url.to_string(),
        result: attempt.result.clone(),
    });
    tried.collect()
}

/// What identifies a set, and where its changes are. A set is what its Capability List `describes`
/// (IFCC-0001, "Capability Lists"); one that does not say so is known by the list itself.
fn collection(set: &SourceSet) -> Option<(Url, Progress)> {
    let list = set.capability_list.as_ref();
    let change_list = set.offer(Capability::ChangeList).map(|offer| &offer.url);
    let place = list.or(change_list)?;
    let describes = set.describes.clone();
    let progress = Progress {
        capability_list: list.map(Url::to_string),
        change_list: change_list.map(Url::to_string),
        described_by: set.described_by.as_ref().map(Url::to_string),
        is_ifcc: describes.is_some(),
        ..Progress::default()
    };
    Some((describes.unwrap_or_else(|| place.clone()), progress))
}

/// Sitemaps, or Resource Lists without Change Lists, of which snapshots are compared.
async fn with_snapshots(
    fetch: &Fetch<'_>,
    named_as: [&Url; 2],
    source: &Source,
    mut details: Details,
    settings: &Settings,
) -> Result<Found, FollowError> {
    let lists = source.sets.iter().filter_map(|set| set.offer(Capability::ResourceList));
    let mut sitemaps: Vec<Url> = Vec::new();
    for set in &source.sets {
        let offers = set.offers.iter();
        let all = offers.filter(|offer| offer.capability == Capability::ResourceList);
        sitemaps.extend(all.map(|offer| offer.url.clone()));
    }
    let is_plain = lists.clone().all(|offer| offer.is_sitemap);
    let Some(first) = sitemaps.first().cloned() else {
        return Err(FollowError::NotFound(format!(
            "{} has a ResourceSync Source, but neither a Change List nor a Resource List in it: \
             no changes can be determined",
            named_as[0]
        )));
    };
    let profile = if is_plain { Profile::Sitemap } else { Profile::ResourceSync };
    details.quality = quality(fetch, &sitemaps, profile).await;
    details.sitemaps = sitemaps.iter().map(Url::to_string).collect();
    let home = first.join("/").unwrap_or(first);
    let roots = named_as.map(|url| url.join("/").unwrap_or_else(|_| url.clone()));
    let home = own(Some(home), [&roots[0], &roots[1]]);
    let said = describe(fetch, [None, None], Some(&home)).await.0;
    let whole = NewCollection {
        key: key(&home, Some("sitemap")),
        identity: home.to_string(),
        title: said.title.clone(),
        author: said.author,
        language: said.language,
        about: said.description,
        progress: Progress::default().write(),
        ..NewCollection::default()
    };
    // Others come up as their pages do.
    let collections = if settings.split { Vec::new() } else { vec![whole] };
    let (missing, tried) = (missing(source), tried(source));
    let (url, title) = (home, said.title);
    Ok(Found { via: Via::Sitemap, url, title, details, collections, tried, missing })
}

/// A feed that the page that was named links to.
async fn linked_feed(
    fetch: &Fetch<'_>,
    asked: &Url,
    details: &impl Fn(&str) -> Details,
) -> Option<Found> {
    let Glance { bytes, content_type, url } = fetch.glance(asked, |_| true).await.ok()?;
    let page = Page::read(&bytes, content_type.as_deref(), &url);
    let found_by = format!("the link to a feed in the page {asked}");
    for (link, _) in page.feeds.into_iter().take(3) {
        if let (Some(found), ..) = feed_at(fetch, &link, &found_by, details).await {
            return Some(found);
        }
    }
    None
}

/// A feed at a place, if one is there; and where that place was in the end, and of what kind.
async fn feed_at(
    fetch: &Fetch<'_>,
    at: &Url,
    found_by: &str,
    details: &impl Fn(&str) -> Details,
) -> (Option<Found>, Option<Url>, Option<String>) {
    let Ok(fetched) = fetch.get(at, Validators::default()).await else { return (None, None, None) };
    let (content_type, url) = (fetched.content_type, fetched.url);
    let bytes = fetched.body.opening(feed_taken::MOST_BYTES).unwrap_or_default();
    let Ok(feed) = TakenFeed::read(&bytes, content_type.as_deref(), &url) else {
        return (None, Some(url), content_type);
    };
    let mut details = details(found_by);
    details.feed = Some(at.to_string());
    let collection = NewCollection {
        key: key(at, Some("feed")),
        identity: at.to_string(),
        title: feed.title.clone(),
        author: feed.author,
        language: feed.language,
        about: feed.description,
        progress: Progress::default().write(),
        ..NewCollection::default()
    };
    let (title, collections) = (feed.title, vec![collection]);
    let (via, missing, tried) = (Via::Feed, Vec::new(), Vec::new());
    let found = Found { via, url: at.clone(), title, details, collections, tried, missing };
    (Some(found), Some(url), content_type)
}

/// What a document of a Source was known by when its sets were found.
fn known_document(document: &DiscoveryDocument) -> (String, Known) {
    let Validators { etag, last_modified } = document.validators.clone();
    let digest = document.digest.clone();
    (document.url.to_string(), Known { etag, last_modified, digest, ..Known::default() })
}

/// The title and other metadata of a collection: from the documents that describe it, else from its own
/// page. Documents that are not there (404, 410) are named.
async fn describe<'u>(
    fetch: &Fetch<'_>,
    by: [Option<&'u Url>; 2],
    page: Option<&'u Url>,
) -> (Description, Vec<&'u Url>) {
    let mut said = Description::default();
    let mut absent = Vec::new();
    for (url, is_page) in [(by[0], false), (by[1], false), (page, true)] {
        let Some(url) = url else { continue };
        // Programs that know no title put the URL there.
        said.title = said.title.filter(|title| Url::parse(title).is_err());
        if said.title.is_some() {
            break;
        }
        let Glance { bytes, content_type, url } = match fetch.glance(url, |_| true).await {
            Ok(glance) => glance,
            Err(error) => {
                if error.is_gone() && !is_page {
                    absent.push(url);
                }
                continue;
            }
        };
        if let Some(more) = Description::read(&bytes, content_type.as_deref(), &url) {
            said = said.or(more);
        }
    }
    (said, absent)
}

/// The site that a Source Description at the well-known place is of; else the description itself is all
/// that the site is known by.
fn site_of(description: &Url) -> Url {
    let path = description.path();
    match path.strip_suffix(".well-known/resourcesync") {
        Some(folder) => {
            let mut site = description.clone();
            site.set_path(folder);
            site.set_query(None);
            site
        }
        None => description.clone(),
    }
}
