//! The paths at which feeds usually are, for sites that do not say where theirs is.

use tidings_web::Url;

use super::{Found, feed_at};
use crate::details::Details;
use crate::fetch::Fetch;

/// The names of feeds that programs use, the most frequent first.
const FEED_PATHS: [&str; 6] = ["feed", "rss.xml", "atom.xml", "index.xml", "feed.xml", "feed.json"];

/// The feed at one of the usual paths: in the folder of the URL that was named, then at the root.
pub(super) async fn usual_feed(
    fetch: &Fetch<'_>,
    asked: &Url,
    at: &Url,
    details: &impl Fn(&str) -> Details,
) -> Option<Found> {
    for url in candidates(at) {
        let found_by = format!("the usual path of a feed, {}", url.path());
        // What was named was read already.
        if url == *asked || url == *at {
            continue;
        }
        if let (Some(found), ..) = feed_at(fetch, &url, &found_by, details).await {
            return Some(found);
        }
    }
    None
}

/// Each URL once, in the order in which they are tried.
fn candidates(at: &Url) -> Vec<Url> {
    let mut candidates: Vec<Url> = Vec::new();
    let folders = [at.join("."), at.join("/")];
    for folder in folders.into_iter().flatten() {
        for path in FEED_PATHS {
            let Ok(url) = folder.join(path) else { continue };
            if !candidates.contains(&url) {
                candidates.push(url);
            }
        }
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_comes_before_the_root_and_no_url_twice() {
        let of = |url: &str| -> Vec<String> {
            candidates(&Url::parse(url).unwrap()).into_iter().map(String::from).collect()
        };
        let root = of("http://a.example/?x=1");
        assert_eq!((root.len(), &root[0][..]), (6, "http://a.example/feed"));
        let below = of("http://a.example/blog/today.html");
        assert_eq!(below.len(), 12);
        assert_eq!(below[1], "http://a.example/blog/rss.xml");
        assert_eq!(below[11], "http://a.example/feed.json");
    }
}
