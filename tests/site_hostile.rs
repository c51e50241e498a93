//! What the live site does with those who mean it ill, row by row of docs/threats.md: W1 (hosts), W2
//! (spellings of reserved paths), W3 (the admin path), W4 (files outside), and content that is broken.
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

#[path = "site_hostile/content.rs"]
mod content;
#[path = "site_hostile/w1_hosts.rs"]
mod w1_hosts;
#[path = "site_hostile/w2_spellings.rs"]
mod w2_spellings;
#[path = "site_hostile/w3_admin_path.rs"]
mod w3_admin_path;
#[path = "site_hostile/w4_outside.rs"]
mod w4_outside;
