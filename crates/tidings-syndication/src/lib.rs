//! Following: sites, collections, polls, batches, feeds.
//!
//! A [`Follower`] finds out by what the changes of a site can be known ([`Follower::follow`]), looks
//! for new ones ([`Follower::poll`]), and shows them as feeds ([`FeedDesk`]). What it knows is in a
//! [`Store`](tidings_store::Store), so that any number of followers may share the work
//! ([`Worker`]).
//!
//! - A site with ResourceSync says itself what changed: its Change Lists are read from where they
//!   were last processed (IFCC-0001).
//! - Of a site that has but a Sitemap, one snapshot is compared with the next.
//! - A site that has neither may have a feed, which is taken over.

mod change_list;
mod changed;
mod collector;
mod desk;
mod details;
mod error;
mod feed_taken;
mod fetch;
mod find;
mod follower;
mod key;
mod look;
mod news;
mod opml;
mod page;
mod poll;
mod quality;
mod robots;
mod schedule;
mod sitemap;
mod sites;
mod snapshot;
mod watch;
mod webfeed;
mod wishes;
mod worker;

pub use changed::Changed;
pub use desk::{FeedDesk, FeedName, Variant};
pub use details::{By, Details, Finding, Held, Quality, Webfeed};
pub use error::{FollowError, PollError};
pub use follower::{Follower, FollowerOptions, Polled};
pub use look::{Look, LookedAt, Tried};
pub use opml::{Imported, export, import};
pub use schedule::Pacing;
pub use sites::{CollectionReport, SiteReport, report};
pub use watch::{PollStep, Watched};
pub use wishes::Wishes;
pub use worker::{Work, Worker, WorkerHandle, WorkerOptions};

/// The time now, by this machine's clock.
#[must_use]
pub(crate) fn now() -> tidings_store::Millis {
    jiff::Timestamp::now().as_millisecond()
}
