//! What an audit found.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tidings_document::Entry;

use super::AuditOptions;
use super::spill::Spill;
use crate::SetGap;
use crate::lag::Lag;

/// How many differences are told one by one.
const TOLD: usize = 10_000;

/// What an audit found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AuditReport {
    /// When it began, by the clock of this machine.
    pub time: String,
    /// The version of the program.
    pub version: &'static str,
    /// Where the Source is.
    pub source: String,
    /// The sets that were looked at.
    pub sets: Vec<String>,
    /// What was looked at.
    pub depth: Depth,
    /// Every how many-th resource was looked at: 1 for all of them.
    pub step: u64,
    /// True if the Source was not asked: the files were held against what was recorded.
    pub offline: bool,
    /// The algorithms of the digests that the Source gives, and with which it was compared.
    pub source_digests: BTreeSet<String>,
    /// The algorithm by which files that were read were compared.
    pub file_digest: &'static str,
    /// True if there is no difference.
    pub in_sync: bool,
    /// How many resources the Source has.
    pub resources: u64,
    /// How many of these were looked at.
    pub checked: u64,
    /// How many bytes of the copy were read.
    pub bytes: u64,
    /// What the Source has and the copy has not.
    pub missing: u64,
    /// What the copy has in another version than the Source.
    pub changed: u64,
    /// What the copy has and the Source has not.
    pub extra: u64,
    /// Files that are not what was put there.
    pub corrupt: u64,
    /// Spans of time in which no document of the Source tells what changed.
    pub gaps: Vec<SetGap>,
    /// Files in the folders of the copy that are no resources of it.
    pub stray: u64,
    /// Files beside the folders of the copy, which are no differences.
    pub foreign: u64,
    /// How many of the missing and corrupt files are remembered, to be fetched again by the next run.
    pub damaged: u64,
    /// Digests that the Source gives and that cannot be checked: of an unknown algorithm, or malformed.
    pub unchecked_digests: u64,
    /// Which the differences are: the first 10,000.
    pub differences: Vec<Difference>,
    /// What is to be known besides.
    pub notes: Vec<String>,
    /// Requests that were made.
    pub requests: u64,
    /// How long it took.
    pub seconds: f64,
    /// The newest change that a sync brought into the copy, and how long after it; none if no sync that
    /// is remembered brought one.
    pub lag: Option<Lag>,
    /// The share of the resources that are in step; of a sample, an estimate. None if nothing was looked
    /// at.
    pub accuracy: Option<f64>,
    /// The differences beyond the first.
    #[serde(skip)]
    pub(crate) more: Spill,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The resource; empty for a file that is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub uri: String,
    /// The path in the copy of a file that is no resource.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What is wrong with it.
    pub kind: Kind,
    /// More of that.
    pub reason: String,
}

/// What is wrong with a resource of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The copy does not have it.
    Missing,
    /// The Source has another version.
    Changed,
    /// The Source does not have it.
    Extra,
    /// The file is not what was put there.
    Corrupt,
    /// The file is in a folder of the copy, and no resource of it.
    Stray,
}

/// What of the files was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Depth {
    /// Their lengths and times; bytes where a time is another.
    #[default]
    Stat,
    /// Every byte.
    Deep,
}

impl Kind {
    /// Its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::Extra => "extra",
            Self::Corrupt => "corrupt",
            Self::Stray => "stray",
        }
    }
}

impl AuditReport {
    /// The report of an audit that begins now.
    pub(super) fn begin(options: &AuditOptions) -> Self {
        Self {
            time: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            version: env!("CARGO_PKG_VERSION"),
            source: options.source.to_string(),
            depth: if options.deep { Depth::Deep } else { Depth::Stat },
            step: 1,
            offline: options.offline,
            file_digest: "sha-256",
            ..Self::default()
        }
    }

    /// How many differences there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.missing + self.changed + self.extra + self.corrupt + self.stray
    }

    pub(super) fn add(&mut self, kind: Kind, uri: &str, reason: &str) {
        let (uri, reason) = (uri.to_owned(), reason.to_owned());
        self.push(Difference { uri, path: None, kind, reason });
    }

    /// A file that is no resource.
    pub(super) fn add_stray(&mut self, path: &str, reason: &str) {
        let (path, reason) = (Some(path.to_owned()), reason.to_owned());
        self.push(Difference { uri: String::new(), path, kind: Kind::Stray, reason });
    }

    fn push(&mut self, difference: Difference) {
        *match difference.kind {
            Kind::Missing => &mut self.missing,
            Kind::Changed => &mut self.changed,
            Kind::Extra => &mut self.extra,
            Kind::Corrupt => &mut self.corrupt,
            Kind::Stray => &mut self.stray,
        } += 1;
        if self.differences.len() < TOLD {
            self.differences.push(difference);
        } else if let Err(error) = self.more.push(&difference)
            && self.notes.len() < TOLD
        {
            let note = format!("a difference beyond the first {TOLD} could not be kept: {error}");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Notes by which algorithms the Source tells its resources apart.
    pub(super) fn note_digests(&mut self, entry: &Entry<'_>) {
        for token in entry.metadata.hash.iter().flat_map(|hash| hash.tokens()) {
            let name = token.split(':').next().unwrap_or_default();
            // However many an entry makes up, they are few that are known.
            if self.source_digests.len() < 16 && !self.source_digests.contains(name) {
                self.source_digests.insert(name.to_owned());
            }
        }
    }
}
