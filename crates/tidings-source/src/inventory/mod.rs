//! What is there now.

mod folder;
mod name;
mod records;

pub use folder::{Folder, Passed};
pub use name::path_of;
pub use records::{Format, Records};
