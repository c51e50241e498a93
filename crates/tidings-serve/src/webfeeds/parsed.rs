//! Posts taken apart, and their style sheets.

use tidings_store::{Post, Site};
use tidings_web::Url;
use tidings_webfeed::{Dress, Post as Page, Style, css};

use tokio::sync::Semaphore;

use super::pictures::Marker;
use crate::api::Problem;
use crate::state::State;

/// What is larger is not read while others wait.
const LARGE: usize = 64 << 10;
/// How many large ones are read at once.
static ROOM: Semaphore = Semaphore::const_new(4);
/// How many pictures of a post are shown.
const MOST_PICTURES: usize = 400;
/// How many style sheets of a post are used.
const MOST_STYLES: usize = 64;

/// A post that was taken apart.
pub(super) struct Read {
    pub(super) page: Page,
    /// What its style sheets are relative to.
    at: Url,
    /// Where it was found.
    place: String,
}

impl Read {
    /// Where the post is, if that is not where the index says: below the folder of the index.
    pub(super) fn found_at(&self, post: &Post) -> Option<&str> {
        let (said, found) = (Url::parse(&post.url).ok()?, Url::parse(&self.place).ok()?);
        let is_below =
            said != found && said.origin() == found.origin() && found.path().ends_with(said.path());
        is_below.then_some(self.place.as_str())
    }
}

/// A post taken apart and made safe, with as much of what its author styled as `dress` has; none if it was not
/// fetched yet.
pub(super) async fn parsed(
    state: &State,
    post: &Post,
    site: &Site,
    dress: Dress,
) -> Result<Option<Read>, Problem> {
    let Some(text) = state.store.post_text(post.id).await? else { return Ok(None) };
    let Some(at) = Url::parse(&text.at).ok().or_else(|| Url::parse(&post.url).ok()) else {
        return Ok(None);
    };
    let marker = Marker::of(state, site);
    let size = text.text.len();
    let read = aside(size, move || {
        let mut left = MOST_PICTURES;
        let page = Page::parse_dressed(&text.text, &at, dress, &mut |url| {
            left = left.checked_sub(1)?;
            marker.address(url)
        });
        let at = page.base.clone().unwrap_or(at);
        Read { page, at, place: text.at }
    });
    read.await.map(Some)
}

/// The style sheets of a post as one, made safe, in their order.
pub(super) async fn styles(
    state: &State,
    site: &Site,
    read: &Read,
    dress: Dress,
) -> Result<String, Problem> {
    let mut sheets = Vec::new();
    for style in read.page.styles.iter().take(MOST_STYLES) {
        match style {
            // What a `<style>` element has is relative to the post.
            Style::Inline(text) => sheets.push((text.clone(), read.at.clone())),
            Style::Linked { url, media } => {
                let style = state.store.post_style(site.id, url.as_str()).await?;
                let text = style.map(|style| match media {
                    Some(media) => format!("@media {media}{{{}}}", style.text),
                    None => style.text,
                });
                sheets.extend(text.map(|text| (text, url.clone())));
            }
        }
    }
    let marker = Marker::of(state, site);
    let size = sheets.iter().map(|(text, _)| text.len()).sum();
    let joined = aside(size, move || {
        let safe = |(text, at): &(String, Url)| {
            css::sanitise_dressed(text, dress, at, &mut |url| marker.address(url))
        };
        sheets.iter().map(safe).collect::<Vec<_>>().join("\n")
    });
    joined.await
}

/// Does something here if it is small, and elsewhere if it is not.
async fn aside<T: Send + 'static>(
    size: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    if size < LARGE {
        return Ok(work());
    }
    let _turn = ROOM.acquire().await.map_err(Problem::ours)?;
    tokio::task::spawn_blocking(work).await.map_err(Problem::ours)
}
