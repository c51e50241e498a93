//! What is there now.

mod folder;
mod name;
mod records;

pub use folder::{Folder, Passed};
pub(crate) use name::path_of;
pub use records::{Format, Records};
