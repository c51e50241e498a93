//! Where an object is in the content root.

/// Where an object is in the content root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A version of the object below `content/`.
    Version {
        /// Which.
        number: u32,
    },
    /// A file below `pages/`.
    File {
        /// Its path from there, with slashes.
        path: Box<str>,
    },
}
