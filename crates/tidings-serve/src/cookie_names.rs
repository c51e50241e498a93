//! The names of the cookies of this server.

/// Who is signed in.
pub(crate) const SESSION: &str = "tidings-session";
/// What forms of visitors without a session are guarded by.
pub(crate) const FORMS: &str = "tidings-forms";
/// How a person wants pages to look.
pub(crate) const LOOK: &str = "tidings-look";
/// When a person without an account was here last, and before that.
pub(crate) const VISIT: &str = "tidings-visit";
