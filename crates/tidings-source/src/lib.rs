//! Publishing: an inventory of what is there becomes changes, the changes become documents, and the
//! documents one publication that is never seen half done.
//!
//! The published documents are the publisher's state: the last Resource List, and the changes since
//! its `at`, say what was there. [`publish`] needs nothing else.

mod changes;
mod clock;
mod error;
mod fixity;
mod inventory;
mod layout;
mod package;
mod previous;
mod publication;
mod resource;

pub use error::PublishError;
pub use inventory::{Folder, Format, Passed, Records, path_of};
pub use package::{Difference, Package, PackageCapacity, PackageError, PackageWriter};
pub use publication::{Inventory, Options, Outcome, Progress, publish};
pub use resource::Resource;
