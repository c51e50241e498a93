//! The style sheets that posts name.

use std::collections::HashSet;

use tidings_feed::decode_page;
use tidings_store::PostStyle;
use tidings_web::{Url, Validators};
use tidings_webfeed::css;

use super::patience::Patience;
use super::posts::Fetched;
use crate::PollError;
use crate::fetch::Fetch;

/// How many one poll fetches.
const MOST: usize = 16;
/// How many are remembered to be fetched later, and how often each is tried.
const MOST_REMEMBERED: usize = 64;
const TRIES: u32 = 5;

/// Fetches what the posts of this poll name, and what could not be had before; says what is still to be
/// had. Without its sheets a post is plain, which is better than nothing.
pub(super) async fn fetch(
    fetch: &Fetch<'_>,
    fetched: &mut Fetched,
    before: Vec<(String, u32)>,
    patience: &mut Patience,
) -> Vec<(String, u32)> {
    let named = std::mem::take(&mut fetched.sheets);
    let named = named.into_iter().map(|url| (url.into(), 0));
    let mut seen = HashSet::new();
    let mut left = Vec::new();
    for (number, (name, tries)) in named
        .chain(before)
        .filter(|(name, _): &(String, u32)| seen.insert(name.clone()))
        .enumerate()
    {
        let Ok(url) = Url::parse(&name) else { continue };
        if number >= MOST || !patience.lasts(&url) {
            left.push((name, tries));
            continue;
        }
        match one(fetch, &url).await {
            Ok(Some(text)) => fetched.styles.push(PostStyle { url: name, text }),
            Ok(None) => {}
            Err(error) => {
                patience.failed(&url, &error);
                if tries + 1 < TRIES {
                    left.push((name, tries + 1));
                }
            }
        }
    }
    left.truncate(MOST_REMEMBERED);
    left
}

/// A style sheet; none if what is there is none, and an error if it may be there later.
async fn one(fetch: &Fetch<'_>, url: &Url) -> Result<Option<String>, PollError> {
    let whole = match fetch.whole(url, Validators::default(), css::MAX_BYTES, false).await {
        Ok(Some(whole)) => whole,
        Ok(None) => return Ok(None),
        Err(error) if error.is_gone() => return Ok(None),
        Err(error) => return Err(error),
    };
    let kind = whole.content_type.as_deref().unwrap_or("text/css").trim().to_ascii_lowercase();
    let is_style = kind.starts_with("text/") && !kind.contains("html");
    Ok(is_style.then(|| decode_page(&whole.bytes, Some(&kind)).into_owned()))
}
