//! The server: what it serves, to whom, and what it does with those who ask for too much, too slowly, or
//! in ways that nobody should.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    missing_docs,
    unreachable_pub,
    reason = "a test"
)]

mod support;

#[path = "servers_attacked/crowd.rs"]
#[allow(dead_code, reason = "what attackers do")]
mod crowd;

#[path = "serve/access.rs"]
mod access;
#[path = "serve/accounts.rs"]
mod accounts;
#[path = "serve/api.rs"]
mod api;
#[path = "serve/backups.rs"]
mod backups;
#[path = "serve/browser.rs"]
mod browser;
#[path = "serve/connections.rs"]
mod connections;
#[path = "serve/feeds.rs"]
mod feeds;
#[path = "serve/forms.rs"]
mod forms;
#[path = "serve/questions.rs"]
mod questions;
#[path = "serve/requests.rs"]
mod requests;
#[path = "serve/retention.rs"]
mod retention;
#[path = "serve/secrets.rs"]
mod secrets;
#[path = "serve/stage.rs"]
mod stage;
#[path = "serve/starting.rs"]
mod starting;
#[path = "serve/webfeed_posts.rs"]
mod webfeed_posts;
#[path = "serve/wide_feeds.rs"]
mod wide_feeds;
