#![doc = include_str!("../README.md")]

mod cache;
mod changes;
mod clock;
mod document_file;
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
pub use inventory::{
    BucketInventory, Digests, Format, Inventory, InventoryItem, LinkFields, Passed, RecordError,
    RecordInventory, ShowItem, encoded, path_of,
};
pub use layout::publication_folder;
pub use link_rule::{LinkRule, Template, TemplateError};
pub use max_delete::MaxDelete;
pub use options::{InventoryKind, Options, Retention, Spec};
pub use outcome::{Outcome, Progress};
pub use package::{Difference, Package, PackageCapacity, PackageError, PackageWriter};
pub use publication::{PublicationPlan, documents_in, plan_publication, publish};
pub use resource::Resource;
pub use restore::{FileMismatch, RestoreError, Restored, restore, restore_client};
pub use selection::{PatternError, Selection};
pub use set::{About, Members, Set};
