//! `tidings publish`: what it withdraws, refuses and keeps in agreement.
#![allow(clippy::unwrap_used, reason = "a test")]

mod support;

#[path = "publication/lastmod.rs"]
mod lastmod;
#[path = "publication/mass_deletions.rs"]
mod mass_deletions;
#[path = "publication/places.rs"]
mod places;
#[path = "publication/shared_sets.rs"]
mod shared_sets;
#[path = "publication/stale_dumps.rs"]
mod stale_dumps;
