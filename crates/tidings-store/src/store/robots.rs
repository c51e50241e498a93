//! What the robots.txt of origins said.

use super::Store;
use crate::RobotsRecord;
use crate::engine::{Execute, Row, Select, params};
use crate::error::Result;

fn read(row: &mut Row) -> Result<RobotsRecord> {
    Ok(RobotsRecord {
        fetched_at: row.int()?,
        body: row.maybe_bytes()?,
        obstacle: row.maybe_text()?,
    })
}

impl Store {
    /// The robots.txt of an origin, if it was fetched.
    pub async fn robots(&self, origin: &str) -> Result<Option<RobotsRecord>> {
        let sql = "SELECT fetched_at, body, obstacle FROM robots WHERE origin = $1".to_owned();
        let found =
            self.engine().read(Select { sql, params: params![origin].into(), read }).await?;
        Ok(found.into_iter().next())
    }

    /// Remembers it.
    pub async fn put_robots(&self, origin: &str, record: &RobotsRecord) -> Result<()> {
        const PUT: &str = "INSERT INTO robots (origin, fetched_at, body, obstacle)
            VALUES ($1, $2, $3, $4)
            ON CONFLICT (origin) DO UPDATE SET fetched_at = excluded.fetched_at, \
            body = excluded.body, obstacle = excluded.obstacle";
        let body = record.body.as_deref();
        let params = params![origin, record.fetched_at, body, record.obstacle.as_ref()].into();
        self.engine().write(Execute { sql: PUT, params }).await.map(drop)
    }
}
