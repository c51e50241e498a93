//! What the register says of a copy. Times are milliseconds since 1970, by the clock of this machine.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::{AuditCounts, AuditReport, Report, SyncCounts};

/// What the register says of a copy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CopyReport {
    /// Its name in the register.
    pub key: String,
    /// Where it is: an absolute path without links.
    pub folder: String,
    /// What it is a copy of, without user name and password.
    pub source: String,
    /// The sets that were copied.
    pub sets: Vec<String>,
    /// How many resources were in it after the last sync that did not fail.
    pub resources: Option<u64>,
    /// When the first sync began that did not fail, as far as the register knows.
    pub since: Option<i64>,
    /// How the last sync ended. One that was killed did not.
    pub last_sync: Option<SyncRecord>,
    /// How the last audit ended.
    pub last_audit: Option<AuditRecord>,
    /// What is being done with it now. Of a sync and an audit at the same time, the sync.
    pub running: Option<Running>,
    /// True if its folder is there.
    pub is_there: bool,
}

/// How a sync ended. Numbers are those of its [`Report`]; 0 if it failed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "they are those of the report")]
pub struct SyncRecord {
    pub began: i64,
    pub ended: i64,
    pub outcome: RunOutcome,
    /// Why it failed.
    pub error: Option<String>,
    pub created: u64,
    pub updated: u64,
    pub deleted: u64,
    pub failed: u64,
    pub held: u64,
    pub kept: u64,
    pub unchanged: u64,
    pub gaps: u64,
    pub bytes: u64,
    pub seconds: f64,
}

/// How an audit ended. Numbers are those of its [`AuditReport`]; 0 if it failed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "they are those of the report")]
pub struct AuditRecord {
    pub began: i64,
    pub ended: i64,
    pub outcome: RunOutcome,
    /// Why it failed.
    pub error: Option<String>,
    /// True if every byte was read.
    pub deep: bool,
    pub resources: u64,
    pub checked: u64,
    pub differences: Differences,
    pub gaps: u64,
    pub bytes: u64,
    pub seconds: f64,
}

/// How many differences an audit found, by their [`Kind`](crate::Kind).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "they are those of the report")]
pub struct Differences {
    pub missing: u64,
    pub changed: u64,
    pub extra: u64,
    pub corrupt: u64,
    pub stray: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunOutcome {
    /// All is well.
    Well,
    /// It was done, and something could not be had, was held back, or differs.
    Differs,
    /// It could not be done.
    #[default]
    Failed,
}

/// A run that is at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// What kind of run it is.
    pub what: Work,
    /// What it is doing, in words; empty where it has not told yet.
    pub doing: String,
    /// How many resources are done.
    pub done: u64,
    /// Of how many, as far as that is known.
    pub total: u64,
    /// How many bytes came over the network.
    pub bytes: u64,
    /// When it began.
    pub began: i64,
    /// When it told that.
    pub at: i64,
}

/// A kind of run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// The copy is made, brought up to date or repaired.
    Sync,
    /// The copy is compared with its Source.
    Audit,
}

impl RunOutcome {
    /// Its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Well => "well",
            Self::Differs => "differs",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Well, Self::Differs, Self::Failed].into_iter().find(|one| one.name() == name)
    }
}

impl Work {
    /// Its name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Audit => "audit",
        }
    }
}

impl SyncRecord {
    /// Its counts, which have words.
    #[must_use]
    pub fn counts(&self) -> SyncCounts {
        SyncCounts {
            created: self.created,
            updated: self.updated,
            deleted: self.deleted,
            kept: self.kept,
            held: self.held,
            unchanged: self.unchanged,
            failed: self.failed,
            gaps: self.gaps,
            failures: Vec::new(),
        }
    }

    pub(super) fn of(report: &Report) -> Self {
        Self {
            outcome: if report.is_well() { RunOutcome::Well } else { RunOutcome::Differs },
            created: report.created,
            updated: report.updated,
            deleted: report.deleted,
            failed: report.failed,
            held: report.held,
            kept: report.kept,
            unchanged: report.unchanged,
            gaps: report.gaps.len() as u64,
            bytes: report.bytes,
            seconds: report.seconds,
            ..Self::default()
        }
    }
}

impl AuditRecord {
    /// Its counts, which have words.
    #[must_use]
    pub fn counts(&self) -> AuditCounts {
        let Differences { missing, changed, extra, corrupt, stray } = self.differences;
        AuditCounts {
            deep: self.deep,
            sample: None,
            checked: self.checked,
            missing,
            changed,
            extra,
            corrupt,
            stray,
            gaps: self.gaps,
            differences: Vec::new(),
        }
    }

    pub(super) fn of(report: &AuditReport) -> Self {
        Self {
            outcome: if report.in_sync { RunOutcome::Well } else { RunOutcome::Differs },
            resources: report.resources,
            checked: report.checked,
            differences: Differences {
                missing: report.missing,
                changed: report.changed,
                extra: report.extra,
                corrupt: report.corrupt,
                stray: report.stray,
            },
            gaps: report.gaps.len() as u64,
            bytes: report.bytes,
            seconds: report.seconds,
            ..Self::default()
        }
    }
}

/// What there is to say of a copy, from what its runs have kept; none if they have kept nothing.
pub(super) fn of(key: &str, sync: Option<Record>, audit: Option<Record>) -> Option<CopyReport> {
    let audit = audit.unwrap_or_default();
    let first = sync.unwrap_or_else(|| audit.clone());
    if first.folder.is_empty() {
        return None;
    }
    Some(CopyReport {
        key: key.to_owned(),
        is_there: Path::new(&first.folder).is_dir(),
        folder: first.folder,
        source: first.source,
        sets: if first.sets.is_empty() { audit.sets } else { first.sets },
        resources: first.resources,
        since: first.since,
        last_sync: first.last_sync,
        last_audit: audit.last_audit,
        running: first.running.or(audit.running),
    })
}
