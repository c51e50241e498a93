//! The streaming writer: strict, and the same bytes for the same input.

mod element;
mod error;
mod split;
mod strict;
mod writer;

pub use error::WriteError;
pub use split::{Part, SplitWriter};
pub use writer::{Capacity, Writer, Written};
