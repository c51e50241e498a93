//! Webfeeds end to end: published by the real binary, polled from servers of all kinds.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, missing_docs, reason = "a test")]

mod support;

#[path = "support/webfeed_spec.rs"]
mod spec;

#[path = "webfeeds/bad_indexes.rs"]
mod bad_indexes;
#[path = "webfeeds/bad_posts.rs"]
mod bad_posts;
#[path = "webfeeds/checking.rs"]
mod checking;
#[path = "webfeeds/corrections.rs"]
mod corrections;
#[path = "webfeeds/discovery.rs"]
mod discovery;
#[path = "webfeeds/example.rs"]
mod example;
#[path = "webfeeds/lengths.rs"]
mod lengths;
#[path = "webfeeds/pictures.rs"]
mod pictures;
#[path = "webfeeds/publishing.rs"]
mod publishing;
#[path = "webfeeds/sources.rs"]
mod sources;
#[path = "webfeeds/stage.rs"]
mod stage;
#[path = "webfeeds/subscriptions.rs"]
mod subscriptions;
#[path = "webfeeds/tiles.rs"]
mod tiles;
