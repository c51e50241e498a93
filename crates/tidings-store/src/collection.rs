//! A collection of resources, with a feed of its own.

use crate::{Millis, NewChange, Via};

/// A collection, as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Its number in this store.
    pub id: i64,
    /// The site that it is part of.
    pub site_id: i64,
    /// Its name in URLs; unique in the store.
    pub key: String,
    /// What identifies it: the URL that it `describes`; unique in its site.
    pub identity: String,
    /// What it calls itself.
    pub title: Option<String>,
    /// Whose it is.
    pub author: Option<String>,
    /// A BCP 47 tag.
    pub language: Option<String>,
    /// A line about it.
    pub about: Option<String>,
    /// How far it was processed, in the follower's own words (JSON).
    pub progress: String,
    /// What is to be known about it, such as why it could not be polled.
    pub reason: Option<String>,
    /// True if the site does not name it any more. Its feed stays.
    pub is_gone: bool,
    /// How many of the changes in its lists are ignored, because they say no time.
    pub ignored: i64,
    /// How many changes were recorded.
    pub changes: i64,
    /// How many batches there are.
    pub batches: i64,
    /// The time of its newest change.
    pub changed_at: Option<Millis>,
    /// The number of the last batch that is forgotten, see [`Retention`](crate::Retention).
    pub forgotten: i64,
    /// The time of the newest change that is forgotten: what is said to have happened until then is not
    /// told again.
    pub forgotten_until: Option<Millis>,
    /// True if nobody wants its changes: they are passed over, what came before stays, and so does
    /// [`progress`](Self::progress), so that they can still be told when somebody does.
    pub is_muted: bool,
}

/// A collection, and the site that it is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionOrigin {
    /// The collection.
    pub collection: Collection,
    /// See [`Site::key`](crate::Site::key).
    pub site_key: String,
    /// See [`Site::title`](crate::Site::title).
    pub site_title: Option<String>,
    /// See [`Site::url`](crate::Site::url).
    pub site_url: String,
    /// See [`Site::via`](crate::Site::via).
    pub site_via: Via,
    /// See [`Site::polled_at`](crate::Site::polled_at).
    pub site_polled_at: Option<Millis>,
}

/// A collection to be followed.
#[derive(Debug, Clone, Default)]
pub struct NewCollection {
    /// See [`Collection::key`].
    pub key: String,
    /// See [`Collection::identity`].
    pub identity: String,
    /// See [`Collection::title`].
    pub title: Option<String>,
    /// See [`Collection::author`].
    pub author: Option<String>,
    /// See [`Collection::language`].
    pub language: Option<String>,
    /// See [`Collection::about`].
    pub about: Option<String>,
    /// See [`Collection::progress`].
    pub progress: String,
    /// See [`Collection::is_muted`].
    pub is_muted: bool,
}

/// What a poll found out about a collection.
#[derive(Debug, Clone, Default)]
pub struct CollectionOutcome {
    /// The collection, found by its identity: it is made if there is none yet. Of one that there is,
    /// the key stays and so does whether it is muted, and title, author, language and the line about
    /// it are replaced where they are given.
    pub collection: NewCollection,
    /// See [`Collection::reason`]; replaces it.
    pub reason: Option<String>,
    /// See [`Collection::is_gone`].
    pub is_gone: bool,
    /// See [`Collection::ignored`]; replaces it where given.
    pub ignored: Option<i64>,
    /// The changes, the newest last. Those that are recorded already are passed over, and so are all
    /// of a collection that is muted; the others become one batch.
    pub changes: Vec<NewChange>,
    /// Changes that were told in other words already: they count as recorded from now on.
    pub told: Vec<[u8; 16]>,
    /// Changes beyond those, of which nothing but their number is kept: created, updated, deleted.
    pub more: [i64; 3],
}
