//! A user name and password that stood in a URL.

use std::fmt;

use url::{Origin, Url};

/// What a person typed into a URL as `user:password@`, for the origin of that URL and no other.
///
/// It is kept apart from URLs that are shown or stored, and added again to those that are fetched.
#[derive(Clone)]
pub struct Login {
    origin: Origin,
    username: String,
    password: Option<String>,
}

impl Login {
    /// Takes it out of a URL; none where there is none.
    #[must_use]
    pub fn take(url: &mut Url) -> Option<Self> {
        let (username, password) = (url.username().to_owned(), url.password().map(str::to_owned));
        if username.is_empty() && password.is_none() {
            return None;
        }
        // A URL that has these can lose them.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        Some(Self { origin: url.origin(), username, password })
    }

    /// The URL with it, if it is of its origin and has none of its own; else the same.
    #[must_use]
    pub fn add(&self, url: &Url) -> Url {
        let mut url = url.clone();
        if url.origin() == self.origin && url.username().is_empty() && url.password().is_none() {
            // A URL of an origin that had these can have them again.
            let _ = url.set_username(&self.username);
            let _ = url.set_password(self.password.as_deref());
        }
        url
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn s3_a_login_stays_with_its_origin_and_is_not_shown() {
        let mut start = url("http://me:se%20cret@a.example/x");
        let login = Login::take(&mut start).unwrap();
        assert_eq!(start.as_str(), "http://a.example/x");
        assert_eq!(login.add(&url("http://a.example/y")), url("http://me:se%20cret@a.example/y"));
        assert_eq!(login.add(&url("http://you@a.example/")), url("http://you@a.example/"));
        for other in ["https://a.example/", "http://a.example:81/", "http://b.example/"] {
            assert_eq!(login.add(&url(other)), url(other));
        }
        assert!(!format!("{login:?}").contains("cret"));
        assert!(Login::take(&mut start).is_none());
    }
}
