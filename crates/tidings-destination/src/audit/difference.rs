//! What an audit found.

use serde::Serialize;

/// How many differences are told one by one.
const TOLD: usize = 10_000;

/// What an audit found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct AuditReport {
    /// Where the Source is.
    pub source: String,
    /// The sets that were looked at.
    pub sets: Vec<String>,
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
    /// Digests that the Source gives and that cannot be checked: of an unknown algorithm, or malformed.
    pub unchecked_digests: u64,
    /// Which they are: the first 10,000.
    pub differences: Vec<Difference>,
    /// Requests that were made.
    pub requests: u64,
    /// How long it took.
    pub seconds: f64,
}

/// One difference.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    /// The resource.
    pub uri: String,
    /// What is wrong with it.
    pub kind: Kind,
    /// More of that.
    pub reason: String,
}

/// What is wrong with a resource of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
        }
    }
}

impl AuditReport {
    pub(super) fn add(&mut self, kind: Kind, uri: &str, reason: &str) {
        *match kind {
            Kind::Missing => &mut self.missing,
            Kind::Changed => &mut self.changed,
            Kind::Extra => &mut self.extra,
            Kind::Corrupt => &mut self.corrupt,
        } += 1;
        if self.differences.len() < TOLD {
            let (uri, reason) = (uri.to_owned(), reason.to_owned());
            self.differences.push(Difference { uri, kind, reason });
        }
    }
}
