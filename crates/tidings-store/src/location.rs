//! Where the state is.

use std::fmt;
use std::path::PathBuf;

/// Where the state is.
#[derive(Clone)]
pub enum Location {
    /// In a folder of this machine, which has a file `tidings.db`.
    Folder(PathBuf),
    /// In a PostgreSQL database: `postgres://user@host/database`.
    Database(String),
}

/// Without the password that the URL of a database may have: what is debugged is logged.
impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => f.debug_tuple("Folder").field(folder).finish(),
            Self::Database(_) => f.write_str("Database(..)"),
        }
    }
}
