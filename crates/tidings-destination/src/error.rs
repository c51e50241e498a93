//! Why a copy could not be made, or not be looked at.

use std::io;
use std::path::{Path, PathBuf};

use tidings_bytes::ByteStoreError;
use tidings_web::{DiscoveryError, FetchError};

/// What stops a run. What could not be had of single resources does not: it is in the
/// [`Report`](crate::Report).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// No Source was found.
    #[error(transparent)]
    Discovery(Box<DiscoveryError>),
    /// A document without which nothing can be done could not be had.
    #[error(transparent)]
    Fetch(Box<FetchError>),
    /// A document cannot be relied on.
    #[error("{url} cannot be used: {reason}")]
    Document {
        /// Its URL.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A document was read, and some of its entries name nothing.
    #[error(
        "{url} cannot be relied on: {entries} of its entries cannot be used, as they have no loc, or one that is too long; only the Source can repair that"
    )]
    LostEntries {
        /// Its URL.
        url: String,
        /// How many.
        entries: u64,
    },
    /// A document without which nothing could be done could not be read.
    #[error("{reason}")]
    Unreadable {
        /// Its URL.
        url: String,
        /// What is wrong with it: a sentence that names it.
        reason: String,
    },
    /// The Source has several sets, and none was chosen.
    #[error("the Source has {} sets: {}", sets.len(), sets.join(", "))]
    SeveralSets {
        /// Their names.
        sets: Vec<String>,
    },
    /// The Source has no set of that name.
    #[error("the Source has no set {name:?}; it has {}", sets.join(", "))]
    NoSuchSet {
        /// What was asked for.
        name: String,
        /// Their names.
        sets: Vec<String>,
    },
    /// The Source offers nothing that could be copied that way.
    #[error("the set {set} has no {what}; it has {}", has.join(", "))]
    NotOffered {
        /// The set.
        set: String,
        /// What was asked for.
        what: &'static str,
        /// What there is.
        has: Vec<String>,
    },
    /// The copy is of another Source.
    #[error("{} is a copy of {of}, not of {url}; take another folder", path.display())]
    OtherSource {
        /// The folder.
        path: PathBuf,
        /// What it is a copy of.
        of: String,
        /// What was asked for.
        url: String,
    },
    /// The new place of a Source that moved was given in another form than the old one.
    #[error(
        "{url} is no other place of {of}, the Source of the copy: their paths end in different names; give the URL at which {of} is now"
    )]
    OtherDocument {
        /// The Source of the copy.
        of: String,
        /// What was given.
        url: String,
    },
    /// The copy does not know its Source: no run has brought all of it yet.
    #[error("{} does not say which Source it is a copy of, as no run has finished; give the URL of the Source", path.display())]
    UnknownSource {
        /// The folder.
        path: PathBuf,
    },
    /// A URL was given where the folder of a copy should be.
    #[error("{} is a URL, and copies are kept in folders only; give the path of a folder", path.display())]
    FolderIsUrl {
        /// What was given.
        path: PathBuf,
    },
    /// The folder is that of a publication, or lies in one.
    #[error("{} is published by ResourceSync itself: it has {document}; take another folder for the copy", path.display())]
    IsPublication {
        /// The folder of the publication.
        path: PathBuf,
        /// The document that says so.
        document: String,
    },
    /// The copy was made through ResourceSync, and there is only a Sitemap now.
    #[error("{url} has only a Sitemap now, and the copy in {} was made through ResourceSync, which says more than a Sitemap; retry later, or copy its Sitemap instead", path.display())]
    OnlySitemap {
        /// The folder.
        path: PathBuf,
        /// What was asked for.
        url: String,
    },
    /// The copy was made with other rules of where files go.
    #[error("the copy in {} was made with {}", path.display(), rules_text(of))]
    OtherMapping {
        /// The folder.
        path: PathBuf,
        /// Its rules.
        of: Vec<String>,
    },
    /// What is to be copied is not a glob.
    #[error(transparent)]
    Pattern(#[from] tidings_source::PatternError),
    /// The disk is full, or cannot be written. What is recorded is right; the next run goes on.
    #[error("{reason}; when there is room again, the next run goes on where this one stopped")]
    Disk {
        /// What could not be written, and why.
        reason: String,
    },
    /// There is no copy.
    #[error("{} is no copy: it has no .tidings/state.sqlite; `tidings sync URL {}` makes one", path.display(), path.display())]
    NoCopy {
        /// The folder.
        path: PathBuf,
    },
    /// Another run is at work on the copy.
    #[error("another run is at work on {}; wait for it to end", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A link lies where a folder or file of the copy should be. It is never followed.
    #[error("{} is a link, or leads through one, and is not followed; remove it", path.display())]
    LinkInTheWay {
        /// Where.
        path: PathBuf,
    },
    /// A file lies where one of the copy should be, and the copy did not write it.
    #[error("a file with other bytes is there that the copy did not write: {}; move it away, or have it overwritten", path.display())]
    Occupied {
        /// Where.
        path: PathBuf,
    },
    /// The state was written by a later version.
    #[error("{} was written by a later version of Tidings (format {version})", path.display())]
    NewerState {
        /// The file.
        path: PathBuf,
        /// Its format.
        version: i64,
    },
    /// The state could not be opened.
    #[error("{} cannot be used; if it is damaged, remove it: the next run finds out what is there", path.display())]
    State {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The state could not be read or written.
    #[error("the state of the copy could not be read or written: {0}")]
    Sql(#[from] rusqlite::Error),
    /// Something on this machine.
    #[error("{what} {}", path.display())]
    Io {
        /// What could not be done.
        what: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file of the copy could not be read or written.
    #[error(transparent)]
    Files(ByteStoreError),
    /// The copy could not be published.
    #[error(transparent)]
    Publish(#[from] tidings_source::PublishError),
}

fn rules_text(rules: &[String]) -> String {
    match rules {
        [] => "no mapping rules".to_owned(),
        rules => format!("other mapping rules: {}", rules.join(", ")),
    }
}

impl From<ByteStoreError> for SyncError {
    fn from(error: ByteStoreError) -> Self {
        match error {
            ByteStoreError::Locked { path } => Self::Locked { path },
            ByteStoreError::LinkInTheWay { path } => Self::LinkInTheWay { path },
            ByteStoreError::Io { what, path, source } => Self::Io { what, path, source },
            other => Self::Files(other),
        }
    }
}

impl From<FetchError> for SyncError {
    fn from(error: FetchError) -> Self {
        Self::Fetch(Box::new(error))
    }
}

impl From<DiscoveryError> for SyncError {
    fn from(error: DiscoveryError) -> Self {
        Self::Discovery(Box::new(error))
    }
}

impl SyncError {
    /// The error and what it comes from, as one sentence.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            text = format!("{text}: {cause}");
            source = cause.source();
        }
        text
    }

    /// True if it is not known whether there is a ResourceSync Source, and the pages of a Sitemap may be
    /// copied instead ([`Via::Sitemap`](crate::Via::Sitemap)), if a person decides so.
    #[must_use]
    pub fn suggests_sitemap(&self) -> bool {
        match self {
            Self::OnlySitemap { .. } => true,
            Self::Discovery(error) => error.obstacle.is_some() && !error.gone,
            _ => false,
        }
    }

    /// True if entries of a document name nothing.
    pub(crate) fn is_of_lost_entries(&self) -> bool {
        matches!(self, Self::LostEntries { .. })
    }

    pub(crate) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { what, path, source }
    }

    pub(crate) fn state(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::State { path, source }
    }
}
