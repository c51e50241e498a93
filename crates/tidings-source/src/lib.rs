//! Publishing: an inventory of what is there becomes changes, the changes become documents, and the
//! documents one publication that is never seen half done.
//!
//! The published documents are the publisher's state: the last Resource List, and the changes since
//! its `at`, say what was there. [`publish`] needs nothing else.

mod cache;
mod changes;
mod clock;
mod error;
mod fixity;
mod inventory;
mod layout;
mod link_rule;
mod max_delete;
mod options;
mod outcome;
mod package;
mod previous;
mod publication;
mod resource;
mod restore;
mod selection;
mod set;

pub use error::PublishError;
pub use fixity::Function;
pub use inventory::{Bucket, Digests, Format, LinkFields, Passed, Records, encoded, path_of};
pub use link_rule::{LinkRule, Template, TemplateError};
pub use max_delete::MaxDelete;
pub use options::{Inventory, Options, Retention, Spec};
pub use outcome::{Outcome, Progress};
pub use package::{Difference, Package, PackageCapacity, PackageError, PackageWriter};
pub use publication::{documents_in, publish};
pub use resource::Resource;
pub use restore::{RestoreError, Restored, restore, restore_client};
pub use selection::{PatternError, Selection};
pub use set::{About, Members, Set};
