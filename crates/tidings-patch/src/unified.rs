//! Unified diffs, of lines of bytes in whatever encoding.
//!
//! Lines end at LF and hold it, so that a CR is a byte like any other. No fuzz and no search: a hunk
//! fits where it says, or it does not fit.

mod apply;
mod diff;
mod hunk;
mod lines;

pub(crate) use apply::apply;
pub(crate) use diff::diff;

/// The line that says that the one before it has no newline. What follows the backslash and the
/// space depends on the language of the program that wrote it.
const NO_NEWLINE: &[u8] = b"\\ No newline at end of file\n";
