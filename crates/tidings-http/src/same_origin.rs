//! Tells requests of our own pages from those of other sites.

use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};

/// Whether a request names another origin than ours: that at which others reach this server, or, where
/// it is reached by other names, too, that of the request itself. A proxy may have changed the latter.
pub fn is_foreign(headers: &HeaderMap, base: &str) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return false };
    // An origin that cannot be read is not this server's.
    let Ok(origin) = origin.to_str() else { return true };
    let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let base = url::Url::parse(base).map(|base| base.origin().ascii_serialization());
    let is_host = origin.split_once("://").is_some_and(|(_, own)| own == host && !own.is_empty());
    !is_host && base.ok().as_deref() != Some(origin)
}

/// Whether the browser says that a page of another site sent a request (`Sec-Fetch-Site`).
pub fn is_cross_site(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    sites.any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_our_own_origin_is_ours() {
        let base = "https://news.example/tid/";
        for (origin, host, foreign) in [
            (None, "127.0.0.1:1", false),
            (Some("https://news.example"), "127.0.0.1:1", false),
            (Some("https://news.example"), "news.example", false),
            (Some("http://127.0.0.1:1"), "127.0.0.1:1", false),
            (Some("https://evil.example"), "127.0.0.1:1", true),
            (Some("https://news.example.evil"), "127.0.0.1:1", true),
            (Some("http://news.example"), "127.0.0.1:1", true),
            (Some("null"), "127.0.0.1:1", true),
            (Some("http://127.0.0.1:2"), "127.0.0.1:1", true),
            (Some("http://"), "", true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            if let Some(origin) = origin {
                headers.insert(ORIGIN, origin.parse().unwrap());
            }
            assert_eq!(is_foreign(&headers, base), foreign, "{origin:?} {host}");
        }
    }

    #[test]
    fn origin_that_cannot_be_read_is_foreign() {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, "caf\u{e9}.example".parse().unwrap());
        headers.insert(ORIGIN, HeaderValue::from_bytes(b"http://caf\xe9.example").unwrap());
        assert!(is_foreign(&headers, "http://127.0.0.1:1/"));
    }

    #[test]
    fn one_cross_site_value_is_enough() {
        for (sites, cross) in [
            (&[][..], false),
            (&["none"], false),
            (&["same-origin"], false),
            (&["same-site"], true),
            (&["cross-site"], true),
            (&["same-origin", "cross-site"], true),
            (&[""], true),
        ] {
            let mut headers = HeaderMap::new();
            for site in sites {
                headers.append("sec-fetch-site", site.parse().unwrap());
            }
            assert_eq!(is_cross_site(&headers), cross, "{sites:?}");
        }
    }
}
