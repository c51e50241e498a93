//! The live Markdown site: whatever is on disk is in the next answer, in either layout.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "a test"
)]

mod support;

#[path = "support/content_root.rs"]
mod content_root;

#[path = "site/access.rs"]
mod access;
#[path = "site/aliases.rs"]
mod aliases;
#[path = "site/blobs.rs"]
mod blobs;
#[path = "site/check.rs"]
mod check;
#[path = "site/judges.rs"]
mod judges;
#[path = "site/live.rs"]
mod live;
#[path = "site/past.rs"]
mod past;
#[path = "site/requests.rs"]
mod requests;
#[path = "site/robots.rs"]
mod robots;
#[path = "site/sitemap.rs"]
mod sitemap;
#[path = "site/theme.rs"]
mod theme;
#[path = "site/urls.rs"]
mod urls;
