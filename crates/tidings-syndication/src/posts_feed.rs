//! The posts of a webfeed as entries of a feed.

use tidings_feed::Entry;
use tidings_store::{GridFilter, Post, Site, State, Store, StoreError, Tile};
use tidings_webfeed::Post as ParsedPost;
use url::Url;

use crate::change_list::off_the_road;
use crate::news::time;

/// How many posts a feed has: the newest.
const MAX_POSTS: u32 = 50;
/// How many bytes of posts a feed has; of older ones it says only what they are called.
const MAX_BYTES: usize = 4 << 20;
/// Nobody: who has read what is not asked for.
const NO_READER: i64 = -1;

/// An entry for each of the newest posts, with what it says.
pub(crate) async fn post_entries(
    store: &Store,
    site: &Site,
    tag: &str,
) -> Result<Vec<Entry>, StoreError> {
    let filter = GridFilter {
        reader: NO_READER,
        site_id: Some(site.id),
        limit: MAX_POSTS,
        ..GridFilter::default()
    };
    let mut contents = PostContents::new(store);
    let mut entries = Vec::new();
    for Tile { post, .. } in store.grid(&filter).await? {
        let html = contents.html(&post).await?;
        entries.push(post_entry(post, html, tag));
    }
    Ok(entries)
}

/// The contents of the posts of one feed, together at most [`MAX_BYTES`] and one post.
pub(crate) struct PostContents<'s> {
    store: &'s Store,
    bytes_left: usize,
}

impl<'s> PostContents<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        Self { store, bytes_left: MAX_BYTES }
    }

    /// The content of a post as safe HTML; none if it was not fetched, shows nothing, or there is no room left.
    pub(crate) async fn html(&mut self, post: &Post) -> Result<Option<String>, StoreError> {
        if post.state != State::Well || self.bytes_left == 0 {
            return Ok(None);
        }
        let Some(text) = self.store.post_text(post.id).await? else { return Ok(None) };
        let html = safe_html(text.text, &text.at).await;
        self.bytes_left = self.bytes_left.saturating_sub(html.len());
        Ok(Some(html).filter(|html| !html.is_empty()))
    }
}

/// The beginning of the ids of the posts of a webfeed, by the key of its collection.
pub(crate) fn post_tag(tag: &str, collection_key: &str) -> String {
    format!("{tag}{collection_key}/post/")
}

/// The entry of a post, which is the same in each feed.
pub(crate) fn post_entry(post: Post, html: Option<String>, tag: &str) -> Entry {
    Entry {
        id: format!("{tag}{}", post.id),
        title: post.title.unwrap_or_else(|| post.url.clone()),
        updated: time(post.edited_at.unwrap_or(post.seen_at)),
        published: Some(time(post.seen_at)),
        link: post.url,
        author: post.author,
        html,
        ..Entry::default()
    }
}

/// What a post says, made safe, without what its author styled. Pictures are where they are: a feed is
/// read elsewhere.
async fn safe_html(text: String, at: &str) -> String {
    let Ok(at) = Url::parse(at) else { return String::new() };
    let make =
        move || ParsedPost::parse_undressed(&text, &at, &mut |url| Some(url.to_string())).html();
    off_the_road(make).await
}
