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
mod deletes;
mod desk;
mod documents;
mod dump;
mod engine;
mod error;
mod fetch;
mod increment;
mod links;
mod mapping;
mod moments;
mod options;
mod package;
mod parts;
mod progress;
mod register;
mod replica;
mod report;
mod republish;
mod robots;
mod same;
mod seen;
mod state;
mod sync;
mod wanted;

pub use audit::{AuditOptions, AuditReport, Difference, Kind, audit, repair};
pub use error::SyncError;
pub use mapping::{
    Mapping, MappingError, Uri, UriError, conflict_as_file, conflict_as_folder, folded, with_suffix,
};
pub use options::{MaxDelete, Sets, SyncOptions, Via};
pub use package::{Fault, Member, Mismatch, Package, PackageError, PackageLimits};
pub use progress::{Progress, Step};
pub use register::{
    AuditRecord, CopyReport, Differences, Entry, Register, RunOutcome, Running, SyncRecord, Work,
};
pub use report::{Failed, Report};
pub use republish::{RepublishOptions, republish};
pub use sync::sync;
