//! Makes the feeds that cut across collections: of everything, of searches, and of what a filter leaves. A post of a
//! webfeed is an entry with its content, as in the feed of the webfeed.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tidings_base::to_hex;
use tidings_feed::{Entry, Feed, FeedFormat, FeedLink};
use tidings_store::{
    Batch, ChangeCursor, ChangeFilter, Collection, CollectionOrigin, FoundChange, Kind, Millis,
    NewChange, Post, Search, StoreError, Via,
};

use crate::desk::{FeedDesk, FeedName, MOST_CHANGES, MOST_SINGLE, PAGE, Variant};
use crate::news::{Around, digest, name, single, time};
use crate::posts_feed::{PostEntries, is_awaited, post_tag};

/// How many changes that match a filter are read for its digests.
const MAX_MATCHES: u32 = 1_000;
/// How many changes are looked at for those that match.
const MAX_LOOKED_AT: u32 = 20_000;
/// How many posts of one batch have entries: the newest. A webfeed that is followed from now on may bring many at once.
const MAX_POSTS_OF_A_BATCH: usize = 50;
/// How many posts have entries.
const MAX_POSTS: usize = 200;

/// What somebody wants to see of a feed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FeedQuery {
    /// What to search for. Whose changes these are is added to it.
    pub filter: ChangeFilter,
    /// The same as it stands in a URL, with its question mark; the same filter has the same text.
    pub text: String,
    /// The filter in words, for the title.
    pub words: String,
    /// Where to go on, in the feed of single changes.
    pub before: Option<ChangeCursor>,
    /// The name of the saved search that it is.
    pub title: Option<String>,
}

impl FeedQuery {
    /// What tells the entries of this filter from those of others.
    fn digest(&self) -> String {
        to_hex(&Sha256::digest(self.text.as_bytes())[..6])
    }
}

/// What the feed is called, where it belongs, and what narrows it down.
struct Scope {
    title: String,
    home: String,
    /// The id of the feed, without its tag.
    id: String,
    language: Option<String>,
    filter: ChangeFilter,
    /// True where entries of several collections stand beside each other.
    names_collections: bool,
}

/// The entries of a feed, when the newest of them changed, when the feed itself did, and where to go on.
struct Entries {
    entries: Vec<Entry>,
    updated: Option<Millis>,
    modified: Option<Millis>,
    next: Option<ChangeCursor>,
}

/// The posts of webfeeds by their sites and addresses.
type PostsByUrl = HashMap<(i64, String), Post>;

/// Entries that are put together, the newest first.
struct EntryList<'d> {
    desk: &'d FeedDesk,
    names_collections: bool,
    entries: PostEntries,
    updated: Option<Millis>,
    modified: Option<Millis>,
    /// The posts that have an entry: one that was changed twice has one entry nevertheless.
    posts: HashSet<i64>,
}

impl EntryList<'_> {
    fn add(
        &mut self,
        origin: &Origin,
        make: impl FnOnce(&Around<'_>) -> Entry,
        updated: Millis,
        seen_at: Millis,
    ) {
        let entry = origin.entry(make, self.desk.tag(), self.names_collections);
        self.entries.entries.push(entry);
        self.updated = self.updated.max(Some(updated));
        self.modified = self.modified.max(Some(seen_at));
    }

    /// True if there is no room for more posts.
    fn is_full(&self) -> bool {
        self.posts.len() >= MAX_POSTS
    }

    /// An entry for each post that these changes of a webfeed are about. A post that its author removed has none.
    fn add_posts<'c>(
        &mut self,
        origin: &Origin,
        changes: impl Iterator<Item = &'c NewChange>,
        seen_at: Millis,
        known: &mut PostsByUrl,
    ) {
        // Posts are fetched, and go away, also where nothing is recorded.
        let modified = origin.of.site_polled_at.max(Some(seen_at));
        self.modified = self.modified.max(modified);
        let Collection { site_id, key, .. } = &origin.of.collection;
        let tag = post_tag(self.desk.tag(), key);
        let posts = changes.filter_map(|change| known.remove(&(*site_id, change.uri.clone())));
        let has_news = |post: &Post| !is_awaited(post) && !self.posts.contains(&post.id);
        let room = MAX_POSTS.saturating_sub(self.posts.len()).min(MAX_POSTS_OF_A_BATCH);
        let posts: Vec<Post> = posts.filter(has_news).take(room).collect();
        for post in posts {
            self.posts.insert(post.id);
            let entry = self.entries.add(post, &tag);
            if self.names_collections {
                entry.title = format!("{}: {}", name(&origin.of.collection), entry.title);
            }
            entry.author.get_or_insert_with(|| origin.author());
            self.updated = self.updated.max(Some(entry.updated.as_millisecond()));
        }
    }

    async fn finish(self, next: Option<ChangeCursor>) -> Result<Entries, StoreError> {
        let Self { updated, modified, .. } = self;
        let entries = self.entries.with_contents(self.desk.store()).await?;
        Ok(Entries { entries, updated, modified, next })
    }
}

