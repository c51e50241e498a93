//! Tells requests of our own pages from those of other sites.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};

/// Whether a request names another origin than ours: that at which others reach this server, or, where
/// it is reached by other names, too, that of the request itself. A proxy may have changed the latter.
pub fn is_foreign(headers: &HeaderMap, base: &str) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let Some(origin) = text(ORIGIN) else { return false };
    let host = text(HOST).unwrap_or_default();
    let base = url::Url::parse(base).map(|base| base.origin().ascii_serialization());
    let is_host = origin.split_once("://").is_some_and(|(_, own)| own == host && !own.is_empty());
    !is_host && base.ok().as_deref() != Some(origin)
}

#[cfg(test)]
mod tests {
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
}
