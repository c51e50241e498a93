//! The posts of webfeeds.

mod grid;
mod record;

pub(super) use record::{record, share_all};

use super::{Store, digest};
use crate::engine::{Execute, Operation, Row, Select, Session, Value, padded, params, places};
use crate::error::Result;
use crate::{Millis, Post, PostStyle, PostText, PostToCheck, PostValidators, State};

const COLUMNS: &str = "p.id, p.site_id, p.url, p.place, p.seen_at, p.is_repost, p.state, p.reason, \
    p.failures, p.next_try, p.title, p.author, p.sections, p.edited_at";

/// When a post is tried again whose text made room for others: never by itself.
const FORGOTTEN: Millis = Millis::MAX;

fn read(row: &mut Row) -> Result<Post> {
    Ok(Post {
        id: row.int()?,
        site_id: row.int()?,
        url: row.text()?,
        place: row.int()?,
        seen_at: row.int()?,
        is_repost: row.is()?,
        state: row.named(State::by_name)?,
        reason: row.maybe_text()?,
        failures: row.int()?,
        is_forgotten: row.int()? == FORGOTTEN,
        title: row.maybe_text()?,
        author: row.maybe_text()?,
        sections: row.int()?,
        edited_at: row.maybe_int()?,
    })
}

impl Store {
    /// A post.
    pub async fn post(&self, id: i64) -> Result<Option<Post>> {
        let sql = format!("SELECT {COLUMNS} FROM posts p WHERE p.id = $1");
        let found = self.engine().read(Select { sql, params: params![id].into(), read }).await?;
        Ok(found.into_iter().next())
    }

    /// The number of the post of a webfeed that is at an address.
    pub async fn post_id(&self, site_id: i64, url: &str) -> Result<Option<i64>> {
        let sql = "SELECT id FROM posts WHERE site_id = $1 AND url_digest = $2".to_owned();
        let params = params![site_id, digest(url)].into();
        let found = self.engine().read(Select { sql, params, read: |row| row.int() }).await?;
        Ok(found.into_iter().next())
    }

    /// The posts of a webfeed that are at these addresses, in any order; nothing for addresses without a post.
    pub async fn posts_at(&self, site_id: i64, urls: &[&str]) -> Result<Vec<Post>> {
        let digests = urls.iter().map(|url| digest(url).into()).collect();
        self.engine().read(PostsAt { site_id, digests }).await
    }

    /// The numbers and addresses of all posts of a webfeed.
    pub async fn post_urls(&self, site_id: i64) -> Result<Vec<(i64, String)>> {
        let sql = "SELECT id, url FROM posts WHERE site_id = $1 ORDER BY id".to_owned();
        let read = |row: &mut Row| Ok((row.int()?, row.text()?));
        self.engine().read(Select { sql, params: params![site_id].into(), read }).await
    }

