//! What a browser keeps for us.

use axum::http::header::{COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use cookie::{Cookie, SameSite};

/// Whose cookies they are: their names say how they are kept.
///
/// Over https they have the prefix `__Host-`, so that no other host and no plain connection can set
/// them. Over plain http, which is right on a loopback address alone, not every browser would take
/// them with it.
#[derive(Debug, Clone, Copy)]
pub struct Jar {
    /// True if the browser comes over https.
    pub is_secure: bool,
}

impl Jar {
    fn name(self, name: &'static str) -> String {
        if self.is_secure { format!("__Host-{name}") } else { name.to_owned() }
    }

    /// What the browser sent; the first of that name.
    pub fn read(self, headers: &HeaderMap, name: &'static str) -> Option<String> {
        let name = self.name(name);
        let values = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let found = values.flat_map(Cookie::split_parse).filter_map(Result::ok);
        let mut found = found.filter(|cookie| cookie.name() == name);
        found.next().map(|cookie| cookie.value().to_owned())
    }

    /// What the browser is to keep, for that many seconds, or until it is closed.
    pub fn set(self, name: &'static str, value: &str, seconds: Option<i64>) -> String {
        let mut cookie = Cookie::new(self.name(name), value.to_owned());
        cookie.set_path("/");
        cookie.set_http_only(true);
        cookie.set_secure(self.is_secure);
        // A link from elsewhere should find its visitor signed in; a form from elsewhere should not.
        cookie.set_same_site(SameSite::Lax);
        cookie.set_max_age(seconds.map(cookie::time::Duration::seconds));
        cookie.to_string()
    }

    /// What it is to forget.
    pub fn clear(self, name: &'static str) -> String {
        self.set(name, "", Some(0))
    }
}

/// Has the browser keep, or forget, what these cookies say.
pub fn append_cookies<'a>(
    response_headers: &mut HeaderMap,
    cookies: impl IntoIterator<Item = &'a String>,
) {
    for cookie in cookies {
        if let Ok(cookie) = HeaderValue::from_str(cookie) {
            response_headers.append(SET_COOKIE, cookie);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_over_https_are_of_this_host_alone() {
        let jar = Jar { is_secure: true };
        let set = jar.set("tidings-session", "abc", Some(60));
        assert!(set.starts_with("__Host-tidings-session=abc; "), "{set}");
        for part in ["HttpOnly", "SameSite=Lax", "Secure", "Path=/", "Max-Age=60"] {
            assert!(set.contains(part), "{set}");
        }
        assert!(!set.contains("Domain"), "{set}");
        let mut headers = HeaderMap::new();
        headers
            .insert(COOKIE, "a=b; tidings-session=no; __Host-tidings-session=abc".parse().unwrap());
        assert_eq!(jar.read(&headers, "tidings-session").as_deref(), Some("abc"));
    }
}
