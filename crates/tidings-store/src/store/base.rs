//! Where the service is.

use super::Store;
use crate::engine::{Execute, Row, Select, params};
use crate::error::Result;

const NAME: &str = "base";

fn read(row: &mut Row) -> Result<String> {
    row.text()
}

impl Store {
    /// Where a server of this state last said it is: its base URL.
    pub async fn base(&self) -> Result<Option<String>> {
        let sql = "SELECT value FROM meta WHERE key = $1".to_owned();
        let found = self.engine().read(Select { sql, params: params![NAME].into(), read }).await?;
        Ok(found.into_iter().next())
    }

    /// Remembers it.
    pub async fn set_base(&self, base: &str) -> Result<()> {
        const SET: &str = "INSERT INTO meta (key, value) VALUES ($1, $2)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        let params = params![NAME, base].into();
        self.engine().write(Execute { sql: SET, params }).await.map(drop)
    }
}
