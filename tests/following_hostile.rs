//! Following sites that are not there, not right, or not honest: each on a server that does what the
//! test says, followed by the real program. What must hold afterwards is looked up in what `tidings
//! sites` says, in what is recorded, and in the feeds, as readers that are not ours read them.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "following_hostile/absent.rs"]
mod absent;
#[path = "following_hostile/broken.rs"]
mod broken;
#[path = "following_hostile/changes.rs"]
mod changes;
#[path = "following_hostile/feeds.rs"]
mod feeds;
#[path = "following_hostile/hanging.rs"]
mod hanging;
#[path = "following_hostile/indexes.rs"]
mod indexes;
#[path = "following_hostile/markup.rs"]
mod markup;
#[path = "following_hostile/moving.rs"]
mod moving;
#[path = "following_hostile/sitemaps.rs"]
mod sitemaps;
#[path = "following_hostile/stage.rs"]
mod stage;
#[path = "following_hostile/strangers.rs"]
mod strangers;