    /// Posts of a webfeed that are to be fetched by now, the newest first.
    pub async fn posts_waiting(&self, site_id: i64, now: Millis, limit: u32) -> Result<Vec<Post>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM posts p WHERE p.site_id = $1 AND p.state <> 'well'
             AND p.next_try <= $2 ORDER BY p.seen_at DESC, p.place DESC, p.id DESC LIMIT $3"
        );
        let params = params![site_id, now, i64::from(limit)].into();
        self.engine().read(Select { sql, params, read }).await
    }

    /// Posts of a webfeed that were not looked after since then, the longest first.
    pub async fn posts_to_check(
        &self,
        site_id: i64,
        since: Millis,
        limit: u32,
    ) -> Result<Vec<PostToCheck>> {
        let sql = "SELECT p.id, p.url, t.at, p.etag, p.length, p.is_repost FROM posts p
             JOIN post_texts t ON t.post_id = p.id WHERE p.site_id = $1 AND p.state = 'well'
             AND p.checked_at <= $2 ORDER BY p.checked_at, p.id DESC LIMIT $3"
            .to_owned();
        let read = |row: &mut Row| {
            Ok(PostToCheck {
                id: row.int()?,
                url: row.text()?,
                at: row.text()?,
                validators: PostValidators { etag: row.maybe_text()?, length: row.maybe_int()? },
                is_repost: row.is()?,
            })
        };
        let params = params![site_id, since, i64::from(limit)].into();
        self.engine().read(Select { sql, params, read }).await
    }

    /// What a post said, if it was fetched.
    pub async fn post_text(&self, id: i64) -> Result<Option<PostText>> {
        let sql = "SELECT at, text FROM post_texts WHERE post_id = $1".to_owned();
        let read = |row: &mut Row| Ok(PostText { at: row.text()?, text: row.text()? });
        let found = self.engine().read(Select { sql, params: params![id].into(), read }).await?;
        Ok(found.into_iter().next())
    }

    /// What these posts said, by their numbers, in any order; nothing for those that were not fetched.
    pub async fn post_texts(&self, ids: &[i64]) -> Result<Vec<(i64, PostText)>> {
        let ids = ids.iter().map(|id| (*id).into()).collect();
        self.engine().read(PostTexts { ids }).await
    }

    /// A style sheet, as a post of the webfeed named it.
    pub async fn post_style(&self, site_id: i64, url: &str) -> Result<Option<PostStyle>> {
        let sql = "SELECT url, text FROM post_styles WHERE site_id = $1 AND url_digest = $2";
        let read = |row: &mut Row| Ok(PostStyle { url: row.text()?, text: row.text()? });
        let params = params![site_id, digest(url)].into();
        let found = self.engine().read(Select { sql: sql.to_owned(), params, read }).await?;
        Ok(found.into_iter().next())
    }

    /// Fetches a post again with the next poll of its webfeed; false if it is not known.
    pub async fn retry_post(&self, id: i64) -> Result<bool> {
        const RETRY: &str = "UPDATE posts SET state = 'new', next_try = 0, is_asked_for = 1
            WHERE id = $1";
        Ok(self.engine().write(Execute { sql: RETRY, params: params![id].into() }).await? > 0)
    }

    /// Marks posts as read, or as not read. Those that are not there any more are passed over.
    pub async fn mark_posts(&self, reader: i64, posts: &[i64], read: bool) -> Result<()> {
        self.engine().write(Mark { reader, posts: posts.to_vec(), read }).await
    }

    /// Marks all posts that were discovered until then as read: of one webfeed, or of all.
    pub async fn mark_all_posts(
        &self,
        reader: i64,
        site_id: Option<i64>,
        until: Millis,
    ) -> Result<()> {
        const ALL: &str = "INSERT INTO post_reads (reader, post_id, at)
            SELECT CAST($1 AS BIGINT), id, CAST($2 AS BIGINT) FROM posts
            WHERE seen_at <= CAST($2 AS BIGINT) ON CONFLICT DO NOTHING";
        const OF_SITE: &str = "INSERT INTO post_reads (reader, post_id, at)
            SELECT CAST($1 AS BIGINT), id, CAST($2 AS BIGINT) FROM posts
            WHERE seen_at <= CAST($2 AS BIGINT) AND site_id = $3 ON CONFLICT DO NOTHING";
        let (sql, params) = match site_id {
            Some(id) => (OF_SITE, params![reader, until, id].into()),
            None => (ALL, params![reader, until].into()),
        };
        self.engine().write(Execute { sql, params }).await.map(drop)
    }

    /// How many posts of a webfeed there are.
    pub async fn count_posts(&self, site_id: i64) -> Result<i64> {
        let sql = "SELECT count(*) FROM posts WHERE site_id = $1".to_owned();
        let params = params![site_id].into();
        let found = self.engine().read(Select { sql, params, read: |row| row.int() }).await?;
        Ok(found.into_iter().next().unwrap_or(0))
    }
}

struct PostsAt {
    site_id: i64,
    digests: Vec<Value>,
}

impl Operation for PostsAt {
    type Output = Vec<Post>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Vec<Post>> {
        let mut posts = Vec::new();
        for mut params in padded(&self.digests) {
            let wanted = places(1, params.len());
            params.push(self.site_id.into());
            let sql = format!(
                "SELECT {COLUMNS} FROM posts p WHERE p.site_id = ${} AND p.url_digest IN ({wanted})",
                params.len()
            );
            for mut row in session.query(&sql, &params).await? {
                posts.push(read(&mut row)?);
            }
        }
        Ok(posts)
    }
}

struct PostTexts {
    ids: Vec<Value>,
}

impl Operation for PostTexts {
    type Output = Vec<(i64, PostText)>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Vec<(i64, PostText)>> {
        let mut texts = Vec::new();
        for params in padded(&self.ids) {
            let sql = format!(
                "SELECT post_id, at, text FROM post_texts WHERE post_id IN ({})",
                places(1, params.len())
            );
            for mut row in session.query(&sql, &params).await? {
                texts.push((row.int()?, PostText { at: row.text()?, text: row.text()? }));
            }
        }
        Ok(texts)
    }
}

struct Mark {
    reader: i64,
    posts: Vec<i64>,
    read: bool,
}

impl Operation for Mark {
    type Output = ();

    async fn run(&self, session: &mut Session<'_>) -> Result<()> {
        const READ: &str = "INSERT INTO post_reads (reader, post_id, at)
            SELECT CAST($1 AS BIGINT), id, CAST($3 AS BIGINT) FROM posts WHERE id = $2
            ON CONFLICT DO NOTHING";
        const UNREAD: &str = "DELETE FROM post_reads WHERE reader = $1 AND post_id = $2";
        let now = session.now().await?;
        for post in &self.posts {
            if self.read {
                session.execute(READ, &params![self.reader, *post, now]).await?;
            } else {
                session.execute(UNREAD, &params![self.reader, *post]).await?;
            }
        }
        Ok(())
    }
}
