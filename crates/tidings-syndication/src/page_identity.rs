//! The part of a page's address that stays when its site moves to https, to another spelling of its host
//! or to addresses without an extension for folders.

use tidings_web::Url;

/// What two addresses of one page have in common: the host without `www.`, the path without a slash or an
/// index file at its end, and the query. What is no URL is its own identity.
pub(crate) fn page_identity(address: &str) -> String {
    match Url::parse(address) {
        Ok(url) => format!("{}{}", host(&url), path(&url)),
        Err(_) => address.trim().to_owned(),
    }
}

/// The host of a page, with its port if that is unusual, and without `www.`.
pub(crate) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The path and the query of a page, as [`page_identity`] has them.
pub(crate) fn path(url: &Url) -> String {
    let path = url.path();
    let indexes = ["index.html", "index.htm", "index.php"];
    let folder = indexes.iter().find_map(|name| path.strip_suffix(&format!("/{name}")));
    let path = folder.unwrap_or(path).trim_end_matches('/');
    url.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_page_have_one_identity() {
        let identity = page_identity("https://a.example/b");
        for same in [
            "http://a.example/b",
            "https://www.a.example/b/",
            "http://A.example:80/b/index.html",
            "https://a.example/b#c",
        ] {
            assert_eq!(page_identity(same), identity, "{same}");
        }
        for other in ["https://a.example/B", "https://a.example/b?c", "https://a.example:1/b"] {
            assert_ne!(page_identity(other), identity, "{other}");
        }
        assert_eq!(page_identity("https://a.example/"), page_identity("http://a.example"));
        assert_eq!(page_identity(" no url "), "no url");
    }
}
