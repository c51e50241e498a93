//! Why a patch gives no representation.

use std::fmt;

use crate::Format;

/// What keeps a patch from being applied. Whatever it is, the remedy is to fetch the whole resource;
/// the variants say whom to tell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch itself is amiss: no representation could make it right.
    #[error("not a {format}: {place}: {reason}")]
    NotAPatch {
        /// What it was to be.
        format: Format,
        /// Where it goes wrong.
        place: Place,
        /// How.
        reason: &'static str,
    },
    /// The patch is not of this representation: it may be of an earlier or a later one.
    #[error("the {format} does not fit what it is applied to: {place}: {reason}")]
    DoesNotFit {
        /// What was applied.
        format: Format,
        /// Where.
        place: Place,
        /// What was expected and not found.
        reason: &'static str,
    },
    /// The result would be longer than the limit, or nested deeper than 128 levels.
    #[error("the patch gives more than {limit} bytes, or values nested deeper than 128 levels")]
    TooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// Applying it takes more steps than any sensible patch: it copies, moves or searches without
    /// end.
    #[error("the patch takes too many steps, at {place}")]
    TooCostly {
        /// Where the steps ran out.
        place: Place,
    },
    /// The patch was applied, and nothing that came out was accepted.
    #[error("none of the {candidates} forms the patched representation may have was accepted")]
    NotAccepted {
        /// How many were offered.
        candidates: usize,
    },
}

/// A place in a patch, or in what it is applied to. Lines and operations count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A byte of the patch, from 0.
    Byte(usize),
    /// A line of a unified diff.
    Line(usize),
    /// An operation of a JSON Patch.
    Operation(usize),
    /// A byte of the previous representation, from 0.
    OldByte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(at) => write!(f, "byte {at}"),
            Self::Line(at) => write!(f, "line {at}"),
            Self::Operation(at) => write!(f, "operation {at}"),
            Self::OldByte(at) => write!(f, "byte {at} of the previous representation"),
        }
    }
}
