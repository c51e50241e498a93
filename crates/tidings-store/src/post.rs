//! Posts of webfeeds.

use crate::{Millis, State};

/// A post, as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// Its number in this store.
    pub id: i64,
    /// The webfeed that it is in.
    pub site_id: i64,
    /// Where it is.
    pub url: String,
    /// The line of the index in which it was discovered.
    pub place: i64,
    /// When it was discovered.
    pub seen_at: Millis,
    /// True if it is on another domain than its webfeed.
    pub is_repost: bool,
    /// Whether it was fetched: new, well or failing.
    pub state: State,
    /// Why it could not be.
    pub reason: Option<String>,
    /// How often in a row it could not be.
    pub failures: i64,
    /// True if what it said was thrown away to make room for others.
    pub is_forgotten: bool,
    /// What it may be called.
    pub title: Option<String>,
    /// Who wrote it, as it says itself.
    pub author: Option<String>,
    /// How many sections it has.
    pub sections: i64,
    /// When it was found to say something else than before.
    pub edited_at: Option<Millis>,
}

/// What a post was known by when it was read or looked after.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostValidators {
    /// `ETag`.
    pub etag: Option<String>,
    /// How many bytes it has.
    pub length: Option<i64>,
}

/// A post whose turn it is to be looked after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostToCheck {
    /// See [`Post::id`].
    pub id: i64,
    /// See [`Post::url`].
    pub url: String,
    /// Where it was, after all redirects.
    pub at: String,
    /// What it was known by.
    pub validators: PostValidators,
    /// See [`Post::is_repost`].
    pub is_repost: bool,
}

/// What a post said when it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostText {
    /// Where it was, after all redirects.
    pub at: String,
    /// The page.
    pub text: String,
}

/// A post that an index has and that is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPost {
    /// See [`Post::url`].
    pub url: String,
    /// See [`Post::place`].
    pub place: i64,
    /// See [`Post::is_repost`].
    pub is_repost: bool,
}

/// What came of fetching a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPost {
    /// See [`Post::url`].
    pub url: String,
    /// What it said.
    pub result: Result<ReadPost, PostFailure>,
}

/// A post that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPost {
    /// What it said.
    pub text: PostText,
    /// See [`Post::title`].
    pub title: Option<String>,
    /// See [`Post::author`].
    pub author: Option<String>,
    /// See [`Post::sections`].
    pub sections: i64,
    /// What it is known by.
    pub validators: PostValidators,
    /// Whether it says something else than before.
    pub is_edited: bool,
}

/// A post that could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostFailure {
    /// Why, as a sentence in which the post is called *it*: its URL is known.
    pub reason: String,
    /// How long from now until the next try.
    pub wait: Millis,
}

/// A style sheet that a post names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostStyle {
    /// Where it is.
    pub url: String,
    /// What it says.
    pub text: String,
}

/// What a poll found out about the posts of a webfeed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostsOutcome {
    /// Posts that are new, in the order of the index.
    pub added: Vec<NewPost>,
    /// Posts that are not in the index any more.
    pub removed: Vec<i64>,
    /// Posts that were fetched, or could not be.
    pub fetched: Vec<FetchedPost>,
    /// Style sheets that were fetched.
    pub styles: Vec<PostStyle>,
    /// Posts that were looked after and say what they said, by their numbers, with what they are known by
    /// now.
    pub checked: Vec<(i64, PostValidators)>,
    /// Whether this is the first time that the index was read.
    pub is_first: bool,
}

/// Which tiles of a grid to show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GridFilter {
    /// Who looks: a user's number, or 0.
    pub reader: i64,
    /// All posts of that webfeed, each with a tile of its own; else those of all webfeeds.
    pub site_id: Option<i64>,
    /// Only what the reader has not read.
    pub unread: bool,
    /// Those after that one, see [`Tile::cursor`].
    pub after: Option<(Millis, i64, i64)>,
    /// So many at the most.
    pub limit: u32,
}

/// A tile of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tile {
    /// The post on it.
    pub post: Post,
    /// How many posts share the tile, together with this one: 1 if it has it for itself.
    pub posts: i64,
    /// True if the reader has read the post, or all that share the tile.
    pub is_read: bool,
    /// [`Site::key`](crate::Site::key) of its webfeed.
    pub site_key: String,
}

impl Tile {
    /// Its place in the grid.
    #[must_use]
    pub fn cursor(&self) -> (Millis, i64, i64) {
        (self.post.seen_at, self.post.place, self.post.id)
    }
}
