//! The permissions of files that take their places.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;

/// Who may read a file once it is in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its owner alone.
    Owner,
    /// Whoever the umask leaves of this mode.
    Umask(u32),
    /// Everybody, whatever the umask: the file is to be served.
    Everybody,
    /// Whoever may read the replaced file; everybody if there is none.
    AsReplaced,
}

/// A plain file that everybody may read.
const SERVED: u32 = 0o644;

impl Access {
    /// The mode that a file is created with. What is still being written is its owner's alone, unless
    /// the umask is to decide.
    pub(crate) fn creation_mode(self) -> u32 {
        match self {
            Self::Umask(mode) => mode,
            Self::Owner | Self::Everybody | Self::AsReplaced => 0o600,
        }
    }

    /// Gives a file its permissions. `replaced` is the mode of what it replaces, if there is something.
    ///
    /// # Errors
    /// If the system refuses them.
    pub fn apply(self, file: &File, replaced: Option<u32>) -> io::Result<()> {
        let mode = match self {
            Self::Owner | Self::Umask(_) => return Ok(()),
            Self::Everybody => SERVED,
            Self::AsReplaced => replaced.map_or(SERVED, |mode| mode & 0o777),
        };
        file.set_permissions(Permissions::from_mode(mode))
    }
}
