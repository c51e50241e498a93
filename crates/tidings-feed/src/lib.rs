#![doc = include_str!("../README.md")]

mod atom;
mod decode;
mod description;
mod feed;
mod feed_error;
mod feed_format;
mod html;
mod json_feed;
mod language;
mod link;
mod markup;
mod opml;
mod page;
mod page_links;
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
pub use feed_format::FeedFormat;
pub use json_feed::json_feed;
pub use link::FeedLink;
pub use opml::{FollowedSite, Opml, OpmlError, Outline};
pub use page::Page;
pub use page_links::page_links;
pub use rss::rss;
pub use taken::{TakenEntry, TakenFeed};
