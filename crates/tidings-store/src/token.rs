//! Who may change something.

use crate::Millis;

/// What a token allows, the least first: each allows what those before it do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// To read, where reading is not public.
    Read,
    /// To read, follow, unfollow and poll.
    Write,
    /// To do all that, and to manage tokens and users.
    Admin,
}

impl Scope {
    /// What it is called, in the tables and elsewhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        [Self::Read, Self::Write, Self::Admin].into_iter().find(|known| known.name() == name)
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
