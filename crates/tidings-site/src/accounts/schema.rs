//! The file and its tables.

use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{AccountsError, Result};
use crate::database;

const FILE: &str = "accounts.db";

/// The version of the tables, in the file's own `user_version`.
const VERSION: i64 = 1;

const TABLES: &str = "
-- NOCASE folds ASCII only, which is what names are compared by.
CREATE TABLE account (
    name TEXT PRIMARY KEY COLLATE NOCASE,
    password TEXT NOT NULL,
    is_admin INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE role (
    name TEXT NOT NULL COLLATE NOCASE REFERENCES account (name) ON DELETE CASCADE,
    role TEXT NOT NULL,
    PRIMARY KEY (name, role)
) WITHOUT ROWID;

-- The secret of a session is not here, and cannot be had from its digest. Times are seconds.
CREATE TABLE session (
    digest BLOB PRIMARY KEY,
    name TEXT NOT NULL COLLATE NOCASE REFERENCES account (name) ON DELETE CASCADE,
    until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX session_name ON session (name);
CREATE INDEX session_until ON session (until);

CREATE TABLE generation (number INTEGER NOT NULL);
INSERT INTO generation VALUES (1);
";

/// Makes the folder and the file, for the owner alone, and says where it is.
pub(super) fn make(folder: &Path) -> Result<PathBuf> {
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above).map_err(AccountsError::io(above))?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let owners = Permissions::from_mode(0o700);
            std::fs::set_permissions(folder, owners).map_err(AccountsError::io(folder))?;
        }
        made => made.map_err(AccountsError::io(folder))?,
    }
    let path = folder.join(FILE);
    // Made before SQLite would, as everybody's; its journals get the same mode.
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file = options.custom_flags(no_follow).open(&path).map_err(AccountsError::io(&path))?;
    file.set_permissions(Permissions::from_mode(0o600)).map_err(AccountsError::io(&path))?;
    Ok(path)
}

/// Opens the file, and makes the tables if they are not there.
pub(super) fn prepare(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connect = || {
        let mut connection = Connection::open_with_flags(path, flags)?;
        database::set_up(&connection)?;
        connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;")?;
        // Two that begin at once: the second finds what the first has made.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version == 0 {
            transaction.execute_batch(TABLES)?;
            transaction.execute_batch(&format!("PRAGMA user_version = {VERSION}"))?;
        }
        transaction.commit()?;
        Ok((connection, version))
    };
    match connect().map_err(AccountsError::at(path))? {
        (connection, 0 | VERSION) => Ok(connection),
        (_, version) => {
            Err(AccountsError::Newer { path: path.to_owned(), version, known: VERSION })
        }
    }
}
