#![doc = include_str!("../README.md")]

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
