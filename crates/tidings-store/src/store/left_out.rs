//! Records which sites a user leaves out of their feed of everything.

use super::Store;
use crate::engine::{Execute, Row, Select, params};
use crate::error::Result;

impl Store {
    /// Leaves a site out of the feed of everything of a user, or puts it back.
    pub async fn set_left_out(&self, reader: i64, site_id: i64, left_out: bool) -> Result<()> {
        const LEAVE_OUT: &str = "INSERT INTO left_out_sites (reader, site_id)
            SELECT CAST($1 AS BIGINT), id FROM sites WHERE id = $2 ON CONFLICT DO NOTHING";
        const PUT_BACK: &str = "DELETE FROM left_out_sites WHERE reader = $1 AND site_id = $2";
        let sql = if left_out { LEAVE_OUT } else { PUT_BACK };
        let params = params![reader, site_id].into();
        self.engine().write(Execute { sql, params }).await.map(drop)
    }

    /// Whether a user leaves that site out.
    pub async fn is_left_out(&self, reader: i64, site_id: i64) -> Result<bool> {
        let sql = "SELECT site_id FROM left_out_sites WHERE reader = $1 AND site_id = $2";
        let params = params![reader, site_id].into();
        let read = |row: &mut Row| row.int();
        let found = self.engine().read(Select { sql: sql.to_owned(), params, read }).await?;
        Ok(!found.is_empty())
    }
}
