//! What is there now.

mod bucket;
mod folder;
mod name;
mod records;

use std::path::PathBuf;

use crate::Resource;
use crate::cache::Stamp;
pub use bucket::{Bucket, Digests};
pub(crate) use folder::Folder;
pub(crate) use name::encoded;
pub use name::path_of;
pub use records::{Format, Records};

/// A file or record that is not published, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The file, or the line of the record.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// A resource that is there, and if it is a file, by what that is known to be the same next time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) resource: Resource,
    pub(crate) stamp: Option<Stamp>,
}
