//! The names of the cookies of this server.

use tidings_http::session_cookies::SessionCookies;

/// Who is signed in, and what forms of everybody else belong to.
pub(crate) const SESSION_COOKIES: SessionCookies =
    SessionCookies { session: "tidings-session", forms: "tidings-forms" };
/// How a person wants pages to look.
pub(crate) const LOOK: &str = "tidings-look";
/// When a person without an account was here last, and before that.
pub(crate) const VISIT: &str = "tidings-visit";
