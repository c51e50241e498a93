//! What all servers of one state know, and nobody else.

use super::Store;
use crate::engine::{Operation, Session, params};
use crate::error::Result;

impl Store {
    /// The secret of that name: the one that was put down first, which is this one if there is none yet.
    pub async fn secret(&self, name: &str, fresh: &str) -> Result<String> {
        let key = format!("secret {name}");
        self.engine().write(Secret { key, fresh: fresh.to_owned() }).await
    }
}

struct Secret {
    key: String,
    fresh: String,
}

impl Operation for Secret {
    type Output = String;

    async fn run(&self, session: &mut Session<'_>) -> Result<String> {
        const PUT: &str = "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        const GET: &str = "SELECT value FROM meta WHERE key = $1";
        session.execute(PUT, &params![&self.key, &self.fresh]).await?;
        let row = session.query_opt(GET, &params![&self.key]).await?;
        row.map_or_else(|| Ok(self.fresh.clone()), |mut row| row.text())
    }
}
