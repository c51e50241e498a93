//! Fetching posts, and the style sheets that they name.

use tidings_feed::decode_page;
use tidings_store::{FetchedPost, Millis, PostFailure, PostStyle, PostText, ReadPost};
use tidings_web::{Url, Validators, Whole};
use tidings_webfeed::{Identity, Post, Style};

use super::patience::Patience;
use crate::PollError;
use crate::change_list::off_the_road;
use crate::fetch::Fetch;

/// How many posts one poll fetches.
pub(super) const MOST: u32 = 30;
/// How large a post may be.
const MOST_BYTES: u64 = Post::MOST_BYTES;
/// How many bytes the posts of one poll may have together.
const ROOM: usize = 16 << 20;
/// How long to wait for a post that cannot be had, at first and at the most.
const WAIT: Millis = 15 * 60 * 1000;
const LONGEST_WAIT: Millis = 7 * 24 * 60 * 60 * 1000;

/// A post to fetch.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) url: String,
    pub(super) failures: i64,
    pub(super) is_repost: bool,
}

/// What was fetched.
#[derive(Default)]
pub(super) struct Fetched {
    pub(super) posts: Vec<FetchedPost>,
    pub(super) styles: Vec<PostStyle>,
    /// The style sheets that they name.
    pub(super) sheets: Vec<Url>,
    /// Whose the newest of them is that is no repost.
    pub(super) identity: Option<Identity>,
    /// True if not all were asked for.
    pub(super) is_cut_short: bool,
}

/// Fetches posts one after the other. None of them can make the poll fail.
pub(super) async fn fetch(
    fetch: &Fetch<'_>,
    wanted: Vec<Wanted>,
    patience: &mut Patience,
) -> Fetched {
    let mut fetched = Fetched::default();
    let mut room = ROOM;
    for Wanted { url, failures, is_repost } in wanted {
        let Ok(at) = Url::parse(&url) else { continue };
        if room == 0 || !patience.lasts(&at) {
            fetched.is_cut_short = true;
            continue;
        }
        let result = match page(fetch, &at).await {
            Ok((whole, text)) => {
                room = room.saturating_sub(text.len());
                let (post, text) = taken_apart(text, &whole.url).await;
                fetched.sheets.extend(post.styles.iter().filter_map(linked));
                if !is_repost {
                    fetched.identity.get_or_insert_with(|| post.identity.clone());
                }
                Ok(ReadPost {
                    title: post.name(),
                    author: post.identity.author.clone(),
                    sections: (post.sections.len() + post.left_out) as i64,
                    text: PostText { at: whole.url.to_string(), text },
                })
            }
            Err(error) => {
                patience.failed(&at, &error);
                Err(PostFailure { reason: error.to_string(), wait: wait(failures) })
            }
        };
        fetched.posts.push(FetchedPost { url, result });
    }
    fetched
}

/// The page at an address, and its text.
pub(crate) async fn page(fetch: &Fetch<'_>, at: &Url) -> Result<(Whole, String), PollError> {
    let wrong = |reason: String| PollError::Document { url: at.clone(), reason };
    let whole = fetch.whole(at, Validators::default(), MOST_BYTES, false).await?;
    let whole = whole.ok_or_else(|| wrong("was not sent".to_owned()))?;
    let kind = whole.content_type.as_deref();
    if !is_page(kind) {
        return Err(wrong(format!("is {}, and no HTML page", kind.unwrap_or_default())));
    }
    let text = decode_page(&whole.bytes, kind).into_owned();
    Ok((whole, text))
}

/// Whether something may be a page, by its `Content-Type`. Who says none, or says that it is text, may
/// not know better: simple servers do so for files without an extension.
fn is_page(content_type: Option<&str>) -> bool {
    let Some(kind) = content_type else { return true };
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(
        kind.as_str(),
        "" | "text/html" | "application/xhtml+xml" | "text/plain" | "application/octet-stream"
    )
}

/// A page, taken apart where that keeps nobody waiting; and its text once more.
pub(crate) async fn taken_apart(text: String, at: &Url) -> (Post, String) {
    let at = at.clone();
    let parse = move || (Post::parse(&text, &at, &mut |_| None), text);
    off_the_road(parse).await
}

fn linked(style: &Style) -> Option<Url> {
    match style {
        Style::Linked { url, .. } => Some(url.clone()),
        Style::Inline(_) => None,
    }
}

fn wait(failures: i64) -> Millis {
    let doublings = u32::try_from(failures.clamp(0, 20)).unwrap_or(20);
    WAIT.saturating_mul(1 << doublings).min(LONGEST_WAIT)
}