impl FeedDesk {
    /// A feed of more than one collection, or of what a filter leaves of a feed. None if there is none of
    /// that name: these feeds have no archives, and go on by places and not by numbers.
    pub(crate) async fn wide_feed(
        &self,
        feed: &FeedName,
        variant: Variant,
        format: FeedFormat,
        query: Option<&FeedQuery>,
    ) -> Result<Option<(Feed, Timestamp)>, StoreError> {
        if !matches!(variant, Variant::Digest | Variant::Changes(1)) {
            return Ok(None);
        }
        let Some(scope) = self.scope(feed, query).await? else { return Ok(None) };
        let is_single = variant != Variant::Digest;
        let entries = match query {
            None if !is_single => self.newest(&scope).await?,
            _ => self.matching(&scope, query, is_single).await?,
        };
        let modified = entries.modified.map_or(Timestamp::UNIX_EPOCH, time);
        let feed = self.wide(feed, variant, format, query, scope, entries);
        Ok(Some((feed, modified)))
    }

    async fn scope(
        &self,
        feed: &FeedName,
        query: Option<&FeedQuery>,
    ) -> Result<Option<Scope>, StoreError> {
        let mut filter = query.map(|query| query.filter.clone()).unwrap_or_default();
        filter.without_removed_posts = true;
        let mut scope = Scope {
            title: "Everything that is followed".to_owned(),
            home: self.base().to_owned(),
            id: "all".to_owned(),
            language: None,
            filter,
            names_collections: true,
        };
        match feed {
            FeedName::All => {}
            FeedName::User(id) => {
                let Some(user) = self.store().user_by_id(*id).await? else { return Ok(None) };
                scope.title = format!("Everything for {}", user.name);
                scope.id = format!("users/{id}");
                scope.filter.without_left_out_by = Some(*id);
            }
            FeedName::Search(id) => {
                let Some(query) = query else { return Ok(None) };
                scope.title = query.title.clone().unwrap_or_else(|| "Search".to_owned());
                scope.home = format!("{}search{}", self.base(), query.text);
                scope.id = format!("searches/{id}");
                return Ok(Some(scope));
            }
            FeedName::Site(key) => {
                let Some(site) = self.store().site(key).await? else { return Ok(None) };
                scope.home = format!("{}sites/{key}", self.base());
                scope.id = format!("site/{key}");
                scope.filter.site_id = Some(site.id);
                scope.title = site.title.unwrap_or(site.url);
            }
            FeedName::Collection(key) => {
                let Some(one) = self.store().collection(key).await? else { return Ok(None) };
                scope.title = name(&one);
                scope.home = format!("{}collections/{key}", self.base());
                scope.id.clone_from(key);
                scope.filter.collection_id = Some(one.id);
                scope.names_collections = false;
                scope.language = one.language;
            }
        }
        // Without a filter it is but another place in the same feed.
        if let Some(query) = query.filter(|query| !query.text.is_empty()) {
            scope.title = format!("{} ({})", scope.title, query.words);
            scope.id = format!("{}/filtered/{}", scope.id, query.digest());
        }
        Ok(Some(scope))
    }

    /// The newest batches, as in the feeds of their collections.
    async fn newest(&self, scope: &Scope) -> Result<Entries, StoreError> {
        let reader = scope.filter.without_left_out_by;
        let batches = self.store().newest_batches(reader, BATCHES_PER_FEED, MOST_CHANGES).await?;
        self.of_batches(&batches, scope).await
    }

