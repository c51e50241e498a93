//! Both servers while one address attacks them, and what everybody else notices of it.
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
#[path = "servers_attacked/crowd.rs"]
mod crowd;
#[path = "servers_attacked/malformed.rs"]
mod malformed;
#[path = "servers_attacked/networks.rs"]
mod networks;
#[path = "servers_attacked/queues.rs"]
mod queues;
#[path = "servers_attacked/slow_bodies.rs"]
mod slow_bodies;
