//! Makes the feeds of collections and sites out of what is known.

use std::ops::RangeInclusive;

use jiff::Timestamp;
use tidings_feed::{Feed, FeedFormat, FeedLink};
use tidings_store::{Batch, Collection, Retention, RetiredFeed, Site, Store, StoreError, Via};
use url::Url;

use crate::FeedQuery;
use crate::news::{Around, digest, name, single, time};
use crate::posts_feed::{post_entries, post_tag};

/// How many batches a feed shows, and how many an archive has.
pub(crate) const PAGE: i64 = Retention::BATCHES_PER_ARCHIVE;
/// How many changes of a batch are read: more than are shown, so that several of one page count once.
pub(crate) const MOST_CHANGES: u32 = 400;
/// How many changes the feed of single changes shows.
pub(crate) const MOST_SINGLE: u32 = 200;

/// Which of its forms a feed has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    /// An entry for each batch: what IFCC-0001 asks for.
    Digest,
    /// An entry for each change, a page of them by its number from 1 (RFC 5005, section 3).
    Changes(i64),
    /// An archive of digests (RFC 5005, section 4), by its number from 1.
    Archive(i64),
}

/// Whose feed it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FeedName {
    /// A collection's, by its key.
    Collection(String),
    /// A whole site's, by its key.
    Site(String),
    /// That of everything that is followed.
    All,
    /// That of everything but what a user leaves out, by the number of the user.
    User(i64),
    /// That of a saved search, by its number.
    Search(i64),
}

/// What became of a feed that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retired {
    /// Its site is not followed any more.
    Gone,
    /// That feed goes on with it.
    Moved(FeedName),
}

impl FeedName {
    /// What it is called in URLs, without a format.
    fn name(&self) -> String {
        match self {
            Self::Collection(key) => format!("feeds/{key}"),
            Self::Site(key) => format!("sites/{key}"),
            Self::All => "feeds/all".to_owned(),
            Self::User(id) => format!("feeds/users/{id}"),
            Self::Search(id) => format!("feeds/searches/{id}"),
        }
    }

    /// The feed of a collection or site that has that name.
    fn parse(name: &str) -> Option<Self> {
        match name.split_once('/')? {
            ("feeds", key) => Some(Self::Collection(key.to_owned())),
            ("sites", key) => Some(Self::Site(key.to_owned())),
            _ => None,
        }
    }

    /// The path of a feed below the server's base, such as `feeds/KEY.atom`.
    #[must_use]
    pub fn path(&self, variant: Variant, format: FeedFormat) -> String {
        let place = self.name();
        let format = format.extension();
        match variant {
            Variant::Digest => format!("{place}.{format}"),
            Variant::Changes(1) => format!("{place}/changes.{format}"),
            Variant::Changes(page) => format!("{place}/changes/{page}.{format}"),
            Variant::Archive(number) => format!("{place}/archive/{number}.{format}"),
        }
    }
}

/// Makes feeds. The same state makes the same feed, on whichever machine.
#[derive(Debug, Clone)]
pub struct FeedDesk {
    store: Store,
    /// Where the server is, with a slash at its end.
    base: String,
    /// The path of the base: a style sheet has to come from where the feed was had, under whichever name.
    path: String,
    /// Where ids begin.
    tag: String,
}

/// What a feed is made of.
struct Subject {
    site: Site,
    /// Those whose entries may be in it.
    collections: Vec<Collection>,
    /// The collection, if it is the feed of one.
    only: Option<usize>,
}

impl FeedDesk {
    /// For a server at that base URL.
    #[must_use]
    pub fn new(store: Store, base: &str) -> Self {
        let identity = store.identity();
        let tag = format!("tag:{},{}:", identity.authority, identity.date);
        let base = if base.ends_with('/') { base.to_owned() } else { format!("{base}/") };
        let path = Url::parse(&base).map_or_else(|_| "/".to_owned(), |url| url.path().to_owned());
        Self { store, base, path, tag }
    }

