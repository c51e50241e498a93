#![doc = include_str!("../README.md")]

mod broken_rule;
mod bytes;
mod capability;
mod conformance;
mod digest;
mod entry;
mod finding;
mod head;
mod link;
mod metadata;
mod moment;
mod read;
mod relation;
pub mod rule;
mod source;
mod uri;
mod walk;
mod write;
mod xml;

pub use broken_rule::BrokenRule;
pub use capability::{Capability, Form, TimeUse, title};
pub use conformance::{CheckOptions, Profile, Report, Spec, check, check_each};
pub use digest::{Algorithm, Digest, DigestError, Hash};
pub use entry::{ChangeFreq, Entry, Priority};
pub use finding::{Finding, Findings, Place, Rule, Severity};
pub use head::Head;
pub use link::{Link, PATCH};
pub use metadata::{Attribute, Change, Metadata};
pub use moment::{Moment, MomentError, Precision};
pub use read::{Limits, ReadError, ReadOptions, Reader};
pub use source::{
    BitstreamFault, CheckRequest, CheckTask, SourceCheck, SourceCheckOptions, VisitedDocument,
};
pub use walk::{
    DocumentRequest, EntryTarget, FailurePolicy, Listing, SourceWalk, WalkLimits, WalkOrder,
    WalkPolicy, WalkScope,
};
pub use write::{Capacity, Part, SplitWriter, WriteError, Writer, Written};
