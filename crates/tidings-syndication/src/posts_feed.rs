//! The posts of a webfeed as entries of a feed.

use tidings_feed::Entry;
use tidings_store::{GridFilter, Site, State, Store, StoreError, Tile};
use tidings_webfeed::Post;
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
    let mut left = MAX_BYTES;
    let mut entries = Vec::new();
    for tile in store.grid(&filter).await? {
        let text = match tile.post.state {
            State::Well if left > 0 => store.post_text(tile.post.id).await?,
            _ => None,
        };
        let html = match text {
            Some(text) => Some(shown(text.text, &text.at).await).filter(|html| !html.is_empty()),
            None => None,
        };
        left = left.saturating_sub(html.as_ref().map_or(0, String::len));
        entries.push(entry(tile, html, tag));
    }
    Ok(entries)
}

fn entry(tile: Tile, html: Option<String>, tag: &str) -> Entry {
    let post = tile.post;
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
async fn shown(text: String, at: &str) -> String {
    let Ok(at) = Url::parse(at) else { return String::new() };
    let show = move || Post::parse_undressed(&text, &at, &mut |url| Some(url.to_string())).html();
    off_the_road(show).await
}
