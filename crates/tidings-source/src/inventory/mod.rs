//! What is there now.
//!
//! [`Inventory`] is what anybody can implement. A folder is none: it is walked beside what the cache has of
//! it, and only files that changed are read.

mod bucket;
mod folder;
mod name;
mod records;

use std::cell::RefCell;
use std::fmt;
use std::path::PathBuf;

use crate::cache::{CachedFile, Stamp};
use crate::previous::PublishedResource;
use crate::{PublishError, Resource};
pub use bucket::{BucketInventory, Digests};
pub(crate) use folder::Folder;
pub use name::encoded;
pub use name::path_of;
pub(crate) use name::{file_of, glob_path};
pub use records::{Format, LinkFields, RecordError, RecordInventory};

/// How many bytes of records are sorted in memory before they go to a file.
const SORTED_IN_MEMORY: usize = 32 << 20;

/// A file or record that is not published, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The file, or the line of the record.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// What there is now, resource by resource.
///
/// ```
/// use tidings_source::{
///     Inventory, InventoryItem, InventoryKind, Options, PublishError, Resource, ShowItem,
/// };
/// # use tidings_source::{Progress, publication_folder, publish};
///
/// /// Resources in the order of their URIs.
/// #[derive(Debug)]
/// struct Table(Vec<Resource>);
///
/// impl Inventory for Table {
///     fn place(&self) -> String {
///         "the table of pictures".into()
///     }
///
///     fn visit(&self, _base: &str, show: &mut ShowItem<'_>) -> Result<(), PublishError> {
///         self.0.iter().try_for_each(|row| show(InventoryItem::Resource(row.clone())))
///     }
/// }
///
/// let picture = |name: &str, length| Resource {
///     uri: format!("https://example.org/{name}"),
///     length: Some(length),
///     ..Resource::default()
/// };
/// let table = Table(vec![picture("moon.png", 2_048), picture("sun.png", 4_096)]);
/// let out = tempfile::tempdir()?;
/// let mut options = Options::folder(out.path(), "https://example.org/");
/// options.inventory = InventoryKind::listed(table);
/// # struct Silent;
/// # impl Progress for Silent {
/// #     fn expected(&mut self, _: u64, _: u64) {}
/// #     fn looked_at(&mut self, _: u64, _: u64) {}
/// #     fn changed(&mut self, _: tidings_document::Change, _: &str) {}
/// #     fn writing(&mut self, _: &str) {}
/// # }
/// # let mut progress = Silent;
/// let outcome = publish(&options, &mut publication_folder(out.path()), &mut progress)?;
/// assert_eq!((outcome.resources, outcome.first), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Inventory: fmt::Debug + Send + Sync {
    /// Where it is, for messages: a path, a URL, or a few words.
    fn place(&self) -> String;

    /// Shows each resource once, in the byte order of the URIs, and what cannot be published in any place.
    /// `base` is the URL under which the Source is served, with a slash at its end.
    ///
    /// # Errors
    /// If not all of it can be shown: what is not shown is published as deleted. An error of `show` is to
    /// be passed on.
    fn visit(&self, base: &str, show: &mut ShowItem<'_>) -> Result<(), PublishError>;
}

/// Takes what an inventory shows.
pub type ShowItem<'s> = dyn FnMut(InventoryItem) -> Result<(), PublishError> + 's;

/// What an inventory says of one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InventoryItem {
    /// It is there.
    Resource(Resource),
    /// Nothing can be said now of the resource with that URI: what was published of it stays.
    Unknown(String),
    /// It is not published.
    Passed(Passed),
}

/// Takes items from several closures at once. Some of them cannot return an error: the next one does.
pub(crate) struct SharedShow<'s, 'i> {
    show: RefCell<&'s mut ShowItem<'i>>,
    failure: RefCell<Option<PublishError>>,
}

impl<'s, 'i> SharedShow<'s, 'i> {
    pub(crate) fn new(show: &'s mut ShowItem<'i>) -> Self {
        Self { show: RefCell::new(show), failure: RefCell::default() }
    }

    pub(crate) fn show(&self, item: InventoryItem) -> Result<(), PublishError> {
        self.check()?;
        (self.show.borrow_mut())(item)
    }

    pub(crate) fn pass(&self, passed: Passed) {
        if let Err(error) = self.show(InventoryItem::Passed(passed)) {
            self.failure.replace(Some(error));
        }
    }

    /// The error that could not be returned.
    pub(crate) fn check(&self) -> Result<(), PublishError> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

/// What the inventory says, held against what was known before: everything comes in the order of the URIs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScanEvent<'b> {
    /// A file that is as the cache has it, and the cache is what was published.
    Unchanged(CachedFile<'b>),
    /// A resource that is there, and what was published of it.
    Present { resource: ScannedResource, published: Vec<PublishedResource> },
    /// It was published, and nothing can be said of it now: not to be readable for a while is not to
    /// be gone.
    Kept(PublishedResource),
    /// It was published, and is no longer there.
    Gone(PublishedResource),
    /// Something that is not published.
    Passed(Passed),
}

/// A resource that is there, and if it is a file, by what that is known to be the same next time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScannedResource {
    pub(crate) resource: Resource,
    pub(crate) stamp: Option<Stamp>,
}
