//! What a run keeps: one small file.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{AuditRecord, Running, SyncRecord, Work};

/// What the runs of one kind keep of a copy. What a later version adds is passed over.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Record {
    pub(super) folder: String,
    pub(super) source: String,
    /// When the first that did not fail began.
    pub(super) since: Option<i64>,
    /// What the last that did not fail said of these.
    pub(super) sets: Vec<String>,
    pub(super) resources: Option<u64>,
    pub(super) last_sync: Option<SyncRecord>,
    pub(super) last_audit: Option<AuditRecord>,
    /// What is being done, if somebody has the lock.
    pub(super) running: Option<Running>,
}

impl Record {
    /// Reads it; none if there is none, or it is damaged.
    pub(super) fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// Puts it in the place of the last, at once. Only who has the lock does so.
    ///
    /// It is not waited for until it is on the disk: what a power cut takes, the next run tells again.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let new = path.with_extension("new");
        std::fs::write(&new, serde_json::to_vec(self)?)?;
        std::fs::rename(&new, path)
    }
}

pub(super) fn path(place: &Path, work: Work) -> PathBuf {
    place.join(format!("{}.json", work.name()))
}
