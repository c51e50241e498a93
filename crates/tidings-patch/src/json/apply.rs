//! Applying a JSON Patch.

use super::candidates::choose;
use super::document::{Document, Refusal};
use super::operation::Operation;
use super::parse::parse;
use super::value::Value;
use crate::{Format, PatchError, Place};

/// The first text of what `patch` makes of `old`, of at most `limit` bytes, that is accepted.
pub(crate) fn apply(
    old: &[u8],
    patch: &[u8],
    limit: usize,
    accept: impl FnMut(&[u8]) -> bool,
) -> Result<Vec<u8>, PatchError> {
    choose(&patched(old, patch, limit)?, limit, accept)
}

/// The value that `patch` makes of `old`.
///
/// While operations are carried out it may be `limit` bytes longer than `old`: what is added may
/// come before what is removed.
pub(super) fn patched<'a>(
    old: &'a [u8],
    patch: &'a [u8],
    limit: usize,
) -> Result<Value<'a>, PatchError> {
    let operations =
        parse(patch).map_err(|error| not_a_patch(Place::Byte(error.at), error.reason))?;
    let Value::Array(operations) = operations else {
        return Err(not_a_patch(Place::Byte(0), "it is an array of operations"));
    };
    let old = parse(old).map_err(|error| does_not_fit(Place::OldByte(error.at), error.reason))?;
    let mut document = Document::new(old, limit);
    for (index, operation) in operations.into_iter().enumerate() {
        let place = Place::Operation(index + 1);
        let operation = Operation::of(operation).map_err(|reason| not_a_patch(place, reason))?;
        carry_out(operation, &mut document).map_err(|refusal| match refusal {
            Refusal::Misfit(reason) => does_not_fit(place, reason),
            Refusal::TooLarge => PatchError::TooLarge { limit },
            Refusal::TooCostly => PatchError::TooCostly { place },
        })?;
    }
    Ok(document.into_root())
}

fn carry_out<'a>(operation: Operation<'a>, document: &mut Document<'a>) -> Result<(), Refusal> {
    match operation {
        Operation::Add { path, value } => document.add(&path, value),
        Operation::Remove { path } => document.remove(&path).map(drop),
        Operation::Replace { path, value } => document.replace(&path, value),
        Operation::Move { from, path } => document.move_to(&from, &path),
        Operation::Copy { from, path } => document.copy(&from, &path),
        Operation::Test { path, value } => document.test(&path, &value),
    }
}

fn not_a_patch(place: Place, reason: &'static str) -> PatchError {
    PatchError::NotAPatch { format: Format::JsonPatch, place, reason }
}

fn does_not_fit(place: Place, reason: &'static str) -> PatchError {
    PatchError::DoesNotFit { format: Format::JsonPatch, place, reason }
}
