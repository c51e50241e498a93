//! Following as a person wants it: new sets are noticed at once, entries are true, readable and said once.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "following_news/descriptions.rs"]
mod descriptions;
#[path = "following_news/every_check.rs"]
mod every_check;
#[path = "following_news/feed_paths.rs"]
mod feed_paths;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "following_hostile/stage.rs"]
mod stage;
