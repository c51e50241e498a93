//! Following as a person wants it: new sets are noticed at once, entries are true, readable and said once.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    missing_docs,
    reason = "a test"
)]

mod support;

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/database.rs"]
mod database;

#[path = "following_news/adoption.rs"]
mod adoption;
#[path = "following_news/descriptions.rs"]
mod descriptions;
#[path = "following_news/entries.rs"]
mod entries;
#[path = "following_news/every_check.rs"]
mod every_check;
#[path = "following_news/feed_paths.rs"]
mod feed_paths;
#[path = "following_news/honest_updates.rs"]
mod honest_updates;
#[path = "following_news/lists.rs"]
mod lists;
#[path = "following_news/site_pages.rs"]
mod site_pages;
#[allow(dead_code, reason = "other tests use more of it")]
#[path = "following_hostile/stage.rs"]
mod stage;
#[path = "following_news/trouble.rs"]
mod trouble;
