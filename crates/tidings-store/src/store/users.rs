//! The users who may sign in.

use super::Store;
use crate::engine::{Execute, Operation, Row, Select, Session, Value, params};
use crate::error::Result;
use crate::{Role, User, UserChange};

/// What [`read`] wants of a row, in that order.
pub(super) const COLUMNS: &str = "u.id, u.name, u.role, u.created_at, u.signed_in_at";

pub(super) fn read(row: &mut Row) -> Result<User> {
    Ok(User {
        id: row.int()?,
        name: row.text()?,
        role: row.named(Role::by_name)?,
        created_at: row.int()?,
        signed_in_at: row.maybe_int()?,
    })
}

impl Store {
    /// All users, by name.
    pub async fn users(&self) -> Result<Vec<User>> {
        let sql = format!("SELECT {COLUMNS} FROM users u ORDER BY u.folded");
        self.engine().read(Select { sql, params: Vec::new(), read }).await
    }

    /// True if there is any user.
    pub async fn has_users(&self) -> Result<bool> {
        let sql = "SELECT id FROM users LIMIT 1".to_owned();
        let found = self.engine().read(Select { sql, params: Vec::new(), read: Row::int }).await?;
        Ok(!found.is_empty())
    }

    /// A user by name, without regard to case, and the hash of their password.
    pub async fn user(&self, name: &str) -> Result<Option<(User, String)>> {
        // No text of PostgreSQL has this character, and to ask for one is an error.
        if name.contains('\0') {
            return Ok(None);
        }
        let sql = format!("SELECT {COLUMNS}, u.password FROM users u WHERE u.folded = $1");
        let read = |row: &mut Row| Ok((read(row)?, row.text()?));
        let params = params![&folded(name)].into();
        let found = self.engine().read(Select { sql, params, read }).await?;
        Ok(found.into_iter().next())
    }

    /// A user by their number.
    pub async fn user_by_id(&self, id: i64) -> Result<Option<User>> {
        let sql = format!("SELECT {COLUMNS} FROM users u WHERE u.id = $1");
        let found = self.engine().read(Select { sql, params: params![id].into(), read }).await?;
        Ok(found.into_iter().next())
    }

    /// Adds a user by the hash of their password; none if the name is taken.
    pub async fn add_user(&self, name: &str, role: Role, password: &str) -> Result<Option<User>> {
        let (name, password) = (name.to_owned(), password.to_owned());
        self.engine().write(Add { name, role, password, is_first: false }).await
    }

    /// Adds the first user, who is an admin; none if there is any user. Of several who try at the
    /// same time, one is the first.
    pub async fn add_first_user(&self, name: &str, password: &str) -> Result<Option<User>> {
        let (name, password) = (name.to_owned(), password.to_owned());
        self.engine().write(Add { name, role: Role::Admin, password, is_first: true }).await
    }

    /// Changes what a user may do, from their next request on.
    pub async fn set_role(&self, id: i64, role: Role) -> Result<UserChange> {
        self.engine().write(Change { id, turn: Turn::Role(role) }).await
    }

    /// Changes the password of a user, by its hash, and ends all their sessions.
    pub async fn set_password(&self, id: i64, password: &str) -> Result<UserChange> {
        let turn = Turn::Password { old: None, new: password.to_owned() };
        self.engine().write(Change { id, turn }).await
    }

    /// The same for a user whose old password was checked. If it was replaced since, nothing is changed:
    /// there is no user with that password.
    pub async fn change_password(&self, id: i64, old: &str, new: &str) -> Result<UserChange> {
        let turn = Turn::Password { old: Some(old.to_owned()), new: new.to_owned() };
        self.engine().write(Change { id, turn }).await
    }

    /// Replaces the hash of a password by another hash of the same password; sessions go on. False if
    /// the user does not have the old one any more.
    pub async fn replace_password_hash(&self, id: i64, old: &str, new: &str) -> Result<bool> {
        const REPLACE: &str = "UPDATE users SET password = $3 WHERE id = $1 AND password = $2";
        let params = params![id, old, new].into();
        Ok(self.engine().write(Execute { sql: REPLACE, params }).await? > 0)
    }

    /// Removes a user and their sessions. What they did stays known.
    pub async fn remove_user(&self, id: i64) -> Result<UserChange> {
        self.engine().write(Change { id, turn: Turn::Remove }).await
    }
}

