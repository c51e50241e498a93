//! How a copy is found and fetched: discovery that never weakens, digests, patches, slow servers, files
//! that are resumed, bandwidth.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

mod support;

#[path = "sync_fetch/bandwidth.rs"]
mod bandwidth;
#[path = "sync_fetch/digests.rs"]
mod digests;
#[path = "sync_fetch/discovery.rs"]
mod discovery;
#[path = "sync_fetch/patches.rs"]
mod patches;
#[path = "sync_fetch/portal.rs"]
mod portal;
#[path = "sync_fetch/resume.rs"]
mod resume;
#[path = "sync_fetch/slow.rs"]
mod slow;
