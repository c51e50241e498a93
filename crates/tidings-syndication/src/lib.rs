#![doc = include_str!("../README.md")]

mod change_list;
mod changed;
mod collector;
mod desk;
mod details;
mod document_fault;
mod error;
mod feed_taken;
mod fetch;
mod find;
mod follower;
mod forget;
mod handover;
mod key;
mod look;
mod moved_pages;
mod news;
mod opml;
mod opml_import;
mod opml_settings;
mod page;
mod page_identity;
mod poll;
mod posts_feed;
mod quality;
mod robots;
mod schedule;
mod site_pages;
mod sitemap;
mod sites;
mod snapshot;
mod succession;
mod watch;
mod webfeed;
mod wide_feed;
mod wishes;
mod worker;

pub use changed::Changed;
pub use desk::{FeedDesk, FeedName, Retired, Variant};
pub use details::{By, Details, Finding, Held, Quality, Webfeed};
pub use error::{FollowError, PollError};
pub use follower::{Follower, FollowerOptions, Polled};
pub use look::{Look, LookedAt, Tried};
pub use opml::{Imported, export_feeds, export_sites, import_outline};
pub use opml_import::{ImportPlan, SkippedOutline};
pub use schedule::Pacing;
pub use sites::{CollectionReport, SiteReport, report};
pub use watch::{PollStep, Watched};
pub use wide_feed::FeedQuery;
pub use wishes::Wishes;
pub use worker::{Work, Worker, WorkerHandle, WorkerOptions};

/// The time now, by this machine's clock.
#[must_use]
pub(crate) fn now() -> tidings_store::Millis {
    jiff::Timestamp::now().as_millisecond()
}
