//! What a run did.

use serde::Serialize;

use tidings_document::Entry;

use crate::bytes::DigestCount;
use crate::fetch::How;

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
    pub ways: Vec<String>,
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
    /// Packages that were read.
    pub packages: u64,
    /// Documents that were read.
    pub documents: u64,
    /// Requests that were made.
    pub requests: u64,
    /// Bytes that came over the network.
    pub bytes: u64,
    /// Resources in the copy now.
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
}

/// A resource that could not be had.
#[derive(Debug, Clone, Serialize)]
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
        self.failed == 0 && self.held == 0
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

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.notes.len() < TOLD && !self.notes.contains(&note) {
            self.notes.push(note);
        }
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
