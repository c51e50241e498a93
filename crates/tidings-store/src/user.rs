//! Who signs in.

use serde::{Deserialize, Serialize};

use crate::Millis;

/// What a user may do, the least first: each may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Read, where reading is not public.
    Reader,
    /// Follow, unfollow, poll, and change what is set for sites.
    Editor,
    /// All that, and manage tokens and users.
    Admin,
}

impl Role {
    /// What it is called, in the tables and elsewhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Editor => "editor",
            Self::Admin => "admin",
        }
    }

    /// The role of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Reader, Self::Editor, Self::Admin].into_iter().find(|known| known.name() == name)
    }
}

/// A user as they are known: without their password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Their number in this store.
    pub id: i64,
    /// What they are called; unique without regard to case.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Since when there is such a user.
    pub created_at: Millis,
    /// When they last signed in.
    pub signed_in_at: Option<Millis>,
}

/// What came of changing a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserChange {
    /// It was done.
    Done,
    /// There is no such user.
    Unknown,
    /// It was not done, because nobody could manage users any more.
    LastAdmin,
}
