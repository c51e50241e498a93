//! `tidings publish`: what it withdraws, refuses and keeps in agreement.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

#[path = "publication/stale_dumps.rs"]
mod stale_dumps;