    /// What a search finds: an entry for each change, or for those of each batch.
    async fn matching(
        &self,
        scope: &Scope,
        query: Option<&FeedQuery>,
        is_single: bool,
    ) -> Result<Entries, StoreError> {
        let limit = if is_single { MOST_SINGLE } else { MAX_MATCHES };
        let before = query.and_then(|query| query.before).filter(|_| is_single);
        let search = self.store().search(&scope.filter, before, limit, MAX_LOOKED_AT).await?;
        let Search { found, next, .. } = search;
        if !is_single {
            let filter = query.map(FeedQuery::digest).unwrap_or_default();
            return self.of_batches(&batches(found, next.is_some(), &filter), scope).await;
        }
        let origins = self.origins(found.iter().map(|one| one.change.collection_id)).await?;
        let of_posts = found.iter().map(|one| (one.change.collection_id, &one.change.change));
        let mut known = self.posts(&origins, of_posts).await?;
        let mut entries = self.entries(scope);
        for one in &found {
            let Some(origin) = origins.get(&one.change.collection_id) else { continue };
            let change = &one.change.change;
            if origin.is_webfeed() {
                entries.add_posts(origin, std::iter::once(change), one.seen_at, &mut known);
            } else {
                let make = |around: &Around<'_>| single(change, Some(one.seen_at), around);
                entries.add(origin, make, change.time, one.seen_at);
            }
        }
        entries.finish(next).await
    }

    /// An entry for each batch; for each post instead where the batch is of a webfeed.
    async fn of_batches(&self, batches: &[Batch], scope: &Scope) -> Result<Entries, StoreError> {
        let origins = self.origins(batches.iter().map(|batch| batch.collection_id)).await?;
        let mut entries = self.entries(scope);
        for batch in batches {
            let Some(origin) = origins.get(&batch.collection_id) else { continue };
            if !origin.is_webfeed() {
                let make = |around: &Around<'_>| digest(batch, around);
                entries.add(origin, make, batch.newest, batch.seen_at);
                continue;
            }
            let changes = batch.changes.iter().rev();
            let of_posts = changes.clone().map(|change| (batch.collection_id, change));
            // What comes after the last post that there is room for is not asked for.
            let of_posts = of_posts.filter(|_| !entries.is_full());
            let mut known = self.posts(&origins, of_posts).await?;
            entries.add_posts(origin, changes, batch.seen_at, &mut known);
        }
        entries.finish(None).await
    }

    fn entries(&self, scope: &Scope) -> EntryList<'_> {
        EntryList {
            desk: self,
            names_collections: scope.names_collections,
            entries: PostEntries::default(),
            updated: None,
            modified: None,
            posts: HashSet::new(),
        }
    }

    /// The posts that changes of webfeeds are about and that are still there, asked for at once for each webfeed.
    async fn posts<'c>(
        &self,
        origins: &HashMap<i64, Origin>,
        changes: impl Iterator<Item = (i64, &'c NewChange)>,
    ) -> Result<PostsByUrl, StoreError> {
        let mut urls: HashMap<i64, Vec<&str>> = HashMap::new();
        for (collection, change) in changes.filter(|(_, change)| change.kind != Kind::Deleted) {
            let origin = origins.get(&collection).filter(|origin| origin.is_webfeed());
            let Some(origin) = origin else { continue };
            urls.entry(origin.of.collection.site_id).or_default().push(&change.uri);
        }
        let mut known = PostsByUrl::new();
        for (site, urls) in urls {
            let posts = self.store().posts_at(site, &urls).await?.into_iter();
            known.extend(posts.map(|post| ((site, post.url.clone()), post)));
        }
        Ok(known)
    }

    async fn origins(
        &self,
        ids: impl Iterator<Item = i64>,
    ) -> Result<HashMap<i64, Origin>, StoreError> {
        let mut ids: Vec<i64> = ids.collect();
        ids.sort_unstable();
        ids.dedup();
        let origins = self.store().collection_origins(&ids).await?.into_iter();
        Ok(origins.map(|one| (one.collection.id, Origin::new(one, self.base()))).collect())
    }

    fn wide(
        &self,
        feed: &FeedName,
        variant: Variant,
        format: FeedFormat,
        query: Option<&FeedQuery>,
        scope: Scope,
        entries: Entries,
    ) -> Feed {
        // The feed of a saved search is that search: its query is not part of its address.
        let text = query.filter(|_| !matches!(feed, FeedName::Search(_)));
        let text = text.map_or("", |query| &query.text);
        let at = |variant, format: FeedFormat, before: Option<ChangeCursor>| {
            let mark = if text.is_empty() { '?' } else { '&' };
            let before = before.map_or_else(String::new, |place| {
                let ChangeCursor { seen_at, collection_id, batch, position } = place;
                format!("{mark}before={seen_at}.{collection_id}.{batch}.{position}")
            });
            format!("{}{}{text}{before}", self.base(), feed.path(variant, format))
        };
        let link = |rel: &str, href: String, format: FeedFormat, title: Option<String>| FeedLink {
            rel: rel.to_owned(),
            href,
            media_type: Some(format.media_type().to_owned()),
            title,
        };
        let mut links = Vec::new();
        if let Some(next) = entries.next {
            links.push(link("next", at(variant, format, Some(next)), format, None));
        }
        if variant == Variant::Digest {
            let others = FeedFormat::ALL.into_iter().filter(|other| *other != format);
            links.extend(others.map(|other| {
                link("alternate", at(variant, other, None), other, Some(other.to_string()))
            }));
        }
        let changes = if variant == Variant::Digest { "" } else { "/changes" };
        Feed {
            id: format!("{}{}{changes}", self.tag(), scope.id),
            subtitle: Some(format!("{}: changes", scope.title)),
            title: scope.title,
            updated: time(entries.updated.unwrap_or_default()),
            author: None,
            language: scope.language,
            home: scope.home,
            own: at(variant, format, query.and_then(|query| query.before)),
            links,
            icon: None,
            is_archive: false,
            stylesheet: Some(self.stylesheet()),
            version: env!("CARGO_PKG_VERSION"),
            entries: entries.entries,
        }
    }
}

