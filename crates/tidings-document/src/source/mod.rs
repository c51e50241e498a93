//! Checks a whole Source: each of its documents, and what they must agree on.
//!
//! The check does no I/O. It asks for one document after the other ([`SourceCheck::next_request`]), is
//! given the document or the reason why it could not be fetched, and collects what is wrong with each
//! and between them.

mod agree;
mod check_request;
mod cover;
mod kept_entries;
mod source_check;

pub use check_request::{
    BitstreamFault, CheckRequest, CheckTask, SourceCheckOptions, VisitedDocument,
};
pub use source_check::SourceCheck;
