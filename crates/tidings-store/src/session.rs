//! A user who is signed in.

use crate::{Millis, User};

/// A user who is signed in somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserSession {
    /// Who.
    pub user: User,
    /// Since when.
    pub created_at: Millis,
    /// When it was last used, to the minute.
    pub used_at: Millis,
    /// When it ends, used or not.
    pub expires_at: Millis,
    /// The browser, as it calls itself.
    pub about: String,
    /// When the user's last visit ended: what changed after this is new to them. None at their first
    /// visit.
    pub visited: Option<Millis>,
}

impl UserSession {
    /// A session that was not used for longer than that has ended.
    pub const IDLE: Millis = 7 * 24 * 3_600_000;
}
