//! The reader of webfeeds in a real browser: what people do in it, and what posts try to do to it.
#![allow(clippy::unwrap_used, clippy::missing_panics_doc, missing_docs, reason = "a test")]

mod support;

#[path = "support/browser.rs"]
#[allow(dead_code, unreachable_pub, reason = "what a browser can do")]
mod browser;

#[path = "support/webfeed_spec.rs"]
mod spec;
#[path = "serve/browser.rs"]
#[allow(dead_code, reason = "what a browser does, without one")]
mod tab;

#[path = "reader/access.rs"]
mod access;
#[path = "reader/checker.rs"]
mod checker;
#[path = "reader/corpus.rs"]
mod corpus;
#[path = "reader/example.rs"]
mod example;
#[path = "reader/foreign.rs"]
mod foreign;
#[path = "reader/grid.rs"]
mod grid;
#[path = "reader/hostile.rs"]
mod hostile;
#[path = "reader/lists.rs"]
mod lists;
#[path = "reader/many.rs"]
mod many;
#[path = "reader/phone.rs"]
mod phone;
#[path = "reader/post.rs"]
mod post;
#[path = "reader/stage.rs"]
mod stage;
#[path = "reader/trap.rs"]
mod trap;
#[path = "reader/words.rs"]
mod words;
