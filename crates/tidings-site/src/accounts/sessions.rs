//! Who is signed in.

use rusqlite::{OptionalExtension as _, params};

use super::{Account, Accounts, Result, account};

/// The number of sessions that an account has at most.
const MAX_SESSIONS: i64 = 50;

impl Accounts {
    /// Lets somebody in until then, by a secret that only their browser has: this is its digest. Times
    /// are seconds of Unix.
    ///
    /// Nothing begins, and it returns false, if there is no such account, or none whose password has this
    /// hash: it may have been changed since it was checked. An account with 50 sessions loses the one that
    /// would end first.
    pub fn begin_session(
        &self,
        name: &str,
        password_hash: &str,
        secret_digest: [u8; 32],
        now: i64,
        until: i64,
    ) -> Result<bool> {
        self.write(|transaction| {
            // It is the one time that there is to clear up anyway.
            transaction.execute("DELETE FROM session WHERE until <= ?1", [now])?;
            let sql = "SELECT 1 FROM account WHERE name = ?1 AND password = ?2";
            if !transaction.prepare_cached(sql)?.exists([name, password_hash])? {
                return Ok(false);
            }
            let sql = "DELETE FROM session WHERE digest IN (SELECT digest FROM session
                WHERE name = ?1 ORDER BY until DESC, digest LIMIT -1 OFFSET ?2)";
            transaction.execute(sql, params![name, MAX_SESSIONS - 1])?;
            let sql = "INSERT OR REPLACE INTO session (digest, name, until) VALUES (?1, ?2, ?3)";
            transaction.execute(sql, params![secret_digest, name, until])?;
            Ok(true)
        })
    }

    /// Who has that session, as they are now; none once it is over. Who keeps the answer until
    /// [`generation`](Self::generation) is another has to mind the session's end as well.
    pub fn session(&self, secret_digest: [u8; 32], now: i64) -> Result<Option<Account>> {
        self.read(|connection| {
            let sql = "SELECT name FROM session WHERE digest = ?1 AND until > ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let name = statement.query_row(params![secret_digest, now], |row| row.get(0));
            let name: Option<String> = name.optional()?;
            name.map_or(Ok(None), |name| account(connection, &name))
        })
    }

    /// Ends a session; it may be over already.
    pub fn end_session(&self, secret_digest: [u8; 32]) -> Result<()> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM session WHERE digest = ?1", [secret_digest])?;
            Ok(())
        })
    }

    /// Ends all sessions of somebody.
    pub fn end_sessions(&self, name: &str) -> Result<()> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM session WHERE name = ?1", [name])?;
            Ok(())
        })
    }
}
