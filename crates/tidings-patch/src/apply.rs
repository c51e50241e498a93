//! Applying a patch.

use crate::{Format, PatchError, json, unified};

/// Applies `patch` to `old` and gives the first candidate that `accept` accepts: usually the one
/// that has the announced digest.
///
/// A unified diff has one candidate. A JSON Patch gives a value, which may be written in many ways;
/// the candidates are, in this order, each without and then with a final newline:
///
/// 1. compact: `{"a":[1,2]}`;
/// 2. over several lines, indented by two spaces;
/// 3. by four spaces;
/// 4. by a tab;
/// 5. on one line with a space after each comma and colon: `{"a": [1, 2]}`.
///
/// Members keep their order, and one that is added comes last; numbers and strings stay as they are
/// written in `old` or in the patch, to the last zero and escape.
///
/// No candidate is longer than `limit` bytes. The value that a JSON Patch works on never has more,
/// written compactly, than `limit` and `old` together; in memory one of very small parts takes some
/// twenty times that, and so does the patch as it is read. Whoever fetches a patch bounds its length.
///
/// # Errors
///
/// [`PatchError`] says what is wrong with the patch. There is no partial result.
pub fn apply(
    format: Format,
    old: &[u8],
    patch: &[u8],
    limit: usize,
    mut accept: impl FnMut(&[u8]) -> bool,
) -> Result<Vec<u8>, PatchError> {
    match format {
        Format::JsonPatch => json::apply(old, patch, limit, accept),
        Format::UnifiedDiff => {
            let new = unified::apply(old, patch, limit)?;
            if accept(&new) { Ok(new) } else { Err(PatchError::NotAccepted { candidates: 1 }) }
        }
    }
}
