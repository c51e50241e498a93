//! How the databases of a site are opened: they may have been opened by other programs as well.

use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

/// How long a connection waits for another program that has the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Sets a connection up: it waits for others, and what it commits survives a power cut.
pub(crate) fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let is_busy =
        |error: &rusqlite::Error| error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
    tidings_base::retry_while_busy(BUSY_TIMEOUT, is_busy, || {
        connection.execute_batch("PRAGMA journal_mode = WAL")
    })?;
    // One fsync for each commit.
    connection.execute_batch("PRAGMA synchronous = FULL")
}
