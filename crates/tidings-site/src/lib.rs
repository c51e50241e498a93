//! The live Markdown site: whatever is on disk now is what a visitor, a crawler and a follower gets now.
//!
//! - [`PageMetaCache`] knows the metadata of each object of a content root, and stays true to the files.
//! - [`Reserved`] is the one registry of paths that are kept for the program; [`path`] spells them.
//! - [`robots`] and [`Sitemap`] are made of both for each request.
//! - [`Journal`] keeps what changed for the public.
//! - [`render`] makes HTML of Markdown, and a [`Theme`] a page of that.

mod access;
mod accounts;
mod alias;
mod books;
mod cache;
pub mod documents;
mod edit;
mod finding;
mod front_matter;
mod journal;
mod lastmod;
mod listing;
mod load;
mod markdown;
pub mod memento;
mod navigation;
mod news;
mod object_id;
mod origin;
mod package;
mod page_meta;
pub mod path;
mod place;
mod reserved;
mod robots;
mod root;
mod sidecar;
mod sitemap;
mod survey;
mod tag_rules;
mod text;
mod theme;
mod watch;
mod yaml;

pub use access::Access;
pub use accounts::{Account, Accounts, AccountsError};
pub use alias::{Alias, AliasError, AliasOf};
pub use cache::{PageMetaCache, SiteError};
pub use edit::{Draft, EditError, Editor, Layout, Seen};
pub use finding::{Fault, Finding};
pub use front_matter::{FrontMatter, FrontMatterError};
pub use journal::{Journal, JournalEntry, JournalError, MOST_AROUND, MOST_CHANGES, Millis};
pub use listing::{Chunk, Listing};
pub use load::MOST_MARKDOWN;
pub use markdown::{Heading, Rendered, first_heading, opening, render};
pub use navigation::navigation;
pub use news::news;
pub use object_id::ObjectId;
pub use origin::{HostError, Origin};
pub use page_meta::{Kind, Nav, PageMeta, Stamp};
pub use place::Place;
pub use reserved::{AdminPathError, Extent, Reserved, ReservedPath, Robots};
pub use robots::robots;
pub use root::ContentRoot;
pub use sidecar::{Sidecar, SidecarError};
pub use sitemap::{MOST_BYTES, MOST_URLS, Sitemap, SitemapPart};
pub use tag_rules::{AccessRule, Tag, TagRules, TagRulesError, parse_roles, write_roles};
pub use theme::{NavItem, Theme, ThemeError, View};
