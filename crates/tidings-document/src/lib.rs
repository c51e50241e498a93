//! What is on the wire: Sitemap and ResourceSync documents.
//!
//! The model, a streaming reader, a streaming writer and the conformance rules. Pure: no I/O of its
//! own, no async, no clock.
//!
//! - [`Reader`] pulls [`Entry`] after [`Entry`] out of any `BufRead`, in constant memory, taking
//!   whatever can be understood and naming what was wrong as [`Finding`]s.
//! - [`Writer`] writes them, and refuses what would be an error; [`SplitWriter`] writes as many as
//!   there have to be.
//! - [`check`] holds a whole document against the rules of the standard.
//! - [`Walk`] does so for a whole Source, whose documents have to agree with each other.
//! - [`rule`] has every rule with the clause that it comes from.

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
mod write;
mod xml;

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
pub use source::{BitstreamFault, Request, Visited, Walk, WalkOptions};
pub use write::{Capacity, Part, SplitWriter, WriteError, Writer, Written};
