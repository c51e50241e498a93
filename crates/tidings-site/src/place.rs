//! Where an object is in the content root.

/// Where an object is, besides its id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the versioned layout: `content/<shard>/<id>.<number>`.
    Version {
        /// Which version it is.
        number: u32,
    },
    /// In the plain layout.
    File {
        /// Its path below `pages/`, with `/` on every system.
        path: Box<str>,
    },
}
