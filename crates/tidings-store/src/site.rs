//! A site that is followed.

use serde::{Deserialize, Serialize};

use crate::{Collection, Millis, NewCollection};

/// By what the changes of a site are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// ResourceSync: the site says itself what changed.
    ResourceSync,
    /// Its Sitemap, of which one snapshot is compared with the next.
    Sitemap,
    /// An Atom, RSS or JSON feed of its own.
    Feed,
    /// The index of a webfeed.
    Webfeed,
    /// Its pages, which are read one after the other: it offers nothing else.
    Pages,
}

impl Via {
    /// What it is called in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ResourceSync => "resourcesync",
            Self::Sitemap => "sitemap",
            Self::Feed => "feed",
            Self::Webfeed => "webfeed",
            Self::Pages => "pages",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        [Self::ResourceSync, Self::Sitemap, Self::Feed, Self::Webfeed, Self::Pages]
            .into_iter()
            .find(|known| known.name() == name)
    }
}

/// How a site is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Not polled yet.
    New,
    /// The last poll went well.
    Well,
    /// The last poll went well but for some of the collections; [`Site::reason`] says why.
    #[serde(rename = "partly-failing")]
    PartlyFailing,
    /// The last poll failed; [`Site::reason`] says why.
    Failing,
    /// Not polled until somebody says so.
    Paused,
}

impl State {
    /// What it is called in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Well => "well",
            Self::PartlyFailing => "partly-failing",
            Self::Failing => "failing",
            Self::Paused => "paused",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        [Self::New, Self::Well, Self::PartlyFailing, Self::Failing, Self::Paused]
            .into_iter()
            .find(|known| known.name() == name)
    }
}

/// What a person may set for a site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Of a Sitemap: a collection for each first segment of a path.
    pub split: bool,
    /// Changes without `datetime` are ignored, as IFCC-0001 demands.
    pub strict: bool,
    /// For how many changed pages of a poll the title is fetched.
    pub titles: u32,
    /// Keep the text of changed pages, and show what is different.
    pub diff: bool,
    /// Poll this often, in milliseconds, and not as the site's own changes suggest.
    pub every: Option<Millis>,
    /// Trust the site's origin at private addresses: somebody on this machine typed it.
    pub private: bool,
    /// Of a webfeed: how many tiles of a grid it has for what is discovered on one day. What there is
    /// more shares one.
    pub tiles: u32,
    /// Of a site that offers nothing else, read up to so many pages; none if 0.
    pub pages: u32,
}

impl Settings {
    /// The most [`pages`](Self::pages) that may be wanted.
    pub const MAX_PAGES: u32 = 1_000;
    /// How many are read where nobody says.
    pub const DEFAULT_PAGES: u32 = 100;

    /// The most [`tiles`](Self::tiles) that may be wanted.
    pub const MOST_TILES: u32 = 100;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            split: false,
            strict: false,
            titles: 20,
            diff: false,
            every: None,
            private: false,
            tiles: 3,
            pages: 0,
        }
    }
}

/// A site, as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Its number in this store.
    pub id: i64,
    /// Its name in URLs; unique.
    pub key: String,
    /// The URL by which it was followed.
    pub url: String,
    /// The host, with its port if that is not the usual one: requests to one host take turns.
    pub host: String,
    /// By what its changes are known.
    pub via: Via,
    /// What it calls itself.
    pub title: Option<String>,
    /// How it is.
    pub state: State,
    /// What went wrong at the last poll, or what a person should know.
    pub reason: Option<String>,
    /// How many polls failed in a row.
    pub failures: i64,
    /// Since when it is followed.
    pub created_at: Millis,
    /// When it was last polled.
    pub polled_at: Option<Millis>,
    /// When a poll last went well.
    pub succeeded_at: Option<Millis>,
    /// When a poll last found changes.
    pub changed_at: Option<Millis>,
    /// When it is to be polled next.
    pub next_due: Millis,
    /// How long to wait between polls that go well.
    pub interval: Millis,
    /// What a person set.
    pub settings: Settings,
    /// What the follower remembers of the whole site, in its own words (JSON).
    pub details: String,
    /// How many batches there are over all its collections.
    pub batches: i64,
    /// The highest [`site_sequence`](crate::Batch::site_sequence) of a batch that is forgotten.
    pub forgotten: i64,
}

impl Site {
    /// Where it is in the order of [`SiteOrder::News`], see [`SiteFilter::after_news`].
    pub fn news_cursor(&self) -> (Millis, i64) {
        (self.changed_at.unwrap_or(0), self.id)
    }
}

/// A site to be followed.
#[derive(Debug, Clone)]
pub struct NewSite {
    /// See [`Site::key`].
    pub key: String,
    /// See [`Site::url`].
    pub url: String,
    /// The URL that a person named: the site is found by it, too.
    pub asked: String,
    /// See [`Site::host`].
    pub host: String,
    /// See [`Site::via`].
    pub via: Via,
    /// See [`Site::title`].
    pub title: Option<String>,
    /// See [`Site::settings`].
    pub settings: Settings,
    /// See [`Site::details`].
    pub details: String,
    /// See [`Site::interval`].
    pub interval: Millis,
    /// When to poll it first; from now on if none.
    pub due: Option<Millis>,
    /// Its collections.
    pub collections: Vec<NewCollection>,
}

/// What came of following a site.
#[derive(Debug, Clone)]
pub struct Followed {
    /// The site, as it is now.
    pub site: Site,
    /// Its collections.
    pub collections: Vec<Collection>,
    /// False if it was followed already: then nothing was changed but its settings.
    pub is_new: bool,
}

/// In which order to list sites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SiteOrder {
    /// By their keys.
    #[default]
    Key,
    /// Those with the latest changes first, and those that never had any last.
    News,
}

/// Which sites to list.
#[derive(Debug, Clone, Default)]
pub struct SiteFilter {
    /// In which order.
    pub order: SiteOrder,
    /// Those after that key, if by key.
    pub after: Option<String>,
    /// Those after the site with that [`Site::news_cursor`], if by news.
    pub after_news: Option<(Millis, i64)>,
    /// So many at the most.
    pub limit: u32,
    /// Only those in that state.
    pub state: Option<State>,
    /// Only those whose changes are known by that.
    pub via: Option<Via>,
    /// Only those whose URL, title or key contains that, without regard to case (ASCII).
    pub text: Option<String>,
}