    /// A feed, and when it was last changed: when the newest of it was found, which is not when that
    /// happened. None if there is none of that name, or no such archive yet. `format`
    /// says where the feed itself is. A query leaves only what matches it.
    pub async fn feed(
        &self,
        feed: &FeedName,
        variant: Variant,
        format: FeedFormat,
        query: Option<&FeedQuery>,
    ) -> Result<Option<(Feed, Timestamp)>, StoreError> {
        if query.is_some() || !matches!(feed, FeedName::Collection(_) | FeedName::Site(_)) {
            return self.wide_feed(feed, variant, format, query).await;
        }
        let Some(subject) = self.subject(feed).await? else { return Ok(None) };
        let (count, forgotten) = match subject.only {
            Some(index) => {
                let collection = &subject.collections[index];
                (collection.batches, collection.forgotten)
            }
            None => (subject.site.batches, subject.site.forgotten),
        };
        // An archive of which something is forgotten is none any more.
        // A webfeed has posts instead, and no archives of changes.
        let is_webfeed = subject.site.via == Via::Webfeed;
        let count = if is_webfeed { 0 } else { count };
        let archives = (forgotten + PAGE - 1) / PAGE + 1..=count / PAGE;
        let (first, last) = match variant {
            Variant::Archive(number) if !archives.contains(&number) => return Ok(None),
            Variant::Archive(number) => ((number - 1) * PAGE + 1, number * PAGE),
            _ => ((count - PAGE + 1).max(1), count),
        };
        let page = format!("{}sites/{}", self.base, subject.site.key);
        let all = format!("{}{}", self.base, feed.path(Variant::Changes(1), FeedFormat::Atom));
        let around = |collection: &Collection| -> Option<Around<'_>> {
            let collection = subject.collections.iter().find(|one| one.id == collection.id)?;
            let names_collection = subject.only.is_none() && subject.collections.len() > 1;
            Some(Around { tag: &self.tag, collection, page: &page, all: &all, names_collection })
        };
        let of = |id: i64| subject.collections.iter().find(|one| one.id == id).and_then(around);
        let mut updated = None;
        let mut is_last = true;
        // A post is news by itself, and one that its author took back is none.
        if is_webfeed && !matches!(variant, Variant::Digest | Variant::Changes(1)) {
            return Ok(None);
        }
        let entries = if is_webfeed {
            let key = subject.collections.first().map_or(&subject.site.key, |one| &one.key);
            let tag = post_tag(&self.tag, key);
            let entries = post_entries(&self.store, &subject.site, &tag).await?;
            updated = entries.iter().map(|entry| entry.updated.as_millisecond()).max();
            entries
        } else if let Variant::Changes(number) = variant {
            let Ok(before) = u64::try_from(number - 1) else { return Ok(None) };
            let skip = before.saturating_mul(u64::from(MOST_SINGLE));
            let changes = match subject.only {
                Some(index) => {
                    self.store.changes(subject.collections[index].id, skip, MOST_SINGLE).await?
                }
                None => self.store.site_changes(subject.site.id, skip, MOST_SINGLE).await?,
            };
            if changes.is_empty() && number > 1 {
                return Ok(None);
            }
            is_last = changes.len() < MOST_SINGLE as usize;
            updated = changes.iter().map(|change| change.change.time).max();
            let entry = |change: &tidings_store::Change| {
                Some(single(&change.change, None, &of(change.collection_id)?))
            };
            changes.iter().filter_map(entry).collect()
        } else {
            let batches = self.batches(&subject, first, last).await?;
            updated = batches.iter().map(|batch| batch.newest).max().or(updated);
            let entry = |batch: &Batch| Some(digest(batch, &of(batch.collection_id)?));
            batches.iter().filter_map(entry).collect()
        };
        let updated = updated.unwrap_or(subject.site.created_at);
        let links = self.links(feed, variant, format, &archives, is_last, &subject);
        // Posts are fetched also where nothing else changed.
        let polled = subject.site.polled_at.filter(|_| is_webfeed);
        let changed = polled.or(subject.site.changed_at);
        let modified = time(changed.unwrap_or(subject.site.created_at));
        let feed = self.made(feed, variant, format, &subject, &page, links, updated, entries);
        Ok(Some((feed, modified)))
    }

    /// What became of a feed that is not there.
    pub async fn retired(&self, feed: &FeedName) -> Result<Option<Retired>, StoreError> {
        let retired = self.store.retired_feed(&feed.name()).await?;
        Ok(retired.map(|retired| match retired {
            RetiredFeed::Gone => Retired::Gone,
            RetiredFeed::Moved(name) => {
                FeedName::parse(&name).map_or(Retired::Gone, Retired::Moved)
            }
        }))
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    pub(crate) fn stylesheet(&self) -> String {
        format!("{}feed.css", self.path)
    }

    async fn subject(&self, feed: &FeedName) -> Result<Option<Subject>, StoreError> {
        match feed {
            FeedName::Site(key) => {
                let Some(site) = self.store.site(key).await? else { return Ok(None) };
                let collections = self.store.collections(site.id).await?;
                Ok(Some(Subject { site, collections, only: None }))
            }
            FeedName::Collection(key) => {
                let Some(collection) = self.store.collection(key).await? else { return Ok(None) };
                // The past of one that another feed goes on with is in that feed.
                if collection.is_gone
                    && matches!(self.retired(feed).await?, Some(Retired::Moved(_)))
                {
                    return Ok(None);
                }
                let Some(site) = self.store.site_by_id(collection.site_id).await? else {
                    return Ok(None);
                };
                Ok(Some(Subject { site, collections: vec![collection], only: Some(0) }))
            }
            FeedName::All | FeedName::User(_) | FeedName::Search(_) => Ok(None),
        }
    }

    async fn batches(
        &self,
        subject: &Subject,
        first: i64,
        last: i64,
    ) -> Result<Vec<Batch>, StoreError> {
        match subject.only {
            Some(index) => {
                let id = subject.collections[index].id;
                self.store.batches(id, first, last, MOST_CHANGES).await
            }
            None => self.store.site_batches(subject.site.id, first, last, MOST_CHANGES).await,
        }
    }

    /// The other forms of the feed, its archives, and what it was made from.
    fn links(
        &self,
        feed: &FeedName,
        variant: Variant,
        format: FeedFormat,
        archives: &RangeInclusive<i64>,
        is_last: bool,
        subject: &Subject,
    ) -> Vec<FeedLink> {
        let mut links = Vec::new();
        let mut link = |rel: &str, href: String, media_type: Option<&str>, title: Option<&str>| {
            let media_type = media_type.map(str::to_owned);
            let title = title.map(str::to_owned);
            links.push(FeedLink { rel: rel.to_owned(), href, media_type, title });
        };
        let at =
            |variant, format: FeedFormat| format!("{}{}", self.base, feed.path(variant, format));
        let own = Some(format.media_type());
        match variant {
            Variant::Digest if !archives.is_empty() => {
                link("prev-archive", at(Variant::Archive(*archives.end()), format), own, None);
            }
            Variant::Archive(number) => {
                link("current", at(Variant::Digest, format), own, None);
                // No next-archive: an archive that gets one later is no longer the same document.
                if number > *archives.start() {
                    link("prev-archive", at(Variant::Archive(number - 1), format), own, None);
                }
            }
            Variant::Changes(page) => {
                if page > 1 {
                    link("first", at(Variant::Changes(1), format), own, None);
                    link("previous", at(Variant::Changes(page - 1), format), own, None);
                }
                if !is_last {
                    link("next", at(Variant::Changes(page + 1), format), own, None);
                }
            }
            Variant::Digest => {}
        }
        for other in FeedFormat::ALL {
            if other != format && variant == Variant::Digest {
                let title = other.to_string();
                link("alternate", at(variant, other), Some(other.media_type()), Some(&title));
            }
        }
        if let Some(index) = subject.only {
            let progress = crate::details::Progress::read(&subject.collections[index].progress);
            if let Some(list) = progress.change_list {
                link("via", list, Some("application/xml"), None);
            }
            if let Some(by) = progress.described_by {
                link("describedby", by, None, None);
            }
        }
        links
    }

    #[expect(clippy::too_many_arguments, reason = "each is a part of the feed")]
    fn made(
        &self,
        feed: &FeedName,
        variant: Variant,
        format: FeedFormat,
        subject: &Subject,
        page: &str,
        links: Vec<FeedLink>,
        updated: i64,
        entries: Vec<tidings_feed::Entry>,
    ) -> Feed {
        let site = &subject.site;
        let collection = subject.only.map(|index| &subject.collections[index]);
        let title = match collection {
            Some(collection) => name(collection),
            None => site.title.clone().unwrap_or_else(|| site.url.clone()),
        };
        let (id, what) = match feed {
            FeedName::Collection(key) => (key.clone(), "changes"),
            FeedName::Site(key) => (format!("site/{key}"), "changes of all collections"),
            // Those are made elsewhere.
            FeedName::All | FeedName::User(_) | FeedName::Search(_) => (String::new(), "changes"),
        };
        let id = match variant {
            Variant::Changes(_) => format!("{}{id}/changes", self.tag),
            // An archive is a part of the same feed.
            Variant::Digest | Variant::Archive(_) => format!("{}{id}", self.tag),
        };
        let home = collection.map_or_else(
            || site.url.clone(),
            |collection| {
                let is_document = collection.identity.ends_with(".xml");
                if is_document { page.to_owned() } else { collection.identity.clone() }
            },
        );
        let about = collection.and_then(|collection| collection.about.clone());
        Feed {
            id,
            title: title.clone(),
            subtitle: Some(about.unwrap_or_else(|| format!("{title}: {what}"))),
            updated: time(updated),
            author: collection.and_then(|collection| collection.author.clone()),
            language: collection.and_then(|collection| collection.language.clone()),
            home,
            own: format!("{}{}", self.base, feed.path(variant, format)),
            links,
            icon: None,
            is_archive: matches!(variant, Variant::Archive(_)),
            stylesheet: Some(self.stylesheet()),
            version: env!("CARGO_PKG_VERSION"),
            entries,
        }
    }
}
