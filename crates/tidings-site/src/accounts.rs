//! The people who may sign in, and who of them is: `accounts.db` of the site's own state.

mod error;
mod schema;
mod sessions;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

pub use error::AccountsError;

/// Somebody who may sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// What they type to sign in. `Ann` and `ann` are the same.
    pub name: String,
    /// What they may see.
    pub roles: BTreeSet<String>,
    /// True if they may see and change everything.
    pub is_admin: bool,
}

/// All accounts and sessions. Calls wait for the disk, and are not for a thread that serves others.
#[derive(Debug)]
pub struct Accounts {
    connection: Mutex<Connection>,
    path: PathBuf,
    /// The generation as it was last seen.
    seen: AtomicU64,
}

type Result<T> = std::result::Result<T, AccountsError>;

impl Accounts {
    /// Opens those of that folder, or begins them. Only the owner can read the folder and the file.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = schema::make(folder)?;
        let connection = schema::prepare(&path)?;
        let accounts = Self { connection: Mutex::new(connection), path, seen: AtomicU64::new(0) };
        accounts.generation();
        Ok(accounts)
    }

    /// True if nobody may sign in yet.
    pub fn is_empty(&self) -> Result<bool> {
        self.read(|connection| {
            connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM account)", [], |row| row.get(0))
        })
    }

    /// Everybody, by name.
    pub fn list(&self) -> Result<Vec<Account>> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT name FROM account ORDER BY name")?;
            let names = statement.query_map([], |row| row.get(0))?;
            let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
            names.iter().filter_map(|name| account(connection, name).transpose()).collect()
        })
    }

    /// The account of that name, and the hash of its password as a PHC string.
    pub fn find(&self, name: &str) -> Result<Option<(Account, String)>> {
        self.read(|connection| {
            let Some(name) = known_name(connection, name)? else { return Ok(None) };
            let sql = "SELECT password FROM account WHERE name = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let password = statement.query_row([&name], |row| row.get(0)).optional()?;
            Ok(account(connection, &name)?.zip(password))
        })
    }

    /// Adds somebody. Whether the name and the password are good enough is for the caller to say.
    pub fn add(&self, account: &Account, password_hash: &str) -> Result<()> {
        self.write(|transaction| {
            if account.name.trim().is_empty() {
                return Err(AccountsError::NoName);
            }
            if known_name(transaction, &account.name)?.is_some() {
                return Err(AccountsError::Exists(account.name.clone()));
            }
            let sql =
                "INSERT OR IGNORE INTO account (name, password, is_admin) VALUES (?1, ?2, ?3)";
            let values = params![account.name, password_hash, account.is_admin];
            if transaction.execute(sql, values)? == 0 {
                return Err(AccountsError::Exists(account.name.clone()));
            }
            Ok(put_roles(transaction, &account.name, &account.roles)?)
        })
    }

    /// Gives somebody another password, and ends all of their sessions: who had the old one is out.
    pub fn set_password(&self, name: &str, password_hash: &str) -> Result<()> {
        self.write(|transaction| {
            let sql = "UPDATE account SET password = ?2 WHERE name = ?1";
            known(name, transaction.execute(sql, [name, password_hash])?)?;
            transaction.execute("DELETE FROM session WHERE name = ?1", [name])?;
            Ok(())
        })
    }

    /// The same for somebody whose old password was checked. False, and nothing is changed, if it was
    /// replaced since.
    pub fn change_password(&self, name: &str, old_hash: &str, new_hash: &str) -> Result<bool> {
        self.write(|transaction| {
            let is_changed = replace_hash(transaction, name, old_hash, new_hash)?;
            if is_changed {
                transaction.execute("DELETE FROM session WHERE name = ?1", [name])?;
            }
            Ok(is_changed)
        })
    }

    /// Replaces the hash of a password by another hash of the same password; sessions go on. False if the
    /// account does not have the old one any more.
    pub fn replace_hash(&self, name: &str, old: &str, new: &str) -> Result<bool> {
        self.write(|transaction| Ok(replace_hash(transaction, name, old, new)?))
    }

    /// Replaces what somebody may see and do; sessions go on with it. Somebody has to stay admin.
    pub fn set_roles(&self, name: &str, roles: &BTreeSet<String>, is_admin: bool) -> Result<()> {
        self.write(|transaction| {
            if !is_admin {
                keep_an_admin(transaction, name)?;
            }
            let sql = "UPDATE account SET is_admin = ?2 WHERE name = ?1";
            known(name, transaction.execute(sql, params![name, is_admin])?)?;
            transaction.execute("DELETE FROM role WHERE name = ?1", [name])?;
            Ok(put_roles(transaction, name, roles)?)
        })
    }

    /// Removes somebody, with their sessions. Somebody has to stay admin.
    pub fn remove(&self, name: &str) -> Result<()> {
        self.write(|transaction| {
            keep_an_admin(transaction, name)?;
            known(name, transaction.execute("DELETE FROM account WHERE name = ?1", [name])?)
        })
    }

    /// A number that is another after each write, also of another process. What was read before may be
    /// kept until then.
    ///
    /// It never waits: while another thread is at the file, it is the number of before.
    pub fn generation(&self) -> u64 {
        let connection = match self.connection.try_lock() {
            Ok(connection) => connection,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return self.seen.load(Ordering::Acquire),
        };
        let read = connection
            .prepare_cached("SELECT number FROM generation")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)));
        match read {
            Ok(number) => self.seen.store(number.unsigned_abs(), Ordering::Release),
            // What cannot be read is not to be relied on.
            Err(_) => drop(self.seen.fetch_add(1, Ordering::AcqRel)),
        }
        self.seen.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // Whoever panicked in the midst of a transaction has rolled it back by that.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        read(&self.lock()).map_err(AccountsError::at(&self.path))
    }

    /// Does it all, or nothing.
    fn write<T>(&self, write: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let mut connection = self.lock();
        // What is decided by reading has to be true still when it is written.
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(AccountsError::at(&self.path))?;
        let done = write(&transaction).map_err(|error| error.placed(&self.path))?;
        let committed = transaction
            .query_row("UPDATE generation SET number = number + 1 RETURNING number", [], |row| {
                row.get::<_, i64>(0)
            })
            .and_then(|number| transaction.commit().map(|()| number))
            .map_err(AccountsError::at(&self.path))?;
        self.seen.store(committed.unsigned_abs(), Ordering::Release);
        Ok(done)
    }
}