/// What a name is compared by.
fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// Locks the list of users until the end of the transaction, so that nobody else adds the first user
/// or takes away the last admin in the meantime: by a row that is always there.
async fn lock(session: &mut Session<'_>) -> Result<()> {
    const LOCK: &str = "SELECT value FROM meta WHERE key = 'schema' FOR UPDATE";
    session.query_opt(LOCK, &[]).await.map(drop)
}

struct Add {
    name: String,
    role: Role,
    password: String,
    /// True if it is added only where there is none.
    is_first: bool,
}

impl Operation for Add {
    type Output = Option<User>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Option<User>> {
        const ANY: &str = "SELECT id FROM users LIMIT 1";
        const ADD: &str = "INSERT INTO users (name, folded, role, password, created_at)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id";
        lock(session).await?;
        if self.is_first && session.query_opt(ANY, &[]).await?.is_some() {
            return Ok(None);
        }
        let now = session.now().await?;
        let params =
            params![&self.name, &folded(&self.name), self.role.name(), &self.password, now];
        let Some(mut row) = session.query_opt(ADD, &params).await? else {
            return Ok(None);
        };
        find(session, row.int()?).await
    }
}

async fn find(session: &mut Session<'_>, id: i64) -> Result<Option<User>> {
    let sql = format!("SELECT {COLUMNS} FROM users u WHERE u.id = $1");
    let row = session.query_opt(&sql, &params![id]).await?;
    row.map(|mut row| read(&mut row)).transpose()
}

struct Change {
    id: i64,
    turn: Turn,
}

enum Turn {
    Role(Role),
    /// Another password, if this is still the hash of the old one.
    Password {
        old: Option<String>,
        new: String,
    },
    Remove,
}

impl Operation for Change {
    type Output = UserChange;

    async fn run(&self, session: &mut Session<'_>) -> Result<UserChange> {
        const ROLE: &str = "UPDATE users SET role = $2 WHERE id = $1";
        const PASSWORD: &str = "UPDATE users SET password = $2 WHERE id = $1";
        const CHECKED_PASSWORD: &str =
            "UPDATE users SET password = $2 WHERE id = $1 AND password = $3";
        const SESSIONS: &str = "DELETE FROM sessions WHERE user_id = $1";
        const READS: &str = "DELETE FROM post_reads WHERE reader = $1";
        const SEARCHES: &str = "DELETE FROM saved_searches WHERE owner = $1";
        const LEFT_OUT: &str = "DELETE FROM left_out_sites WHERE reader = $1";
        const REMOVE: &str = "DELETE FROM users WHERE id = $1";
        lock(session).await?;
        let Some(user) = find(session, self.id).await? else {
            return Ok(UserChange::Unknown);
        };
        let stays_admin = match self.turn {
            Turn::Role(role) => role == Role::Admin,
            Turn::Password { .. } => true,
            Turn::Remove => false,
        };
        if user.role == Role::Admin && !stays_admin && admins(session).await? == 1 {
            return Ok(UserChange::LastAdmin);
        }
        let id = Value::from(self.id);
        match &self.turn {
            Turn::Role(role) => session.execute(ROLE, &[id, role.name().into()]).await?,
            Turn::Password { old, new } => {
                let set = match old {
                    Some(old) => {
                        let values = [id.clone(), new.into(), old.into()];
                        session.execute(CHECKED_PASSWORD, &values).await?
                    }
                    None => session.execute(PASSWORD, &[id.clone(), new.into()]).await?,
                };
                if set == 0 {
                    return Ok(UserChange::Unknown);
                }
                session.execute(SESSIONS, &[id]).await?
            }
            Turn::Remove => {
                for theirs in [READS, SEARCHES, LEFT_OUT] {
                    session.execute(theirs, std::slice::from_ref(&id)).await?;
                }
                session.execute(REMOVE, &[id]).await?
            }
        };
        Ok(UserChange::Done)
    }
}

async fn admins(session: &mut Session<'_>) -> Result<i64> {
    const ADMINS: &str = "SELECT count(*) FROM users WHERE role = $1";
    let row = session.query_opt(ADMINS, &params![Role::Admin.name()]).await?;
    row.map_or(Ok(0), |mut row| row.int())
}
