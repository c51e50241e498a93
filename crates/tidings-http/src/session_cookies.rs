//! The two cookies that sessions and forms need.

use std::io;
use std::time::Duration;

use axum::http::HeaderMap;

use crate::cookies::Jar;
use crate::secret::{guard_of, random};

/// The number of random bytes of a secret.
const SECRET_BYTES: usize = 32;
/// The number of characters that the secret of a cookie for forms has at least.
const MIN_SECRET_CHARS: usize = 40;

/// The names of the two cookies of a server. Two servers on one host need different ones: cookies are the same on
/// all of its ports.
#[derive(Debug, Clone, Copy)]
pub struct SessionCookies {
    /// The cookie with the secret of a session.
    pub session: &'static str,
    /// The cookie with a secret that forms of visitors without a session belong to.
    pub forms: &'static str,
}

/// A CSRF token, and the cookie that it belongs to.
#[derive(Debug)]
pub struct NewFormToken {
    /// The token, as [`guard_of`] made it.
    pub token: String,
    /// The cookie that the browser is to keep.
    pub cookie: String,
}

/// Makes a secret that nobody can guess.
pub(crate) fn new_secret() -> io::Result<String> {
    random(SECRET_BYTES)
}

impl SessionCookies {
    /// The secret of the session, if the browser sent one.
    pub(crate) fn session_secret(self, jar: Jar, headers: &HeaderMap) -> Option<String> {
        jar.read(headers, self.session)
    }

    /// The CSRF token of a visitor who has no session; none if the browser sent no cookie that it could belong to.
    pub fn form_token(self, jar: Jar, headers: &HeaderMap) -> Option<String> {
        let secret = jar.read(headers, self.forms);
        secret.filter(|secret| secret.len() >= MIN_SECRET_CHARS).as_deref().map(guard_of)
    }

    /// Makes a CSRF token for a visitor who has neither a session nor such a cookie.
    pub fn new_form_token(self, jar: Jar) -> io::Result<NewFormToken> {
        let secret = new_secret()?;
        let cookie = jar.set(self.forms, &secret, None);
        Ok(NewFormToken { token: guard_of(&secret), cookie })
    }

    /// The cookies of somebody who has just signed in: forms belong to the session from now on.
    pub(crate) fn begin(self, jar: Jar, secret: &str, lifetime: Duration) -> Vec<String> {
        let seconds = i64::try_from(lifetime.as_secs()).unwrap_or(i64::MAX);
        vec![jar.set(self.session, secret, Some(seconds)), jar.clear(self.forms)]
    }

    /// The cookies of somebody who has just signed out.
    pub(crate) fn end(self, jar: Jar) -> Vec<String> {
        vec![jar.clear(self.session)]
    }
}
