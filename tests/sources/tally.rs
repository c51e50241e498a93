//! Counts of what became of the runs.

use std::fmt;

use tidings_destination::Report;

/// What became of the runs.
#[derive(Debug, Default, Clone)]
pub struct Tally {
    pub syncs: u64,
    pub well: u64,
    /// The documents did not tell, and the program said so.
    pub open: u64,
    /// The Source had moved on from its documents, and the program said so.
    pub moved_on: u64,
    pub faulty: u64,
    pub killed: u64,
    pub rollbacks: u64,
    pub audits: u64,
    /// Dry runs whose counts were held against those of the run after it.
    pub forecasts: u64,
    /// A document was gone for good, and the program said so.
    pub missing: u64,
    /// Resources that came by patch, and from mirrors.
    pub patched: u64,
    pub mirrored: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.syncs += other.syncs;
        self.well += other.well;
        self.open += other.open;
        self.moved_on += other.moved_on;
        self.faulty += other.faulty;
        self.killed += other.killed;
        self.rollbacks += other.rollbacks;
        self.audits += other.audits;
        self.forecasts += other.forecasts;
        self.missing += other.missing;
        self.patched += other.patched;
        self.mirrored += other.mirrored;
    }

    pub fn count(&mut self, report: &Result<Report, String>) {
        if let Ok(report) = report {
            self.patched += report.patched;
            self.mirrored += report.mirrored;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} syncs: {} well, {} named a gap, {} met a Source ahead of its documents, {} met \
             faults, {} missed a document, {} were killed; {} Sources revised their past; {} audits, {} dry runs; {} patches, {} from mirrors",
            self.syncs,
            self.well,
            self.open,
            self.moved_on,
            self.faulty,
            self.missing,
            self.killed,
            self.rollbacks,
            self.audits,
            self.forecasts,
            self.patched,
            self.mirrored
        )
    }
}
