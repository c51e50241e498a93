//! Forgetting a site.

use super::{Store, hosts, retired, sites};
use crate::engine::{Operation, Session, params};
use crate::error::Result;

impl Store {
    /// Forgets a site and all of it but the names of its feeds; false if it was not known. A poll of it that goes on will find
    /// nothing to be recorded in.
    pub async fn unfollow(&self, key: &str) -> Result<bool> {
        self.engine().write(Unfollow { key: key.to_owned() }).await
    }
}

struct Unfollow {
    key: String,
}

impl Operation for Unfollow {
    type Output = bool;

    async fn run(&self, session: &mut Session<'_>) -> Result<bool> {
        // All that belongs to it goes with it, by its foreign keys.
        const SITE: &str = "DELETE FROM sites WHERE id = $1";
        const HOST: &str = "DELETE FROM hosts WHERE name = $1
            AND NOT EXISTS (SELECT 1 FROM sites WHERE host = $1)";
        let Some((id, host)) = sites::by_key(session, &self.key).await? else {
            return Ok(false);
        };
        hosts::lock(session, &host).await?;
        let now = session.now().await?;
        retired::retire_site(session, id, &self.key, now).await?;
        let deleted = session.execute(SITE, &params![id]).await?;
        session.execute(HOST, &params![&host]).await?;
        Ok(deleted > 0)
    }
}
