//! The way from the URL that was asked for to the one that answers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::error::FetchError;

/// Where a request is and where it has been. No URL here has credentials or a fragment: the first
/// are kept apart, so that no message shows them, and the second is not sent.
#[derive(Debug)]
pub(crate) struct Trail {
    current: Url,
    passed: Vec<Url>,
    limit: usize,
    credentials: Option<Credentials>,
    at_home: bool,
}

/// A user name and password as they stood in the URL, percent-encoded.
struct Credentials {
    username: String,
    password: Option<String>,
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials")
    }
}

impl Trail {
    /// Starts at the URL that was asked for.
    pub(crate) fn start(url: &Url, limit: usize) -> Self {
        let credentials =
            (!url.username().is_empty() || url.password().is_some()).then(|| Credentials {
                username: url.username().to_owned(),
                password: url.password().map(str::to_owned),
            });
        Self { current: bare(url.clone()), passed: Vec::new(), limit, credentials, at_home: true }
    }

    /// The hop that is to be made now.
    pub(crate) fn current(&self) -> &Url {
        &self.current
    }

    /// The credentials that may go there, as Basic authentication (RFC 7617).
    pub(crate) fn authorization(&self) -> Option<HeaderValue> {
        let credentials = self.credentials.as_ref().filter(|_| self.at_home)?;
        let decoded = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
        let mut login = decoded(&credentials.username);
        login.push(b':');
        login.extend(decoded(credentials.password.as_deref().unwrap_or_default()));
        let mut value = HeaderValue::from_str(&format!("Basic {}", STANDARD.encode(login))).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Whether every hop so far had the first one's origin. Once a stranger has had a say in where
    /// to go, even a way back may be a trap, so secrets stay dropped.
    pub(crate) fn is_at_home(&self) -> bool {
        self.at_home
    }

    /// Moves on to where a `Location` header leads.
    pub(crate) fn follow(&mut self, location: &[u8]) -> Result<(), FetchError> {
        let next = target(&self.current, location)?;
        if next == self.current || self.passed.contains(&next) {
            return Err(FetchError::RedirectLoop { url: next });
        }
        if self.passed.len() == self.limit {
            let url = self.passed.first().unwrap_or(&self.current).clone();
            return Err(FetchError::TooManyRedirects { url, limit: self.limit });
        }
        self.at_home &= next.origin() == self.current.origin();
        self.passed.push(std::mem::replace(&mut self.current, next));
        Ok(())
    }

    /// The last URL, and those that redirected to it, in order.
    pub(crate) fn into_parts(self) -> (Url, Vec<Url>) {
        (self.current, self.passed)
    }
}

/// The URL that `location` means in an answer from `from`: relative ones are allowed (RFC 9110,
/// 10.2.2), credentials are not taken from a redirect, and https does not become http.
fn target(from: &Url, location: &[u8]) -> Result<Url, FetchError> {
    let invalid = |reason: String| FetchError::InvalidUrl {
        url: String::from_utf8_lossy(location).into_owned(),
        reason: format!("{reason} (in a redirect from {from})"),
    };
    let text = std::str::from_utf8(location).map_err(|error| invalid(error.to_string()))?;
    let to = bare(from.join(text).map_err(|error| invalid(error.to_string()))?);
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(FetchError::Downgrade { from: Box::new(from.clone()), to: Box::new(to) });
    }
    Ok(to)
}

fn bare(mut url: Url) -> Url {
    url.set_fragment(None);
    // These fail for URLs without a host, which have no credentials either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn trail(start: &str, hops: &[&str]) -> Result<Trail, FetchError> {
        let mut trail = Trail::start(&url(start), 5);
        for hop in hops {
            trail.follow(hop.as_bytes())?;
        }
        Ok(trail)
    }

    #[test]
    fn s3_https_never_becomes_http() {
        let error = target(&url("https://a.example/x"), b"http://a.example/x").unwrap_err();
        assert!(matches!(error, FetchError::Downgrade { .. }), "{error:?}");
        assert_eq!(
            error.to_string(),
            "refused to follow https://a.example/x to http://a.example/x: a redirect from https \
             to http is not safe"
        );
        for (from, to) in [("http", "https"), ("http", "http"), ("https", "https")] {
            let location = format!("{to}://b.example/");
            let found = target(&url(&format!("{from}://a.example/")), location.as_bytes());
            assert_eq!(found.unwrap().as_str(), location);
        }
    }

    #[test]
    fn s3_credentials_stay_with_their_origin() {
        let start = "http://me:secret@a.example/";
        let sent = |hops| trail(start, hops).unwrap().authorization();
        let login = Some(HeaderValue::from_static("Basic bWU6c2VjcmV0"));
        assert_eq!(sent(&[]), login);
        assert_eq!(sent(&["/x"]), login);
        assert_eq!(sent(&["http://a.example/x"]), login);
        assert_eq!(sent(&["http://a.example:81/"]), None);
        assert_eq!(sent(&["https://a.example/"]), None);
        assert_eq!(sent(&["http://b.example/"]), None);
        assert_eq!(sent(&["http://b.example/", "http://a.example/x"]), None);
        assert_eq!(sent(&["http://you:too@b.example/"]), None);
    }

    #[test]
    fn s3_credentials_are_never_shown() {
        let trail = trail("http://me:secret@a.example/#part", &["/x"]).unwrap();
        assert!(!format!("{trail:?}").contains("secret"), "{trail:?}");
        let (last, passed) = trail.into_parts();
        assert_eq!(last.as_str(), "http://a.example/x");
        assert_eq!(passed, [url("http://a.example/")]);
    }

    #[test]
    fn s5_loops_are_seen_whatever_their_fragment() {
        for hops in [&["/"][..], &[""], &["#a"], &["/b", "/c", "/b"], &["/b", "/#other"]] {
            let error = trail("http://a.example/", hops).unwrap_err();
            assert!(matches!(error, FetchError::RedirectLoop { .. }), "{hops:?}: {error:?}");
        }
    }

    #[test]
    fn s5_five_redirects_are_followed_and_the_sixth_is_not() {
        let hops = ["/1", "/2", "/3", "/4", "/5", "/6"];
        assert!(trail("http://a.example/", &hops[..5]).is_ok());
        let error = trail("http://a.example/", &hops).unwrap_err();
        assert_eq!(error.to_string(), "http://a.example/ redirects more than 5 times");
    }
}