/// How many batches the feed of everything shows.
#[expect(clippy::cast_possible_truncation, reason = "it is 50")]
const BATCHES_PER_FEED: u32 = PAGE as u32;

/// A collection that entries come from.
struct Origin {
    of: CollectionOrigin,
    page: String,
    all: String,
}

impl Origin {
    fn new(mut of: CollectionOrigin, base: &str) -> Self {
        let page = format!("{base}sites/{}", of.site_key);
        let feed = FeedName::Collection(of.collection.key.clone());
        let all = format!("{base}{}", feed.path(Variant::Changes(1), FeedFormat::Atom));
        let title = of.collection.title.take();
        of.collection.title = title.or_else(|| of.site_title.clone());
        Self { of, page, all }
    }

    /// An entry of the collection, with its author.
    fn entry(
        &self,
        make: impl FnOnce(&Around<'_>) -> Entry,
        tag: &str,
        names_collection: bool,
    ) -> Entry {
        let Self { of, page, all } = self;
        let collection = &of.collection;
        let entry = make(&Around { tag, collection, page, all, names_collection });
        Entry { author: Some(self.author()), ..entry }
    }

    fn author(&self) -> String {
        let collection = &self.of.collection;
        collection.author.clone().unwrap_or_else(|| name(collection))
    }

    fn is_webfeed(&self) -> bool {
        self.of.site_via == Via::Webfeed
    }
}

/// The changes that a search found, the newest first, as the batches that they came in. If there may be
/// more of the last batch, it is left out: its entry must not depend on what came after it.
fn batches(found: Vec<FoundChange>, is_cut: bool, filter: &str) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    for one in found {
        let change = one.change;
        let is_of_last = batches.last().is_some_and(|last| {
            (last.collection_id, last.sequence) == (change.collection_id, change.batch)
        });
        if !is_of_last {
            batches.push(Batch {
                collection_id: change.collection_id,
                sequence: change.batch,
                site_sequence: 0,
                key: format!("filtered/{filter}/{}", change.batch),
                created: 0,
                updated: 0,
                deleted: 0,
                oldest: change.change.time,
                newest: change.change.time,
                seen_at: one.seen_at,
                changes: Vec::new(),
            });
        }
        let Some(batch) = batches.last_mut() else { continue };
        *match change.change.kind {
            Kind::Created => &mut batch.created,
            Kind::Updated => &mut batch.updated,
            Kind::Deleted => &mut batch.deleted,
        } += 1;
        batch.oldest = batch.oldest.min(change.change.time);
        batch.newest = batch.newest.max(change.change.time);
        batch.changes.push(change.change);
    }
    if is_cut && batches.len() > 1 {
        batches.pop();
    }
    batches.truncate(BATCHES_PER_FEED as usize);
    for batch in &mut batches {
        batch.changes.reverse();
    }
    batches
}
