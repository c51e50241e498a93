//! Copying: an exact copy of a Source, verified, kept in step at the lowest cost, audited and
//! republished.
//!
//! A change becomes a copy in these steps: [`discover`](tidings_web::discover) the Source, read the
//! document that says what is new, fetch what differs, verify it, rename it into its place, record
//! it. Whatever stops a run in between, what is recorded is true, and the next run does only what is
//! missing.

mod audit;
mod baseline;
mod bytes;
mod choice;
mod coverage;
mod damage;
mod deletes;
mod desk;
mod digests;
mod documents;
mod dump;
mod engine;
mod error;
mod export;
mod fetch;
mod folder;
mod increment;
mod lag;
mod links;
mod mapping;
mod moments;
mod moved;
mod options;
mod outlook;
mod package;
mod parts;
mod plan;
mod progress;
mod protocol;
mod register;
mod replica;
mod report;
mod republish;
mod robots;
mod runs;
mod same;
mod seen;
mod state;
mod survey;
mod sync;
mod update;
mod verified;
mod wanted;

pub use audit::{AuditOptions, AuditReport, Depth, Difference, Kind, recorded_source, repair};
pub use error::SyncError;
pub use export::{ExportError, ExportOptions, ExportReport, export_bag};
pub use folder::{check_folder, check_folder_for_sync};
pub use lag::Lag;
pub use mapping::{
    Mapping, MappingError, Uri, UriError, conflict_as_file, conflict_as_folder, folded, with_suffix,
};
pub use options::{MaxDelete, Sets, SyncOptions, Via};
pub use package::{Fault, Member, Mismatch, Package, PackageError, PackageLimits};
pub use progress::{Progress, Step};
pub use register::{
    AuditRecord, CopyReport, Differences, Entry, Register, RunOutcome, Running, SyncRecord, Work,
};
pub use report::{Failed, Report, SetGap};
pub use republish::{RepublishOptions, republish};
pub use runs::{AuditCounts, Measures, Run, RunCounts, SyncCounts, audit, runs};
pub use sync::sync;
