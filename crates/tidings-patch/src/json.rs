//! JSON Patch (RFC 6902), on values that are kept as they were written.
//!
//! `serde_json` and the crate `json-patch` on top of it do not serve here: a number comes back as
//! another text unless `arbitrary_precision` is on, members in another order unless `preserve_order`
//! is, and both features would change every other crate of the program. Escapes in strings are lost
//! in any case. Here a value borrows its scalars from the text it was read from.

mod account;
mod apply;
mod candidates;
mod diff;
mod document;
mod number;
mod operation;
mod parse;
mod pointer;
mod string;
mod value;
mod write;

pub(crate) use apply::apply;
pub(crate) use diff::diff;

/// How deep arrays and objects may be nested. Values are walked by recursion: this bounds it.
const MAX_DEPTH: usize = 128;
