//! What a run did.

use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hasher};

use serde::{Deserialize, Serialize, Serializer};
use tidings_document::{Entry, Moment};

use crate::SyncError;
use crate::bytes::DigestCount;
use crate::fetch::How;
use crate::lag::{Lag, LagMeter};

/// How many failures are told one by one.
const TOLD: usize = 1_000;

/// What a run did, and what is left.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// Where the Source was found.
    pub source: String,
    /// The sets that were copied.
    pub sets: Vec<String>,
    /// How: what was read, and why so.
    pub ways: Vec<Way>,
    /// The plan of each set: the documents that were chosen, and those that were left, with their costs.
    pub plans: Vec<String>,
    /// Resources that are new in the copy.
    pub created: u64,
    /// Resources whose bytes are others now.
    pub updated: u64,
    /// Resources that were removed from the copy.
    pub deleted: u64,
    /// Resources that the Source has no more, and the copy still has, as deleting was not asked for.
    pub kept: u64,
    /// The same, as there are too many of them to be believed.
    pub held: u64,
    /// Resources that were looked at and are as they were.
    pub unchanged: u64,
    /// Resources of which only the server, or the bytes in a package, can tell whether they changed. A dry
    /// run asks for neither; a run counts them as updated or unchanged.
    pub to_compare: u64,
    /// Packages whose resources a dry run could not count, as the Source has their manifests nowhere else.
    pub uncounted_packages: u64,
    /// Resources that were passed over, as include, exclude or collection says.
    pub passed: u64,
    /// Resources that could not be had, this time or before.
    pub failed: u64,
    /// Digests that the Source gives and that cannot be checked: of an unknown algorithm, or malformed.
    pub unchecked_digests: u64,
    /// Which, and why: the first thousand.
    pub failures: Vec<Failed>,
    /// How many resources came whole, by patch, from mirrors, as mementos, out of packages.
    pub whole: u64,
    /// See [`whole`](Self::whole).
    pub patched: u64,
    /// See [`whole`](Self::whole).
    pub mirrored: u64,
    /// See [`whole`](Self::whole).
    pub mementos: u64,
    /// See [`whole`](Self::whole).
    pub unpacked: u64,
    /// Resources that were in place already, but not known to be.
    pub adopted: u64,
    /// Resources that failed since a file has their place that the copy did not write; it was left as it
    /// is.
    pub occupied: u64,
    /// Packages that were read.
    pub packages: u64,
    /// Packages that have nothing that is wanted, and were not fetched.
    pub skipped_packages: u64,
    /// Spans of time in which no document of the Source tells what changed: the copy may be wrong.
    pub gaps: Vec<SetGap>,
    /// Documents that were read.
    pub documents: u64,
    /// Requests that were made.
    pub requests: u64,
    /// Bytes that came over the network.
    pub bytes: u64,
    /// Resources in the copy now; in a dry run, those that would be in it.
    pub resources: u64,
    /// What is to be known besides.
    pub notes: Vec<String>,
    /// How long it took.
    pub seconds: f64,
    /// True if nothing was written.
    pub dry_run: bool,
    /// True if digests in base64 were told of.
    #[serde(skip)]
    pub(crate) has_base64: bool,
    /// The newest change that this run brought into the copy, and how long after it; none if it brought
    /// none, or the Source gives no times of changes.
    pub lag: Option<Lag>,
    /// The share of the resources that should be in the copy and are in step; none if not all of the
    /// Source could be looked at.
    pub accuracy: Option<f64>,
    #[serde(skip)]
    pub(crate) lag_meter: LagMeter,
    /// Hashes of the URIs of resources whose place is taken.
    #[serde(skip)]
    pub(crate) occupied_uris: HashSet<u64>,
}

