//! The text of pages, to show what is different the next time.

use super::snapshots::OfSite;
use super::{Store, digest};
use crate::engine::{Select, params};
use crate::error::Result;

impl Store {
    /// The text of a page as it was last seen.
    pub async fn page_text(&self, site_id: i64, uri: &str) -> Result<Option<String>> {
        let sql = "SELECT text FROM pages WHERE site_id = $1 AND uri_digest = $2".to_owned();
        let params = params![site_id, digest(uri)].into();
        let found = self.engine().read(Select { sql, params, read: |row| row.text() }).await?;
        Ok(found.into_iter().next())
    }

    /// Remembers it, unless the site was unfollowed in the meantime.
    pub async fn put_page_text(&self, site_id: i64, uri: &str, text: &str) -> Result<()> {
        const PUT: &str = "INSERT INTO pages (site_id, uri_digest, text) VALUES ($1, $2, $3)
            ON CONFLICT (site_id, uri_digest) DO UPDATE SET text = excluded.text";
        let params = params![site_id, digest(uri), text].into();
        self.engine().write(OfSite { sql: PUT, site_id, params }).await
    }
}
