//! What is there now.

mod folder;
mod name;

pub use folder::{Folder, Passed};
