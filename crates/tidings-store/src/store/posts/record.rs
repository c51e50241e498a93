//! Recording what a poll found out about posts.

use std::collections::BTreeSet;

use crate::engine::{Row, Session, Value, chunks, params, rows};
use crate::error::Result;
use crate::store::digest;
use crate::store::posts::FORGOTTEN;
use crate::{FetchedPost, Millis, NewPost, PostValidators, PostsOutcome, Settings};

const DAY: Millis = 24 * 60 * 60 * 1000;
/// How many style sheets of a webfeed are kept: those that were fetched last.
const MOST_STYLES: i64 = 200;
/// How many bytes of what the posts of a webfeed say are kept.
const MOST_BYTES: i64 = 64 << 20;

/// Records it. Only who has the lock of the host does so.
pub(in crate::store) async fn record(
    session: &mut Session<'_>,
    site_id: i64,
    now: Millis,
    outcome: &PostsOutcome,
) -> Result<()> {
    let mut days = BTreeSet::new();
    for id in &outcome.removed {
        days.extend(remove(session, site_id, *id).await?);
    }
    if !outcome.added.is_empty() {
        add(session, site_id, now, &outcome.added, outcome.is_first).await?;
        days.insert(now / DAY);
    }
    if !days.is_empty() {
        let most = tiles(session, site_id).await?;
        for day in days {
            share(session, site_id, day, most).await?;
        }
    }
    for fetched in &outcome.fetched {
        fetch(session, site_id, now, fetched).await?;
    }
    if outcome.fetched.iter().any(|fetched| fetched.result.is_ok()) {
        make_room(session, site_id).await?;
    }
    for (id, PostValidators { etag, length }) in &outcome.checked {
        const CHECKED: &str = "UPDATE posts SET checked_at = $3, etag = $4, length = $5
            WHERE id = $1 AND site_id = $2";
        let params = params![*id, site_id, now, etag.as_ref(), *length];
        session.execute(CHECKED, &params).await?;
    }
    for style in &outcome.styles {
        const PUT: &str = "INSERT INTO post_styles (site_id, url_digest, url, text, fetched_at)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (site_id, url_digest)
            DO UPDATE SET text = excluded.text, fetched_at = excluded.fetched_at";
        let params = params![site_id, digest(&style.url), &style.url, &style.text, now];
        session.execute(PUT, &params).await?;
    }
    if !outcome.styles.is_empty() {
        const OLD: &str = "DELETE FROM post_styles WHERE site_id = $1 AND url_digest NOT IN (
            SELECT url_digest FROM post_styles WHERE site_id = $1
            ORDER BY fetched_at DESC, url_digest LIMIT $2)";
        session.execute(OLD, &params![site_id, MOST_STYLES]).await?;
    }
    Ok(())
}

/// Removes a post; says on which day it was discovered.
async fn remove(session: &mut Session<'_>, site_id: i64, id: i64) -> Result<Option<i64>> {
    const REMOVE: &str = "DELETE FROM posts WHERE id = $1 AND site_id = $2 RETURNING day";
    let row = session.query_opt(REMOVE, &params![id, site_id]).await?;
    row.map(|mut row| row.int()).transpose()
}

/// Adds posts: the last is the newest, and has the highest rank among those of its day.
async fn add(
    session: &mut Session<'_>,
    site_id: i64,
    now: Millis,
    added: &[NewPost],
    is_first: bool,
) -> Result<()> {
    const RANK: &str = "SELECT COALESCE(MAX(rank) + 1, 0) FROM posts
        WHERE site_id = $1 AND day = $2";
    const COLUMNS: usize = 10;
    let day = now / DAY;
    let row = session.query_opt(RANK, &params![site_id, day]).await?;
    let first = row.map_or(Ok(0), |mut row| row.int())?;
    let ranked: Vec<(i64, &NewPost)> = (first..).zip(added).collect();
    for chunk in chunks(&ranked) {
        let sql = format!(
            "INSERT INTO posts (site_id, url, url_digest, place, seen_at, day, rank, tile, is_repost,
              is_first)
             VALUES {} ON CONFLICT DO NOTHING",
            rows(chunk.len(), COLUMNS)
        );
        let mut values: Vec<Value> = Vec::with_capacity(chunk.len() * COLUMNS);
        for (rank, post) in chunk {
            let url = digest(&post.url);
            values.extend(params![
                site_id,
                &post.url,
                url,
                post.place,
                now,
                day,
                *rank,
                0_i64,
                post.is_repost,
                is_first
            ]);
        }
        session.execute(&sql, &values).await?;
    }
    Ok(())
}

/// How many tiles a webfeed has a day.
async fn tiles(session: &mut Session<'_>, site_id: i64) -> Result<i64> {
    const SETTINGS: &str = "SELECT settings FROM sites WHERE id = $1";
    let row = session.query_opt(SETTINGS, &params![site_id]).await?;
    let settings = row.map(|mut row| row.json::<Settings>()).transpose()?;
    Ok(settings.unwrap_or_default().tiles.into())
}

