//! Walks over the documents of a Source, without I/O.
//!
//! The walk hands out the document to fetch next ([`SourceWalk::next_request`]), and is told which
//! documents it lists ([`SourceWalk::list`]) or that it could not be fetched ([`SourceWalk::fail`]). A
//! [`WalkPolicy`] says how far the walk goes, in which order, which entries it opens and what a failure
//! ends. The caller fetches, reads and holds the documents.

mod policy;
mod source_walk;
mod target;
#[cfg(test)]
mod tests;

pub use policy::{FailurePolicy, WalkLimits, WalkOrder, WalkPolicy, WalkScope};
pub use source_walk::{DocumentRequest, Listing, SourceWalk};
pub use target::EntryTarget;
