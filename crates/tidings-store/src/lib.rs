#![doc = include_str!("../README.md")]

mod act;
mod activity;
mod batch;
mod collection;
mod engine;
mod error;
mod location;
mod post;
mod retention;
mod saved_search;
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
pub use collection::{Collection, CollectionOrigin, CollectionOutcome, NewCollection};
pub use engine::{backup, restore};
pub use error::StoreError;
pub use location::Location;
pub use post::{
    FetchedPost, GridFilter, NewPost, Post, PostFailure, PostStyle, PostText, PostToCheck,
    PostValidators, PostsOutcome, ReadPost, Tile,
};
pub use retention::{ForgetStep, Retention};
pub use saved_search::SavedSearch;
pub use search::{ChangeCursor, ChangeFilter, FoundChange, Search};
pub use session::UserSession;
pub use site::{Followed, NewSite, Settings, Site, SiteFilter, SiteOrder, State, Via};
pub use store::{Counts, Identity, RetiredFeed, Store};
pub use token::{Scope, Token};
pub use user::{Role, User, UserChange};
pub use work::{Finished, Lease, Outcome, PollRecord, RobotsRecord, Run, SiteMove, Snapshot};

/// Milliseconds since 1970, UTC.
pub type Millis = i64;