/// Gives the posts of a day their tiles: the newest have one each, and the newest of all others stands for
/// these.
async fn share(session: &mut Session<'_>, site_id: i64, day: i64, most: i64) -> Result<()> {
    const FIRST: &str = "SELECT rank FROM posts WHERE site_id = $1 AND day = $2
        AND is_first = 0 ORDER BY rank DESC LIMIT 1 OFFSET $3";
    const SHARE: &str = "UPDATE posts SET tile = CASE WHEN is_first = 1 OR rank > $3 THEN 0 \
        WHEN rank = $3 THEN 1 ELSE 2 END WHERE site_id = $1 AND day = $2";
    let row = session.query_opt(FIRST, &params![site_id, day, most]).await?;
    let first = row.map_or(Ok(-1), |mut row| row.int())?;
    session.execute(SHARE, &params![site_id, day, first]).await.map(drop)
}

async fn fetch(
    session: &mut Session<'_>,
    site_id: i64,
    now: Millis,
    fetched: &FetchedPost,
) -> Result<()> {
    const WELL: &str = "UPDATE posts SET state = 'well', reason = NULL, failures = 0, title = $3, \
        author = $4, sections = $5, checked_at = $6, etag = $7, length = $8, \
        edited_at = CASE WHEN $9 = 1 THEN $6 ELSE edited_at END WHERE site_id = $1 AND url_digest = $2 RETURNING id";
    const TEXT: &str = "INSERT INTO post_texts (post_id, site_id, fetched_at, size, at, text)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (post_id) DO UPDATE SET \
        fetched_at = excluded.fetched_at, size = excluded.size, at = excluded.at, \
        text = excluded.text";
    const FAILING: &str = "UPDATE posts SET state = 'failing', reason = $3, \
        failures = failures + 1, next_try = $4 WHERE site_id = $1 AND url_digest = $2";
    let key = digest(&fetched.url);
    match &fetched.result {
        Ok(post) => {
            let params = params![
                site_id,
                key,
                post.title.as_ref(),
                post.author.as_ref(),
                post.sections,
                now,
                post.validators.etag.as_ref(),
                post.validators.length,
                post.is_edited
            ];
            // It may have left the index in the meantime.
            let Some(mut row) = session.query_opt(WELL, &params).await? else { return Ok(()) };
            let size = i64::try_from(post.text.text.len()).unwrap_or(i64::MAX);
            let params = params![row.int()?, site_id, now, size, &post.text.at, &post.text.text];
            session.execute(TEXT, &params).await.map(drop)
        }
        Err(failure) => {
            let next = now.saturating_add(failure.wait);
            let params = params![site_id, key, &failure.reason, next];
            session.execute(FAILING, &params).await.map(drop)
        }
    }
}

/// Forgets what the oldest posts said, if there is too much. They are fetched again when somebody asks for
/// them, and not by themselves; and then they are not the first to go.
async fn make_room(session: &mut Session<'_>, site_id: i64) -> Result<()> {
    const BEYOND: &str = "SELECT id FROM (SELECT p.id, CAST(SUM(t.size) OVER (ORDER BY \
        CASE WHEN p.is_asked_for = 1 THEN t.fetched_at ELSE p.seen_at END DESC, \
        p.place DESC, p.id DESC) AS BIGINT) AS total
        FROM post_texts t JOIN posts p ON p.id = t.post_id WHERE t.site_id = $1) AS summed \
        WHERE total > $2";
    const FORGET: &str = "DELETE FROM post_texts WHERE post_id = $1";
    const WAIT: &str = "UPDATE posts SET state = 'new', next_try = $2 WHERE id = $1";
    let beyond = session.query(BEYOND, &params![site_id, MOST_BYTES]).await?;
    for mut row in beyond {
        let id = row.int()?;
        session.execute(FORGET, &params![id]).await?;
        session.execute(WAIT, &params![id, FORGOTTEN]).await?;
    }
    Ok(())
}

/// Gives all posts of a webfeed their tiles, so many a day: as somebody wants it, also those of the first
/// reading.
pub(in crate::store) async fn share_all(
    session: &mut Session<'_>,
    site_id: i64,
    most: u32,
) -> Result<()> {
    const DAYS: &str = "SELECT DISTINCT day FROM posts WHERE site_id = $1";
    const ALL_COUNT: &str = "UPDATE posts SET is_first = 0 WHERE site_id = $1";
    session.execute(ALL_COUNT, &params![site_id]).await?;
    let days = session.query(DAYS, &params![site_id]).await?;
    let days: Result<Vec<i64>> = days.into_iter().map(|mut row: Row| row.int()).collect();
    for day in days? {
        share(session, site_id, day, most.into()).await?;
    }
    Ok(())
}
