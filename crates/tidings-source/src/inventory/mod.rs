//! What is there now.

mod bucket;
mod folder;
mod name;
mod records;

use std::path::PathBuf;

use crate::Resource;
use crate::cache::{Remembered, Same, Stamp};
pub use bucket::{Bucket, Digests};
pub(crate) use folder::Folder;
pub use name::encoded;
pub(crate) use name::file_of;
pub use name::path_of;
pub use records::{Format, LinkFields, Records};

/// A file or record that is not published, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The file, or the line of the record.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// What was seen of a file, or of what is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sight<'b> {
    /// A file that is as it is remembered.
    Same(Same<'b>),
    /// A file that was read, and what is remembered of it.
    Read(Found, Option<Remembered>),
    /// Something with that URI of which nothing can be said now, and what is remembered of it. With a
    /// slash at its end it is a folder, of all that is below it.
    Unknown(String, Option<Remembered>),
    /// Remembered, but there is no such file.
    Gone(Remembered),
    /// What is remembered cannot be read any further.
    Damaged,
    /// A file or folder could not be opened because too many are open: nothing can be said of the rest.
    Exhausted(PathBuf, String),
}

/// A resource that is there, and if it is a file, by what that is known to be the same next time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) resource: Resource,
    pub(crate) stamp: Option<Stamp>,
}
