//! The names of feeds that are not where they were.

use super::Store;
use crate::Millis;
use crate::engine::{Row, Select, Session, params};
use crate::error::Result;

/// What became of a feed that is not where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetiredFeed {
    /// Its site is not followed any more.
    Gone,
    /// The feed of this name (`feeds/KEY`, `sites/KEY`) goes on with it.
    Moved(String),
}

impl Store {
    /// What became of a feed, by its name in URLs (`feeds/KEY`, `sites/KEY`).
    pub async fn retired_feed(&self, name: &str) -> Result<Option<RetiredFeed>> {
        let sql = "SELECT target FROM retired_feeds WHERE name = $1".to_owned();
        let read =
            |row: &mut Row| Ok(row.maybe_text()?.map_or(RetiredFeed::Gone, RetiredFeed::Moved));
        let found = self.engine().read(Select { sql, params: params![name].into(), read }).await?;
        Ok(found.into_iter().next())
    }
}

/// Retires the feeds of a site that is not followed any more.
pub(super) async fn retire_site(
    session: &mut Session<'_>,
    site_id: i64,
    key: &str,
    now: Millis,
) -> Result<()> {
    const COLLECTIONS: &str = "INSERT INTO retired_feeds (name, target, retired_at)
        SELECT 'feeds/' || key, NULL, CAST($2 AS BIGINT) FROM collections WHERE site_id = $1
        ON CONFLICT (name) DO UPDATE SET target = NULL, retired_at = excluded.retired_at";
    const SITE: &str = "INSERT INTO retired_feeds (name, target, retired_at) VALUES ($1, NULL, $2)
        ON CONFLICT (name) DO UPDATE SET target = NULL, retired_at = excluded.retired_at";
    session.execute(COLLECTIONS, &params![site_id, now]).await?;
    session.execute(SITE, &params![&format!("sites/{key}"), now]).await.map(drop)
}

/// Sends who asks for the feed of a collection to that of its site.
pub(super) async fn retire_collection(
    session: &mut Session<'_>,
    collection_id: i64,
    now: Millis,
) -> Result<()> {
    const RETIRE: &str = "INSERT INTO retired_feeds (name, target, retired_at)
        SELECT 'feeds/' || c.key, 'sites/' || s.key, CAST($2 AS BIGINT)
        FROM collections c JOIN sites s ON s.id = c.site_id WHERE c.id = $1
        ON CONFLICT (name) DO UPDATE SET target = excluded.target, retired_at = excluded.retired_at";
    session.execute(RETIRE, &params![collection_id, now]).await.map(drop)
}

/// A feed has that name again.
pub(super) async fn forget(session: &mut Session<'_>, name: &str) -> Result<()> {
    const FORGET: &str = "DELETE FROM retired_feeds WHERE name = $1";
    session.execute(FORGET, &params![name]).await.map(drop)
}
