//! A whole Source: the walk over its documents, and what they must agree on.
//!
//! The walk does no I/O. It says which document it wants next ([`Walk::next_request`]), is given the
//! document or the reason why it is not to be had, and gathers what is wrong with each and between
//! them.

mod agree;
mod cover;
mod gather;
mod request;
mod walk;

pub use request::{BitstreamFault, Request, Visited, WalkOptions};
pub use walk::Walk;
