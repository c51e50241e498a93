//! The administration of a site: what admins do there, and what others try to.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, missing_docs, reason = "a test")]

mod support;

#[path = "support/browser.rs"]
#[allow(dead_code, unreachable_pub, reason = "what a browser can do")]
mod browser;

#[path = "site_admin/accounts.rs"]
mod accounts;
#[path = "site_admin/editing.rs"]
mod editing;
#[path = "site_admin/escaping.rs"]
mod escaping;
#[path = "site_admin/files.rs"]
mod files;
#[path = "site_admin/forgery.rs"]
mod forgery;
#[path = "site_admin/listing.rs"]
mod listing;
#[path = "site_admin/screens.rs"]
mod screens;
#[path = "site_admin/sessions.rs"]
mod sessions;
#[path = "site_admin/stage.rs"]
#[allow(unreachable_pub, reason = "what all of these tests use")]
mod stage;
#[path = "site_admin/strangers.rs"]
mod strangers;
#[path = "site_admin/tags.rs"]
mod tags;
