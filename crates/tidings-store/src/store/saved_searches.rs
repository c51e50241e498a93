//! Adds, lists and removes saved searches.

use super::Store;
use crate::SavedSearch;
use crate::engine::{Execute, Operation, Row, Select, Session, params};
use crate::error::Result;

const COLUMNS: &str = "id, owner, name, query, created_at";

fn read(row: &mut Row) -> Result<SavedSearch> {
    Ok(SavedSearch {
        id: row.int()?,
        owner: row.int()?,
        name: row.text()?,
        query: row.text()?,
        created_at: row.int()?,
    })
}

impl Store {
    /// Saves a search; none if the owner has [as many as they may](SavedSearch::MAX_PER_OWNER).
    pub async fn save_search(
        &self,
        owner: i64,
        name: &str,
        query: &str,
    ) -> Result<Option<SavedSearch>> {
        let (name, query) = (name.to_owned(), query.to_owned());
        self.engine().write(Save { owner, name, query }).await
    }

    /// The searches that a user saved, in the order of their numbers.
    pub async fn saved_searches(&self, owner: i64) -> Result<Vec<SavedSearch>> {
        let sql = format!("SELECT {COLUMNS} FROM saved_searches WHERE owner = $1 ORDER BY id");
        self.engine().read(Select { sql, params: params![owner].into(), read }).await
    }

    /// A saved search by its number.
    pub async fn saved_search(&self, id: i64) -> Result<Option<SavedSearch>> {
        let sql = format!("SELECT {COLUMNS} FROM saved_searches WHERE id = $1");
        let found = self.engine().read(Select { sql, params: params![id].into(), read }).await?;
        Ok(found.into_iter().next())
    }

    /// Removes a search of that owner; false if they have none of that number.
    pub async fn remove_search(&self, owner: i64, id: i64) -> Result<bool> {
        const REMOVE: &str = "DELETE FROM saved_searches WHERE owner = $1 AND id = $2";
        let params = params![owner, id].into();
        Ok(self.engine().write(Execute { sql: REMOVE, params }).await? > 0)
    }
}

struct Save {
    owner: i64,
    name: String,
    query: String,
}

impl Operation for Save {
    type Output = Option<SavedSearch>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Self::Output> {
        const COUNT: &str = "SELECT count(*) FROM saved_searches WHERE owner = $1";
        const SAVE: &str = "INSERT INTO saved_searches (owner, name, query, created_at)
            VALUES ($1, $2, $3, $4) RETURNING id, owner, name, query, created_at";
        let count = session.query_opt(COUNT, &params![self.owner]).await?;
        let count = count.map_or(Ok(0), |mut row| row.int())?;
        if count >= SavedSearch::MAX_PER_OWNER {
            return Ok(None);
        }
        let now = session.now().await?;
        let params = params![self.owner, &self.name, &self.query, now];
        let row = session.query_opt(SAVE, &params).await?;
        row.map(|mut row| read(&mut row)).transpose()
    }
}