/// The name of the account that somebody means. The table folds ASCII alone; a name that differs from one
/// account by the case of other letters means that account, too.
fn known_name(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT name FROM account WHERE name = ?1";
    let exact = connection.prepare_cached(sql)?.query_row([name], |row| row.get(0)).optional()?;
    if exact.is_some() {
        return Ok(exact);
    }
    let folded = name.to_lowercase();
    let mut statement = connection.prepare_cached("SELECT name FROM account")?;
    let names = statement.query_map([], |row| row.get(0))?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
    let mut alike = names.into_iter().filter(|known| known.to_lowercase() == folded);
    // Of two that were made when only ASCII was folded, each has to be typed as it is.
    Ok(alike.next().filter(|_| alike.next().is_none()))
}

fn account(connection: &Connection, name: &str) -> rusqlite::Result<Option<Account>> {
    let sql = "SELECT name, is_admin FROM account WHERE name = ?1";
    let found = connection.prepare_cached(sql)?.query_row([name], |row| {
        Ok(Account { name: row.get(0)?, roles: BTreeSet::new(), is_admin: row.get(1)? })
    });
    let Some(mut account) = found.optional()? else { return Ok(None) };
    let mut statement = connection.prepare_cached("SELECT role FROM role WHERE name = ?1")?;
    let roles = statement.query_map([name], |row| row.get(0))?;
    account.roles = roles.collect::<rusqlite::Result<_>>()?;
    Ok(Some(account))
}

fn replace_hash(
    transaction: &Transaction<'_>,
    name: &str,
    old: &str,
    new: &str,
) -> rusqlite::Result<bool> {
    let sql = "UPDATE account SET password = ?3 WHERE name = ?1 AND password = ?2";
    Ok(transaction.execute(sql, [name, old, new])? > 0)
}

fn put_roles(
    transaction: &Transaction<'_>,
    name: &str,
    roles: &BTreeSet<String>,
) -> rusqlite::Result<()> {
    let mut statement =
        transaction.prepare_cached("INSERT INTO role (name, role) VALUES (?1, ?2)")?;
    roles.iter().try_for_each(|role| statement.execute([name, role]).map(drop))
}

fn known(name: &str, rows: usize) -> Result<()> {
    if rows == 0 { Err(AccountsError::Unknown(name.to_owned())) } else { Ok(()) }
}

/// Fails if there is no other admin than that one, who is one.
fn keep_an_admin(transaction: &Transaction<'_>, name: &str) -> Result<()> {
    let is_last = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM account WHERE name = ?1 AND is_admin)
             AND NOT EXISTS (SELECT 1 FROM account WHERE name <> ?1 AND is_admin)",
        [name],
        |row| row.get(0),
    )?;
    if is_last { Err(AccountsError::LastAdmin(name.to_owned())) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
