//! The live Markdown site over HTTP: pages, what crawlers and followers want, past versions, sign-in and
//! administration.
//!
//! There is no router of patterns here. A path is either, letter by letter, one of the program's own, or
//! what [`tidings_site::path::named`] makes of it is looked up among the aliases; no third spelling leads
//! anywhere.

mod admin;
mod answer;
mod asked;
mod blob;
mod lists;
mod page;
mod past;
mod route;
mod search;
mod search_queue;
mod server;
mod shell;
mod sign_in;
mod state;
mod stream_table;

pub use server::{SiteOptions, SiteServer, SiteStartError};
