//! The sessions of users.

use super::{Store, users};
use crate::engine::{Execute, Operation, Row, Select, Session, Value, params};
use crate::error::Result;
use crate::{Millis, UserSession};

/// How long a session is used until that is written down again: reading should not always write.
const MINUTE: Millis = 60_000;

/// Who was away for longer than that visits anew.
const VISIT: Millis = 30 * MINUTE;

/// How many sessions a user has at the most.
const MOST: i64 = 50;

/// How much of what a browser calls itself is kept, in characters.
const ABOUT: usize = 300;

/// What is true of a session that has not ended, with the present as its first parameter and
/// [`idle_since`] as its second.
const LIVE: &str = "s.expires_at > $1 AND s.used_at >= $2";

/// A session, and when its user was last seen.
struct Found {
    session: UserSession,
    seen_at: Option<Millis>,
}

fn read(row: &mut Row) -> Result<Found> {
    let user = users::read(row)?;
    let session = UserSession {
        user,
        created_at: row.int()?,
        used_at: row.int()?,
        expires_at: row.int()?,
        about: row.text()?,
        visited: row.maybe_int()?,
    };
    Ok(Found { session, seen_at: row.maybe_int()? })
}

/// The sessions that have not ended.
fn live() -> String {
    format!(
        "SELECT {}, s.created_at, s.used_at, s.expires_at, s.about, u.visited_at, u.seen_at
         FROM sessions s JOIN users u ON u.id = s.user_id WHERE {LIVE}",
        users::COLUMNS
    )
}

fn idle_since(now: Millis) -> Millis {
    now - UserSession::IDLE
}

impl Store {
    /// Begins a session of a user, who has proved who they are, by the SHA-256 of what their browser
    /// will show. It lasts so long; a user who has very many loses the oldest ones. Nothing begins, and
    /// it returns false, if there is no such user, or none whose password has this hash: it may have
    /// been changed since it was checked.
    pub async fn begin_session(
        &self,
        user_id: i64,
        password: &str,
        digest: [u8; 32],
        about: &str,
        lasts: Millis,
    ) -> Result<bool> {
        let (password, about) = (password.to_owned(), about.chars().take(ABOUT).collect());
        self.engine().write(Begin { user_id, password, digest, about, lasts }).await
    }

    /// The session with that SHA-256, if it has not ended; remembers that it was used, and that the
    /// user was here. It is found by an index over digests: how long that takes says nothing about
    /// the sessions that there are.
    pub async fn session(&self, digest: [u8; 32]) -> Result<Option<UserSession>> {
        let now = self.now().await?;
        let Some(found) = self.engine().read(Find { digest, now }).await? else {
            return Ok(None);
        };
        let is_fresh = |at: Millis| now - at < MINUTE;
        if is_fresh(found.session.used_at) && found.seen_at.is_some_and(is_fresh) {
            return Ok(Some(found.session));
        }
        self.engine().write(Use { digest, user_id: found.session.user.id }).await
    }

    /// Ends a session; false if there is none.
    pub async fn end_session(&self, digest: [u8; 32]) -> Result<bool> {
        const END: &str = "DELETE FROM sessions WHERE digest = $1";
        let params = params![digest].into();
        Ok(self.engine().write(Execute { sql: END, params }).await? > 0)
    }

    /// Ends all sessions of a user but that one; says how many.
    pub async fn end_sessions(&self, user_id: i64, except: Option<[u8; 32]>) -> Result<u64> {
        const END: &str = "DELETE FROM sessions WHERE user_id = $1 AND digest <> $2";
        // No digest is empty.
        let except = except.map_or(Value::Bytes(Vec::new()), Value::from);
        self.engine().write(Execute { sql: END, params: vec![user_id.into(), except] }).await
    }

    /// The sessions of a user that have not ended, the last used first.
    pub async fn sessions(&self, user_id: i64) -> Result<Vec<UserSession>> {
        let now = self.now().await?;
        let sql = format!(
            "{} AND s.user_id = $3 ORDER BY s.used_at DESC, s.created_at DESC, s.digest",
            live()
        );
        let params = params![now, idle_since(now), user_id].into();
        let read = |row: &mut Row| read(row).map(|found| found.session);
        self.engine().read(Select { sql, params, read }).await
    }
}

struct Begin {
    user_id: i64,
    password: String,
    digest: [u8; 32],
    about: String,
    lasts: Millis,
}

impl Operation for Begin {
    type Output = bool;

    async fn run(&self, session: &mut Session<'_>) -> Result<bool> {
        const SIGNED_IN: &str =
            "UPDATE users SET signed_in_at = $2 WHERE id = $1 AND password = $3";
        const EXPIRED: &str = "DELETE FROM sessions WHERE expires_at <= $1";
        const OLDEST: &str = "DELETE FROM sessions WHERE digest IN (SELECT digest FROM sessions
            WHERE user_id = $1 ORDER BY created_at DESC, digest LIMIT $3 OFFSET $2)";
        const INSERT: &str = "INSERT INTO sessions \
            (digest, user_id, created_at, used_at, expires_at, about)
            VALUES ($1, $2, $3, $3, $4, $5)";
        let now = session.now().await?;
        let signed_in = params![self.user_id, now, &self.password];
        if session.execute(SIGNED_IN, &signed_in).await? == 0 {
            return Ok(false);
        }
        session.execute(EXPIRED, &params![now]).await?;
        // Before the new one is there: it is never among the oldest.
        session.execute(OLDEST, &params![self.user_id, MOST - 1, i64::MAX]).await?;
        let expires_at = now.saturating_add(self.lasts);
        let params = params![self.digest, self.user_id, now, expires_at, &self.about];
        session.execute(INSERT, &params).await?;
        Ok(true)
    }
}

struct Find {
    digest: [u8; 32],
    now: Millis,
}

impl Operation for Find {
    type Output = Option<Found>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Option<Found>> {
        let sql = format!("{} AND s.digest = $3", live());
        let params = params![self.now, idle_since(self.now), self.digest];
        session.query_opt(&sql, &params).await?.map(|mut row| read(&mut row)).transpose()
    }
}

/// Writes down that a session is used.
struct Use {
    digest: [u8; 32],
    user_id: i64,
}

impl Operation for Use {
    type Output = Option<UserSession>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Option<UserSession>> {
        // The conditions once more, because another session of the user may be used at the same
        // time. The user comes first wherever both are changed, so that nobody waits in a circle.
        const SEEN: &str = "UPDATE users SET \
            visited_at = CASE WHEN seen_at < $3 THEN seen_at ELSE visited_at END, seen_at = $2
            WHERE id = $1 AND (seen_at IS NULL OR seen_at <= $4)";
        const USED: &str = "UPDATE sessions SET used_at = $2 WHERE digest = $1 AND used_at <= $3";
        let now = session.now().await?;
        let find = Find { digest: self.digest, now };
        if find.run(session).await?.is_none() {
            return Ok(None);
        }
        let minute_ago = now - MINUTE;
        session.execute(SEEN, &params![self.user_id, now, now - VISIT, minute_ago]).await?;
        session.execute(USED, &params![self.digest, now, minute_ago]).await?;
        Ok(find.run(session).await?.map(|found| found.session))
    }
}
