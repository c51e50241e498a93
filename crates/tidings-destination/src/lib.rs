#![doc = include_str!("../README.md")]

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
mod forecast;
mod id_set;
mod increment;
mod lag;
mod links;
mod mapping;
mod moments;
mod moved;
mod options;
mod outlook;
mod overlay;
mod package;
mod parts;
mod plan;
mod progress;
mod protocol;
mod register;
mod report;
mod republish;
mod resource_tally;
mod robots;
mod runs;
mod same;
mod seen;
mod state;
mod supply;
mod survey;
mod sync;
mod trial_store;
mod unusable_uri;
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
pub use report::{Failed, Report, SetGap, Way};
pub use republish::{RepublishOptions, plan_republication, republish};
pub use runs::{AuditCounts, CountLabel, Measures, Run, RunCounts, SyncCounts, audit, runs};
pub use sync::sync;
