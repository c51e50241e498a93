//! What people did.

use super::Store;
use crate::engine::{Operation, Row, Select, Session, params};
use crate::error::Result;
use crate::{Act, NewAct};

/// How many are kept.
const KEPT: i64 = 100_000;

/// After how many the oldest are deleted: all at once costs less than one by one.
const ROUND: i64 = 1_000;

fn read(row: &mut Row) -> Result<Act> {
    Ok(Act {
        id: row.int()?,
        at: row.int()?,
        actor: row.text()?,
        act: row.text()?,
        object: row.text()?,
        detail: row.text()?,
    })
}

impl Store {
    /// Remembers that somebody did something, now.
    pub async fn record_act(&self, act: NewAct<'_>) -> Result<()> {
        let [actor, act, object, detail] =
            [act.actor, act.act, act.object, act.detail].map(str::to_owned);
        self.engine().write(Record { actor, act, object, detail }).await
    }

    /// What was done, the newest first, before the act of that number. The last hundred thousand are
    /// kept, and some that came before them.
    pub async fn acts(&self, before: Option<i64>, limit: u32) -> Result<Vec<Act>> {
        let sql = "SELECT id, at, actor, act, object, detail FROM acts WHERE id < $1
            ORDER BY id DESC LIMIT $2"
            .to_owned();
        let params = params![before.unwrap_or(i64::MAX), limit].into();
        self.engine().read(Select { sql, params, read }).await
    }
}

struct Record {
    actor: String,
    act: String,
    object: String,
    detail: String,
}

impl Operation for Record {
    type Output = ();

    async fn run(&self, session: &mut Session<'_>) -> Result<()> {
        const INSERT: &str = "INSERT INTO acts (at, actor, act, object, detail)
            VALUES ($1, $2, $3, $4, $5) RETURNING id";
        const FORGET: &str = "DELETE FROM acts WHERE id <= $1";
        let now = session.now().await?;
        let params = params![now, &self.actor, &self.act, &self.object, &self.detail];
        let row = session.query_opt(INSERT, &params).await?;
        let id = row.map_or(Ok(0), |mut row| row.int())?;
        if id % ROUND == 0 && id > KEPT {
            session.execute(FORGET, &params![id - KEPT]).await?;
        }
        Ok(())
    }
}
