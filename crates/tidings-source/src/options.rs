//! How to publish.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tidings_document::Algorithm;

use crate::{About, Inventory, LinkRule, MaxDelete, Selection, Set};

/// Where it is said what is there.
#[derive(Debug, Clone)]
pub enum InventoryKind {
    /// The files of a folder, of which only those are read that changed.
    Folder(PathBuf),
    /// Resources that somebody lists, such as [`RecordInventory`](crate::RecordInventory) and
    /// [`BucketInventory`](crate::BucketInventory).
    Listed(Arc<dyn Inventory>),
}

impl InventoryKind {
    /// The resources of an inventory.
    pub fn listed(inventory: impl Inventory + 'static) -> Self {
        Self::Listed(Arc::new(inventory))
    }

    /// The folder whose files are published.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Folder(root) => Some(root),
            Self::Listed(_) => None,
        }
    }
}

impl fmt::Display for InventoryKind {
    /// Where it is.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => path.display().fmt(formatter),
            Self::Listed(inventory) => formatter.write_str(&inventory.place()),
        }
    }
}

/// The version of ResourceSync that Change Lists are written for. They differ in where the time of a
/// change stands.
///
/// In all of them a resource has the same `lastmod` in the Resource List, the Change List and the
/// manifests. Where version 1.0 wants the time of the change there, all of them tell that, from the
/// first change on; only of a resource without a digest the Resource List keeps the time that the
/// inventory has, since that is all by which a change of it can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spec {
    /// Both at once.
    #[default]
    Both,
    /// ANSI/NISO Z39.99-2014: in `lastmod`.
    V1_0,
    /// ANSI/NISO Z39.99-2017: in `datetime`; `lastmod` is that of the resource.
    V1_1,
}

/// How long things stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Documents and packages that nothing points to any more: somebody may be reading them.
    pub superseded: Duration,
    /// A Change List that is older is closed at the next change, and another begun.
    pub open: Option<Duration>,
    /// Closed Change Lists that are older are forgotten, and so are the packages of these changes.
    pub changes: Option<Duration>,
}

const DAY: Duration = Duration::from_secs(86_400);

impl Default for Retention {
    /// What is superseded stays a week, a Change List is open for a month, and changes are told for
    /// ever.
    fn default() -> Self {
        Self { superseded: 7 * DAY, open: Some(30 * DAY), changes: None }
    }
}

/// How to publish.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is there.
    pub inventory: InventoryKind,
    /// The folder in which records have their files, each at the path that its URI has below the base:
    /// dumps are made of them.
    pub files: Option<PathBuf>,
    /// The URL under which the store of the documents is served.
    pub base: String,
    /// The digests of each file.
    pub algorithms: Vec<Algorithm>,
    /// How many entries one document may hold, 50,000 at the most.
    pub max_entries: u64,
    /// What of it is published.
    pub selection: Selection,
    /// The sets: each resource belongs to the first that has it, and to those that are shared, and is
    /// not published if none has it. At least one; only a single one may be without a name.
    pub sets: Vec<Set>,
    /// What a reader should know about all of it, if it has several sets.
    pub about: About,
    /// Publish only the set of that name, and leave the others as they are.
    pub only: Option<String>,
    /// Links that the resources get.
    pub links: Vec<LinkRule>,
    /// The version of ResourceSync.
    pub spec: Spec,
    /// Forget the last publication, and start the history anew.
    pub full: bool,
    /// How many deletions may be announced. If nothing is left at all, only [`MaxDelete::Any`] lets it
    /// pass.
    pub max_delete: MaxDelete,
    /// Put all resources into packages, too: a Resource Dump. Only where the files are known.
    pub dump: bool,
    /// Put the changes into packages, too: a Change Dump. Only where the files are known.
    pub change_dump: bool,
    /// Say how texts changed, where that is shorter than to send them again: section 14.4. Only for
    /// folders, and only with a cache to remember what they were.
    pub patches: bool,
    /// How long things stay.
    pub retention: Retention,
    /// The folder where digests are kept from one run to the next, so that files that did not change
    /// need not be read again. It may be deleted at any time.
    pub cache: Option<PathBuf>,
}

impl Options {
    /// True if a resource may be in several sets.
    pub(crate) fn shares(&self) -> bool {
        self.sets.iter().any(|set| set.shared)
    }

    /// The usual way to publish a folder under a base.
    pub fn folder(folder: impl Into<PathBuf>, base: impl Into<String>) -> Self {
        Self {
            inventory: InventoryKind::Folder(folder.into()),
            files: None,
            base: base.into(),
            algorithms: vec![Algorithm::Sha256],
            max_entries: 50_000,
            selection: Selection::default(),
            sets: vec![Set::default()],
            about: About::default(),
            only: None,
            links: Vec::new(),
            spec: Spec::default(),
            full: false,
            max_delete: MaxDelete::default(),
            dump: false,
            change_dump: false,
            patches: false,
            retention: Retention::default(),
            cache: None,
        }
    }
}
