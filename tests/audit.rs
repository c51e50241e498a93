//! `tidings audit`: what it proves, what it reports and what it remembers.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

mod support;
