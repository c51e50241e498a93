//! Durable state of the services: SQLite embedded, PostgreSQL when shared.
//!
//! All that a service knows is here: the sites that it follows, their collections, how far each was
//! processed, the changes and batches that their feeds are made of, who works on what right now, who
//! may ask for more, and who did what. One machine needs a folder ([`Location::Folder`]); many share a database
//! ([`Location::Database`]). The statements are the same for both.
//!
//! Work is rows: a worker leases hosts ([`Store::claim`]), polls their sites without holding
//! anything but the lease, and finishes each in one transaction ([`Store::finish`]) that fails if
//! the lease is no longer its own. What a change is recorded under is derived from the change, so
//! that one that is recorded again adds nothing.

mod act;
mod activity;
mod batch;
mod collection;
mod engine;
mod error;
mod location;
mod post;
mod search;
mod session;
mod site;
mod store;
mod token;
mod user;
mod work;

pub use act::{Act, NewAct};
pub use activity::Day;
pub use batch::{Batch, Change, Kind, NewChange};
pub use collection::{Collection, CollectionOutcome, NewCollection};
pub use error::StoreError;
pub use location::Location;
pub use post::{
    FetchedPost, GridFilter, NewPost, Post, PostFailure, PostStyle, PostText, PostsOutcome,
    ReadPost, Tile,
};
pub use search::{ChangeCursor, ChangeFilter, FoundChange, Search};
pub use session::UserSession;
pub use site::{Followed, NewSite, Settings, Site, SiteFilter, SiteOrder, State, Via};
pub use store::{Counts, Identity, Store};
pub use token::{Scope, Token};
pub use user::{Role, User, UserChange};
pub use work::{Finished, Lease, Outcome, PollRecord, RobotsRecord, Run, Snapshot};

/// Milliseconds since 1970, UTC.
pub type Millis = i64;
