//! What is known of a site, for people and programs.

use serde::Serialize;
use tidings_feed::FeedFormat;
use tidings_store::{Collection, Settings, Site, State, Via};

use crate::desk::{FeedName, Variant};
use crate::details::{Details, Progress, Quality};
use crate::news::time;

/// All that `tidings sites --json` and the API say of a site.
#[derive(Debug, Clone, Serialize)]
pub struct SiteReport {
    /// Its name in URLs.
    pub key: String,
    /// Its URL.
    pub url: String,
    /// The URL by which somebody followed it.
    pub asked: String,
    /// What it calls itself.
    pub title: Option<String>,
    /// By what its changes are known.
    pub via: Via,
    /// How that was found.
    pub found_by: String,
    /// How it is.
    pub state: State,
    /// What went wrong, or what should be known.
    pub reason: Option<String>,
    /// How many polls failed in a row.
    pub failures: i64,
    /// Times, as in RFC 3339.
    pub followed_at: String,
    /// When it was last polled.
    pub polled_at: Option<String>,
    /// When a poll last went well.
    pub succeeded_at: Option<String>,
    /// When a poll last found something.
    pub changed_at: Option<String>,
    /// When it is polled next.
    pub next_poll_at: Option<String>,
    /// How often it is polled, in seconds.
    pub interval: i64,
    /// What a person set.
    pub settings: Settings,
    /// How good its documents are.
    pub quality: Quality,
    /// How many collections it has beyond those that are followed.
    pub left_out: u64,
    /// The feed of the whole site.
    pub feeds: Feeds,
    /// Its collections.
    pub collections: Vec<CollectionReport>,
}

/// Where a feed is.
#[derive(Debug, Clone, Serialize)]
pub struct Feeds {
    /// As Atom, an entry for each batch.
    pub atom: String,
    /// As RSS 2.0.
    pub rss: String,
    /// As JSON Feed 1.1.
    pub json: String,
    /// As Atom, an entry for each change.
    pub changes: String,
}

/// What is said of a collection.
#[derive(Debug, Clone, Serialize)]
pub struct CollectionReport {
    /// Its name in URLs.
    pub key: String,
    /// What identifies it.
    pub identity: String,
    /// What it calls itself.
    pub title: Option<String>,
    /// Whose it is.
    pub author: Option<String>,
    /// A BCP 47 tag.
    pub language: Option<String>,
    /// A line about it.
    pub about: Option<String>,
    /// What should be known about it.
    pub reason: Option<String>,
    /// True if its site does not name it any more.
    pub is_gone: bool,
    /// Its Change List.
    pub change_list: Option<String>,
    /// The time of the newest change that was processed.
    pub processed_until: Option<String>,
    /// How many changes are ignored because they say no time.
    pub ignored: i64,
    /// How many changes were recorded.
    pub changes: i64,
    /// How many batches: entries of its feed.
    pub batches: i64,
    /// The time of its newest change.
    pub changed_at: Option<String>,
    /// Its feed.
    pub feeds: Feeds,
}

/// What is known of a site, with feeds at a server's base URL.
#[must_use]
pub fn report(site: &Site, collections: &[Collection], base: &str) -> SiteReport {
    let details = Details::read(&site.details);
    let shown = |time: tidings_store::Millis| self::time(time).to_string();
    SiteReport {
        feeds: feeds(&FeedName::Site(site.key.clone()), base),
        key: site.key.clone(),
        url: site.url.clone(),
        asked: details.asked,
        title: site.title.clone(),
        via: site.via,
        found_by: details.found_by,
        state: site.state,
        reason: site.reason.clone(),
        failures: site.failures,
        followed_at: shown(site.created_at),
        polled_at: site.polled_at.map(shown),
        succeeded_at: site.succeeded_at.map(shown),
        changed_at: site.changed_at.map(shown),
        next_poll_at: (site.state != State::Paused).then(|| shown(site.next_due)),
        interval: site.interval / 1000,
        settings: site.settings.clone(),
        quality: details.quality,
        left_out: details.left_out,
        collections: collections.iter().map(|one| collection(one, base)).collect(),
    }
}

fn collection(collection: &Collection, base: &str) -> CollectionReport {
    let progress = Progress::read(&collection.progress);
    CollectionReport {
        feeds: feeds(&FeedName::Collection(collection.key.clone()), base),
        key: collection.key.clone(),
        identity: collection.identity.clone(),
        title: collection.title.clone(),
        author: collection.author.clone(),
        language: collection.language.clone(),
        about: collection.about.clone(),
        reason: collection.reason.clone(),
        is_gone: collection.is_gone,
        change_list: progress.change_list,
        processed_until: progress.cursor.map(|cursor| time(cursor).to_string()),
        ignored: collection.ignored,
        changes: collection.changes,
        batches: collection.batches,
        changed_at: collection.changed_at.map(|changed| time(changed).to_string()),
    }
}

fn feeds(name: &FeedName, base: &str) -> Feeds {
    let base = if base.ends_with('/') { base.to_owned() } else { format!("{base}/") };
    let [atom, rss, json] =
        FeedFormat::ALL.map(|format| format!("{base}{}", name.path(Variant::Digest, format)));
    let changes = format!("{base}{}", name.path(Variant::Changes(1), FeedFormat::Atom));
    Feeds { atom, rss, json, changes }
}
