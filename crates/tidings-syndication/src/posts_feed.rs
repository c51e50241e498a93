//! The posts of a webfeed as entries of a feed.

use std::collections::HashMap;

use tidings_feed::Entry;
use tidings_store::{GridFilter, Post, PostText, Site, State, Store, StoreError, Tile};
use tidings_webfeed::Post as ParsedPost;
use url::Url;

use crate::change_list::off_the_road;
use crate::news::time;

/// How many posts a feed has: the newest.
const MAX_POSTS: u32 = 50;
/// How many bytes of posts a feed has; of older ones it says only what they are called.
const MAX_BYTES: usize = 4 << 20;
/// How many posts are read from the store at once, of up to 1 MiB each.
const POSTS_READ_AT_ONCE: usize = 10;
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
    let mut entries = PostEntries::default();
    for Tile { post, .. } in store.grid(&filter).await? {
        if !is_awaited(&post) {
            entries.add(post, tag);
        }
    }
    entries.with_contents(store).await
}

/// True of posts that were never asked for. Their entries wait: many readers do not look at an entry again that they
/// have seen.
pub(crate) fn is_awaited(post: &Post) -> bool {
    post.state == State::New && post.failures == 0 && post.sections == 0 && !post.is_forgotten
}

/// Entries of one feed, of which some are posts that get their contents together.
#[derive(Default)]
pub(crate) struct PostEntries {
    pub(crate) entries: Vec<Entry>,
    /// The posts that were fetched, by the places of their entries.
    fetched: Vec<(usize, i64)>,
}

impl PostEntries {
    /// Adds the entry of a post, which gets its content later.
    pub(crate) fn add(&mut self, post: Post, tag: &str) -> &mut Entry {
        let place = self.entries.len();
        if post.state == State::Well {
            self.fetched.push((place, post.id));
        }
        self.entries.push(post_entry(post, tag));
        &mut self.entries[place]
    }

    /// The entries with what their posts say as safe HTML: of the first ones, together [`MAX_BYTES`] and one post at
    /// most.
    pub(crate) async fn with_contents(mut self, store: &Store) -> Result<Vec<Entry>, StoreError> {
        let mut bytes_left = MAX_BYTES;
        for posts in self.fetched.chunks(POSTS_READ_AT_ONCE) {
            let ids: Vec<i64> = posts.iter().map(|(_, id)| *id).collect();
            let mut texts: HashMap<i64, PostText> =
                store.post_texts(&ids).await?.into_iter().collect();
            for (place, id) in posts {
                if bytes_left == 0 {
                    return Ok(self.entries);
                }
                let Some(text) = texts.remove(id) else { continue };
                let html = safe_html(text.text, &text.at).await;
                bytes_left = bytes_left.saturating_sub(html.len());
                self.entries[*place].html = Some(html).filter(|html| !html.is_empty());
            }
        }
        Ok(self.entries)
    }
}

/// The beginning of the ids of the posts of a webfeed, by the key of its collection.
pub(crate) fn post_tag(tag: &str, collection_key: &str) -> String {
    format!("{tag}{collection_key}/post/")
}

/// The entry of a post, which is the same in each feed.
fn post_entry(post: Post, tag: &str) -> Entry {
    Entry {
        id: format!("{tag}{}", post.id),
        title: post.title.unwrap_or_else(|| post.url.clone()),
        updated: time(post.edited_at.unwrap_or(post.seen_at)),
        published: Some(time(post.seen_at)),
        link: post.url,
        author: post.author,
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
