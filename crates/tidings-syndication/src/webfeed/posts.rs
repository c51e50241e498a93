//! Fetching posts, and the style sheets that they name.

use tidings_feed::decode_page;
use tidings_store::{
    FetchedPost, Millis, PostFailure, PostStyle, PostText, PostValidators, ReadPost,
};
use tidings_web::{Url, Validators, Whole};
use tidings_webfeed::{Identity, Index, Post, Style};

use super::patience::Patience;
use crate::PollError;
use crate::change_list::off_the_road;
use crate::fetch::Fetch;

/// How many posts one poll fetches.
pub(super) const MOST: u32 = 250;
/// How large a post may be.
const MOST_BYTES: u64 = Post::MOST_BYTES;
/// How many bytes the posts of one poll may have together.
const ROOM: usize = 32 << 20;
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
    /// Whose the newest of them is that lies in the folder of the index, and where that is.
    pub(super) identity: Option<(Identity, String)>,
    /// The addresses of posts that were found below the folder of the index, and not where they are said
    /// to be.
    pub(super) below: Vec<String>,
    /// True if not all were asked for.
    pub(super) is_cut_short: bool,
}

/// Fetches posts one after the other. None of them can make the poll fail.
pub(super) async fn fetch(
    fetch: &Fetch<'_>,
    wanted: Vec<Wanted>,
    index: &Url,
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
        let result = match page_or_below(fetch, &at, index, &mut fetched.below).await {
            Ok((whole, text)) => {
                room = room.saturating_sub(text.len());
                let (post, text) = taken_apart(text, &whole.url).await;
                fetched.sheets.extend(post.styles.iter().filter_map(linked));
                if !is_repost && is_in_folder(&whole.url, index) {
                    fetched.identity.get_or_insert_with(|| (post.identity.clone(), url.clone()));
                }
                Ok(read_post(&post, &whole, text))
            }
            Err(error) => {
                patience.failed(&at, &error);
                Err(PostFailure { reason: error.reason_for(&at), wait: wait(failures) })
            }
        };
        fetched.posts.push(FetchedPost { url, result });
    }
    fetched
}

/// What is recorded of a post.
pub(super) fn read_post(post: &Post, whole: &Whole, text: String) -> ReadPost {
    let validators = PostValidators {
        etag: whole.validators.etag.clone(),
        length: i64::try_from(whole.bytes.len()).ok(),
    };
    ReadPost {
        title: post.name(),
        author: post.identity.author.clone(),
        sections: (post.sections.len() + post.left_out) as i64,
        text: PostText { at: whole.url.to_string(), text },
        validators,
        is_edited: false,
    }
}

/// Whether a page lies in the folder of an index: others on the same host may be somebody else's.
pub(crate) fn is_in_folder(page: &Url, index: &Url) -> bool {
    let folder = Index::folder(index);
    folder.origin() == page.origin() && page.path().starts_with(folder.path())
}

/// The page at an address; or the one that has this path below the folder of the index. Lines that begin
/// with a slash mean the root of the host to browsers, and the folder to the text of the specification.
async fn page_or_below(
    fetch: &Fetch<'_>,
    at: &Url,
    index: &Url,
    below: &mut Vec<String>,
) -> Result<(Whole, String), PollError> {
    let error = match page(fetch, at).await {
        Err(error) if error.is_gone() => error,
        result => return result,
    };
    let folder = Index::folder(index);
    let is_outside = folder.origin() == at.origin() && !is_in_folder(at, index);
    let other = folder.join(&at[url::Position::BeforePath..][1..]).ok().filter(|_| is_outside);
    let Some(other) = other else { return Err(error) };
    match page(fetch, &other).await {
        Ok(found) => {
            below.push(format!("{at} is not there; the post was found at {other}"));
            Ok(found)
        }
        Err(_) => Err(error),
    }
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

pub(super) fn linked(style: &Style) -> Option<Url> {
    match style {
        Style::Linked { url, .. } => Some(url.clone()),
        Style::Inline(_) => None,
    }
}

fn wait(failures: i64) -> Millis {
    let doublings = u32::try_from(failures.clamp(0, 20)).unwrap_or(20);
    WAIT.saturating_mul(1 << doublings).min(LONGEST_WAIT)
}
