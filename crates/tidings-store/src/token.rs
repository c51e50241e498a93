//! Who may change something.

use crate::Millis;

/// What a token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// To read, where reading is not public.
    Read,
    /// To read, follow, unfollow and poll.
    Write,
}

impl Scope {
    /// What it is called in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        [Self::Read, Self::Write].into_iter().find(|known| known.name() == name)
    }
}

/// A token as it is kept: without itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What a person calls it; unique.
    pub name: String,
    /// What it allows.
    pub scope: Scope,
    /// Since when there is one.
    pub created_at: Millis,
    /// When it was last used, to the hour.
    pub used_at: Option<Millis>,
}
