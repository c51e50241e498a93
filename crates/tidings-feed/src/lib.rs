//! What is on the wire: Atom, RSS, JSON Feed, OPML. Written from one model, and read as far as
//! another program's documents are taken over. Pure: no I/O of its own, no async, no clock.
//!
//! - [`atom`], [`rss`] and [`json_feed`] write a [`Feed`]. Whatever is in its strings, the document
//!   is valid: what cannot be a link is no link, what XML forbids is replaced.
//! - [`Opml`] is a list of subscriptions, written and read.
//! - [`TakenFeed`] is an existing feed of another program.
//! - [`Description`] is what a collection says about itself, in any of the usual notations.
//! - [`Page`] is a web page, as far as its followers are told about it.
//!
//! What is read comes from strangers: no entity is ever expanded, and nesting has a limit.

mod atom;
mod decode;
mod description;
mod escape;
mod feed;
mod feed_error;
mod html;
mod json_feed;
mod language;
mod link;
mod markup;
mod opml;
mod page;
mod plain;
mod rss;
mod survey;
mod taken;
mod time;
mod uri;

pub use atom::atom;
pub use decode::decode_page;
pub use description::Description;
pub use feed::{Category, Entry, Feed, Item, Section};
pub use feed_error::FeedError;
pub use json_feed::json_feed;
pub use link::FeedLink;
pub use opml::{Opml, OpmlError, Outline};
pub use page::Page;
pub use rss::rss;
pub use taken::{TakenEntry, TakenFeed};
