//! Why nothing is published.

use std::io;
use std::path::PathBuf;

use tidings_base::SpillError;
use tidings_bytes::ByteStoreError;

/// What keeps a publication from being made. The last one stays as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The base is not an absolute URI of http or https.
    #[error(
        "{base:?} cannot be the base of a Source: give an absolute URL, like https://example.com/"
    )]
    Base {
        /// What was given.
        base: String,
    },
    /// The last publication is of another base.
    #[error("the publication in {path} is of {published}, not of {base}; publish with that base")]
    OtherBase {
        /// The document that says so.
        path: PathBuf,
        /// The base that it was published under.
        published: String,
        /// The base that was given now.
        base: String,
    },
    /// The last publication cannot be read.
    #[error("the last publication is damaged: {path}: {reason}")]
    Previous {
        /// The document.
        path: PathBuf,
        /// What is wrong with it, with the line.
        reason: String,
    },
    /// There is nothing any more where there was something before: more likely a build that failed than
    /// the end of a site.
    #[error(
        "there is nothing to publish, but before there was something (resources: {published}): in {place}; restore what is missing, or allow everything to be deleted"
    )]
    Emptied {
        /// How many there were.
        published: u64,
        /// Where they should be.
        place: String,
    },
    /// So much is gone that the inventory is more likely incomplete: Destinations would delete their
    /// copies.
    #[error(
        "{deleted} of {published} published resources are gone, more than the limit ({limit}): in {place}; restore what is missing, or allow more deletions"
    )]
    MassDeletion {
        /// How many are gone.
        deleted: u64,
        /// How many there were.
        published: u64,
        /// How many may go at once.
        limit: crate::MaxDelete,
        /// Where they should be.
        place: String,
    },
    /// Nothing belongs to a set.
    #[error(
        "nothing of what is there is in a set (files: {files}); a set without a prefix and globs takes what no other has"
    )]
    NoneInSets {
        /// How much there is.
        files: u64,
    },
    /// A set cannot have that name.
    #[error(
        "{name:?} cannot be the name of a set: each needs one of its own, of letters, digits, - and _"
    )]
    SetName {
        /// The name.
        name: String,
    },
    /// There is no set of that name.
    #[error("there is no set {name:?}; there are: {}", if names.is_empty() { "none".to_owned() } else { names.join(", ") })]
    NoSuchSet {
        /// The name that was given.
        name: String,
        /// The names that there are.
        names: Vec<String>,
    },
    /// What is remembered of the last publication cannot be read. It is not needed.
    #[error("{path} is damaged; delete it, and run again")]
    Cache {
        /// The file.
        path: PathBuf,
    },
    /// Another run is at work in the same folder.
    #[error("another publication is under way, which holds {path}; try again when it is done")]
    Busy {
        /// The lock.
        path: PathBuf,
    },
    /// An inventory shows a resource twice, or not in the order of the URIs.
    #[error(
        "{uri} is out of order: in {place}; list each resource once, in the order of their URIs"
    )]
    InventoryOrder {
        /// The resource that comes too late.
        uri: String,
        /// Where the inventory is.
        place: String,
    },
    /// An inventory cannot be read to its end.
    #[error("could not list {place}")]
    Inventory {
        /// Where it is.
        place: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The process, or the system, has no more room for open files: nothing can be said of the rest.
    #[error("could not open {path}; raise the number of files that may be open (ulimit -n)")]
    TooManyOpenFiles {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something could not be read or written.
    #[error("{action} {path}")]
    Io {
        /// What was tried: "could not read".
        action: &'static str,
        /// With what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The store refused.
    #[error(transparent)]
    Store(ByteStoreError),
    /// The packages of a dump could not be made. The lists are published; the last dump stays.
    #[error("could not make the packages of {path}; if a file changed meanwhile, run it again")]
    Package {
        /// The document that would point to them.
        path: PathBuf,
        /// Why.
        source: crate::PackageError,
    },
    /// A document could not be written as the rules want it: a fault of this program.
    #[error("could not write {path}")]
    Document {
        /// The document.
        path: PathBuf,
        /// Why.
        source: tidings_document::WriteError,
    },
}

impl PublishError {
    /// Wraps an I/O error with what was tried.
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

impl From<SpillError> for PublishError {
    fn from(SpillError { action, folder, source }: SpillError) -> Self {
        Self::Io { action, path: folder, source }
    }
}

impl From<ByteStoreError> for PublishError {
    fn from(error: ByteStoreError) -> Self {
        match error {
            ByteStoreError::Locked { path } => Self::Busy { path },
            ByteStoreError::Io { what, path, source } => Self::Io { action: what, path, source },
            error => Self::Store(error),
        }
    }
}
