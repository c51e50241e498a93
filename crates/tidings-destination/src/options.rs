//! What a caller may set.

use std::path::PathBuf;

use tidings_web::{ClientOptions, Url};

use crate::mapping::Mapping;

/// How a copy is made, and kept in step.
#[derive(Debug, Clone)]
pub struct SyncOptions {
    /// Where the Source is: its site, or any of its documents.
    pub source: Url,
    /// Where the copy is.
    pub folder: PathBuf,
    /// Which sets: by name, or all.
    pub sets: Sets,
    /// How the first copy comes.
    pub via: Via,
    /// Which path each URI has. A copy remembers its rules; none means those.
    pub mapping: Mapping,
    /// Only resources whose URIs have paths that one of these globs matches, if there are any.
    pub include: Vec<String>,
    /// No resources whose URIs have paths that one of these matches.
    pub exclude: Vec<String>,
    /// Only resources that say that they belong to this collection (section 14.7).
    pub collection: Option<String>,
    /// The media type of the representation that is wanted, where there are several.
    pub prefer: Option<String>,
    /// Fetch what describes a resource (`describedby`), too.
    pub descriptions: bool,
    /// Remove what the Source has no more.
    pub delete: bool,
    /// How many may be removed at once.
    pub max_delete: MaxDelete,
    /// Move what is removed to `.tidings/trash` and a folder of the run.
    pub trash: bool,
    /// The copy is of a Source that was elsewhere, and has moved to `source`.
    pub moved: bool,
    /// Replace files that lie where those of the copy should be, and that the copy did not write.
    pub overwrite: bool,
    /// Compare with everything that the Source has, whatever was read before.
    pub baseline: bool,
    /// How many requests there may be at once.
    pub jobs: usize,
    /// How requests are made. The pace is set from `jobs` if it is not set here.
    pub client: ClientOptions,
    /// Keep to robots.txt.
    pub robots: bool,
    /// Find out what would be done, and do nothing.
    pub dry_run: bool,
}

impl SyncOptions {
    /// A copy of all that is safe to take, from that Source into that folder.
    pub fn new(source: Url, folder: impl Into<PathBuf>) -> Self {
        Self {
            source,
            folder: folder.into(),
            sets: Sets::Only,
            via: Via::Auto,
            mapping: Mapping::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            collection: None,
            prefer: None,
            descriptions: false,
            delete: false,
            max_delete: MaxDelete::default(),
            trash: false,
            moved: false,
            overwrite: false,
            baseline: false,
            jobs: 16,
            client: ClientOptions::default(),
            robots: true,
            dry_run: false,
        }
    }
}

/// Which sets of the Source are copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sets {
    /// The only one there is.
    Only,
    /// All.
    All,
    /// Those of these names.
    Named(Vec<String>),
}

/// How the first copy comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// By what is cheaper.
    Auto,
    /// Resource by resource.
    List,
    /// In packages.
    Dump,
    /// By its Sitemap, page by page, whatever else the site offers.
    Sitemap,
}

/// How many resources a run may remove: past that, the Source is more likely broken than empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaxDelete {
    /// So many.
    Number(u64),
    /// So much of the copy, but always 20, and never all of it.
    Percent(f64),
    /// Any number.
    Any,
}

impl Default for MaxDelete {
    fn default() -> Self {
        Self::Percent(10.0)
    }
}

impl MaxDelete {
    /// True if so many of so many may be removed.
    #[must_use]
    pub fn allows(self, deletes: u64, of: u64) -> bool {
        match self {
            Self::Any => true,
            Self::Number(most) => deletes <= most,
            // However few they are: all of them is what a Source says that is broken.
            Self::Percent(percent) if percent < 100.0 => {
                deletes < of && (deletes <= 20 || deletes as f64 <= of as f64 * percent / 100.0)
            }
            Self::Percent(_) => true,
        }
    }
}