/// How a run brought a set up to date, or what it did besides. Reports show it as a sentence fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// The set is as it was.
    NothingNew {
        /// The set.
        set: String,
    },
    /// Documents of the set were read.
    Documents {
        /// The set.
        set: String,
        /// Which documents, and why these.
        words: String,
    },
    /// Resources were fetched again that an audit found missing or corrupt.
    Repair {
        /// How many.
        resources: u64,
    },
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingNew { set } => write!(f, "{set}: nothing is new"),
            Self::Documents { set, words } => write!(f, "{set}: {words}"),
            Self::Repair { resources } => {
                write!(f, "{resources} that an audit found missing or corrupt")
            }
        }
    }
}

impl Serialize for Way {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A span of time in which no document tells what changed in a set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetGap {
    /// The set.
    pub set: String,
    /// The time up to which the copy has every change; none where that is not known.
    pub after: Option<String>,
    /// The time from which on changes are told again.
    pub before: Option<String>,
    /// What is known of it, as a sentence.
    pub reason: String,
}

/// A resource that could not be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// Its URI.
    pub uri: String,
    /// Why.
    pub reason: String,
    /// True if it is remembered to be tried again.
    #[serde(skip)]
    pub(crate) owed: bool,
}

impl Report {
    /// True if the copy is what the Source says, as far as this run could tell.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.failed == 0 && self.held == 0 && self.gaps.is_empty()
    }

    /// True if the copy was changed.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.created + self.updated + self.deleted > 0
    }

    /// Something that is no resource, or can be none, could not be had.
    pub(crate) fn fail(&mut self, uri: &str, reason: &str) {
        self.failed += 1;
        self.tell(uri, reason, false);
    }

    /// A resource could not be had, and is remembered to be tried again.
    pub(crate) fn owe(&mut self, uri: &str, reason: &str) {
        self.tell(uri, reason, true);
    }

    fn tell(&mut self, uri: &str, reason: &str, owed: bool) {
        self.failures.retain(|failed| failed.uri != uri);
        if self.failures.len() < TOLD {
            let (uri, reason) = (uri.to_owned(), reason.to_owned());
            self.failures.push(Failed { uri, reason, owed });
        }
    }

    /// Counts a resource whose place something has that the copy did not write, once for all sets that have
    /// the resource.
    pub(crate) fn occupy(&mut self, uri: &str, error: &SyncError) {
        let mut hasher = DefaultHasher::new();
        hasher.write(uri.as_bytes());
        let is_new = self.occupied_uris.insert(hasher.finish());
        self.occupied += u64::from(is_new && matches!(error, SyncError::Occupied { .. }));
    }

    /// A change was recorded in the copy.
    pub(crate) fn arrived(&mut self, uri: &str, changed: Option<Moment>) {
        self.lag_meter.arrived(uri, changed);
        self.lag = self.lag_meter.lag();
    }

    /// All deletes that the Source told of were carried out.
    pub(crate) fn deletes_arrived(&mut self) {
        self.lag_meter.deletes_arrived();
        self.lag = self.lag_meter.lag();
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.notes.len() < TOLD && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds the plan of a set, unless it is that of before.
    pub(crate) fn add_plan(&mut self, plan: String) {
        if !self.plans.contains(&plan) {
            self.plans.push(plan);
        }
    }

    /// A list contradicts itself about a resource.
    pub(crate) fn note_listed_twice(&mut self, uri: &str) {
        self.note(format!(
            "{uri} is listed more than once, with different digests: the copy has what its server sends"
        ));
    }

    /// Counts the digests of an entry that cannot be checked, and notes those that should be written
    /// otherwise.
    pub(crate) fn count_digests(&mut self, entry: &Entry<'_>) {
        let counted = DigestCount::of(entry);
        self.unchecked_digests += counted.unchecked;
        if counted.base64 > 0 && !std::mem::replace(&mut self.has_base64, true) {
            self.note("the Source gives digests in base64, which are read all the same; they should be in hexadecimal (RS-7-hash-base64)");
        }
    }

    pub(crate) fn came(&mut self, how: How) {
        *match how {
            How::Whole => &mut self.whole,
            How::Mirror => &mut self.mirrored,
            How::Patch => &mut self.patched,
            How::Memento => &mut self.mementos,
            How::Package => &mut self.unpacked,
        } += 1;
    }
}
