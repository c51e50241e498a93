//! The tokens of those who may change something.

use super::Store;
use crate::engine::{Execute, Operation, Row, Select, Session, params};
use crate::error::Result;
use crate::{Millis, Scope, Token};

/// How long a token is used until that is written down again: reading should not always write.
const HOUR: Millis = 3_600_000;

fn read(row: &mut Row) -> Result<Token> {
    Ok(Token {
        name: row.text()?,
        scope: row.named(Scope::by_name)?,
        created_at: row.int()?,
        used_at: row.maybe_int()?,
    })
}

impl Store {
    /// Adds a token by the SHA-256 of it; false if there is one of that name.
    pub async fn add_token(&self, name: &str, scope: Scope, hash: [u8; 32]) -> Result<bool> {
        self.engine().write(Add { name: name.to_owned(), scope, hash }).await
    }

    /// The token with that SHA-256; remembers that it was used. It is found by an index over
    /// digests: how long that takes says nothing about the tokens that there are.
    pub async fn token(&self, hash: [u8; 32]) -> Result<Option<Token>> {
        let sql = "SELECT name, scope, created_at, used_at FROM tokens WHERE digest = $1";
        let params = params![hash].into();
        let found = self.engine().read(Select { sql: sql.to_owned(), params, read }).await?;
        let Some(token) = found.into_iter().next() else {
            return Ok(None);
        };
        let now = self.now().await?;
        if token.used_at.is_none_or(|used| now - used >= HOUR) {
            const USED: &str = "UPDATE tokens SET used_at = $2 WHERE digest = $1";
            let params = params![hash, now].into();
            self.engine().write(Execute { sql: USED, params }).await?;
            return Ok(Some(Token { used_at: Some(now), ..token }));
        }
        Ok(Some(token))
    }

    /// All tokens, by name.
    pub async fn tokens(&self) -> Result<Vec<Token>> {
        let sql = "SELECT name, scope, created_at, used_at FROM tokens ORDER BY name".to_owned();
        self.engine().read(Select { sql, params: Vec::new(), read }).await
    }

    /// Takes a token back; false if there is none of that name.
    pub async fn remove_token(&self, name: &str) -> Result<bool> {
        const REMOVE: &str = "DELETE FROM tokens WHERE name = $1";
        let params = params![name].into();
        Ok(self.engine().write(Execute { sql: REMOVE, params }).await? > 0)
    }
}

struct Add {
    name: String,
    scope: Scope,
    hash: [u8; 32],
}

impl Operation for Add {
    type Output = bool;

    async fn run(&self, session: &mut Session<'_>) -> Result<bool> {
        const ADD: &str = "INSERT INTO tokens (digest, name, scope, created_at)
            VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
        let now = session.now().await?;
        let params = params![self.hash, &self.name, self.scope.name(), now];
        Ok(session.execute(ADD, &params).await? > 0)
    }
}
