//! What is there now.

mod folder;
mod name;
mod records;

pub use folder::{Folder, Passed};
pub use records::{Format, Records};
