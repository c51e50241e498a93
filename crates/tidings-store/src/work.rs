//! Polls as work: leased, done, recorded.

use crate::{CollectionOutcome, Millis, PostsOutcome, Site, State, Via};

/// The right to poll the sites of one host, for a while.
#[derive(Debug, Clone)]
pub struct Lease {
    /// The host.
    pub host: String,
    /// Who has it.
    pub worker: String,
    /// Grows each time that somebody gets the lease, so that who lost it cannot write any more.
    pub generation: i64,
    /// What is to be polled.
    pub sites: Vec<Site>,
}

/// What came of one poll of one site.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The site.
    pub site_id: i64,
    /// How it is now.
    pub state: State,
    /// See [`Site::reason`]; replaces it.
    pub reason: Option<String>,
    /// See [`Site::failures`].
    pub failures: i64,
    /// See [`Site::interval`].
    pub interval: Millis,
    /// How long from now until the next poll.
    pub wait: Millis,
    /// See [`Site::title`]; replaces it where given.
    pub title: Option<String>,
    /// See [`Site::details`]; replaces it where given.
    pub details: Option<String>,
    /// Those of its collections of which there is something to say.
    pub collections: Vec<CollectionOutcome>,
    /// The snapshot that is now the last one, if it is a new one.
    pub snapshot: Option<Snapshot>,
    /// Set if the site is followed by other means from now on.
    pub moved: Option<Box<SiteMove>>,
    /// What was found out about the posts of a webfeed.
    pub posts: Option<Box<PostsOutcome>>,
    /// How many requests it took.
    pub requests: i64,
    /// How long it took, in milliseconds.
    pub took: Millis,
}

/// A site that is followed by other means from now on. Its key stays, and so do its feeds.
#[derive(Debug, Clone)]
pub struct SiteMove {
    /// See [`Site::via`].
    pub via: Via,
    /// See [`Site::url`]; it stays as it was if another site has this one.
    pub url: String,
    /// The collections that go on under another identity: their numbers, and what identifies them now.
    pub identities: Vec<(i64, String)>,
    /// The numbers of the collections that end. Who asks for their feeds is sent to that of the site.
    pub ended: Vec<i64>,
}

/// What was recorded of an [`Outcome`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finished {
    /// How many batches there are more.
    pub batches: u64,
    /// How many changes were not known yet, of all batches.
    pub changes: u64,
    /// The keys of the collections whose feeds are different now.
    pub changed: Vec<String>,
}

/// One poll of the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollRecord {
    /// When.
    pub at: Millis,
    /// How the site was afterwards.
    pub state: State,
    /// Why.
    pub reason: Option<String>,
    /// How many changes were new.
    pub changes: i64,
    /// How many requests it took.
    pub requests: i64,
    /// How long it took, in milliseconds.
    pub took: Millis,
}

/// What a site's Sitemaps said, all together.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Its runs: those that are known already, and those whose pieces were
    /// [staged](crate::Store::stage). All others are forgotten, with their pieces.
    pub runs: Vec<Run>,
}

/// A sorted part of a snapshot: what one document, or a part of a large one, said. Its entries are in
/// pieces, see [`Store::piece`](crate::Store::piece).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What it is known by in its site.
    pub id: String,
    /// The document.
    pub document: String,
    /// Its `ETag`.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub last_modified: Option<String>,
    /// How many entries there are.
    pub entries: i64,
    /// How many pieces.
    pub pieces: i64,
}

/// The robots.txt of an origin, as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsRecord {
    /// When.
    pub fetched_at: Millis,
    /// Its bytes; none if there is none, and everything is allowed.
    pub body: Option<Vec<u8>>,
    /// Why it could not be had, in which case nothing is allowed.
    pub obstacle: Option<String>,
}
