//! Patches: the difference between two representations of one resource, made, applied and checked
//! (section 14.4).
//!
//! A Source announces a patch beside the resource that changed; a Destination that holds the
//! previous representation fetches the patch instead of the whole. What comes out has to be the
//! announced representation byte for byte, since its digest is of bytes: [`make()`] gives only patches
//! for which that was tried, and [`apply()`] lets the caller judge each candidate.
//!
//! Everything here is a function of its arguments: no I/O, no clock, and equal input gives equal
//! bytes. Work and memory are bounded whatever a patch says.
//!
//! ```
//! use tidings_patch::{Format, apply, make};
//!
//! let old = br#"{"title":"Tidings","tags":["feed","sync","copy"],"revision":41,"draft":false}"#;
//! let new = br#"{"title":"Tidings","tags":["feed","sync","copy"],"revision":42,"draft":false}"#;
//!
//! let patch = make(old, new, Some("application/json")).ok_or("no patch is smaller")?;
//! assert_eq!(patch.format, Format::JsonPatch);
//! assert_eq!(patch.bytes, br#"[{"op":"replace","path":"/revision","value":42}]"#);
//!
//! // A Destination compares digests where this compares bytes.
//! let applied = apply(patch.format, old, &patch.bytes, 1 << 20, |candidate| candidate == new)?;
//! assert_eq!(applied, new);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod align;
mod apply;
mod error;
mod format;
mod json;
mod make;
mod unified;

pub use apply::apply;
pub use error::{PatchError, Place};
pub use format::Format;
pub use make::{MAX_INPUT, Patch, make, unified_diff};
