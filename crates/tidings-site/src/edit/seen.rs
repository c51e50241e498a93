//! What an editor has seen of an object, so that nothing newer is lost by what they save.

use std::fmt;

/// What was there when somebody began to edit it. It goes through a form as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The current version.
    Version(u32),
    /// The state of a file.
    File {
        /// When it was changed, in nanoseconds of Unix.
        modified: i64,
        /// How long it was.
        length: u64,
    },
}

impl Seen {
    /// Reads what was written with `to_string`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(number) = text.strip_prefix('v') {
            return number.parse().ok().map(Self::Version);
        }
        let (modified, length) = text.strip_prefix('f')?.split_once('+')?;
        Some(Self::File { modified: modified.parse().ok()?, length: length.parse().ok()? })
    }

    pub(super) fn of(stat: &rustix::fs::Stat) -> Self {
        let seconds = stat.st_mtime.saturating_mul(1_000_000_000);
        let nanoseconds = i64::try_from(stat.st_mtime_nsec).unwrap_or_default();
        let modified = seconds.saturating_add(nanoseconds);
        Self::File { modified, length: u64::try_from(stat.st_size).unwrap_or_default() }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(number) => write!(formatter, "v{number}"),
            Self::File { modified, length } => write!(formatter, "f{modified}+{length}"),
        }
    }
}
