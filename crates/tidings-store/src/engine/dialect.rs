//! Where the two databases do not speak alike.
//!
//! Statements are PostgreSQL's. What SQLite has to be told differently can be said by replacing a
//! few words, which keeps every statement one text, written and read once.

/// What locks rows. SQLite has one writer, who has the whole file.
const LOCKS: [&str; 3] = [" FOR UPDATE SKIP LOCKED", " FOR UPDATE", " FOR KEY SHARE"];

/// Room in each page for the next version of its rows, and early cleaning: for rows that change all
/// the time.
const BUSY_ROWS: &str = " WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)";

/// Keeps a SQLite table in the order of its key, without a number for each row.
const BY_KEY: &str = " WITHOUT ROWID";

/// A statement with parameters, for SQLite.
pub(super) fn for_sqlite(statement: &str) -> String {
    let mut text = statement.replace('$', "?");
    for lock in LOCKS {
        text = text.replace(lock, "");
    }
    text
}

/// A script that makes tables, for SQLite. Numbers are never used again: who still has one that was
/// deleted must not meet another row by it.
pub(super) fn tables_for_sqlite(script: &str) -> String {
    script
        .replace(BUSY_ROWS, "")
        .replace(
            "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
            "INTEGER PRIMARY KEY AUTOINCREMENT",
        )
        .replace("BYTEA", "BLOB")
}

/// The same for PostgreSQL, where text is to be compared byte by byte as SQLite does, and not as the
/// database's language sorts it.
pub(super) fn tables_for_postgres(script: &str) -> String {
    script.replace(BY_KEY, "").replace(" TEXT", " TEXT COLLATE \"C\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_locks() {
        let sql = "SELECT a FROM t WHERE b = $1 AND c > $12 LIMIT $2 FOR UPDATE SKIP LOCKED";
        assert_eq!(for_sqlite(sql), "SELECT a FROM t WHERE b = ?1 AND c > ?12 LIMIT ?2");
        assert_eq!(for_sqlite("SELECT 1 FOR UPDATE"), "SELECT 1");
        assert_eq!(for_sqlite("SELECT 1 FOR KEY SHARE"), "SELECT 1");
    }

    #[test]
    fn tables() {
        let script = "CREATE TABLE t (a TEXT, b BYTEA) WITHOUT ROWID \
                      WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);";
        assert_eq!(tables_for_sqlite(script), "CREATE TABLE t (a TEXT, b BLOB) WITHOUT ROWID;");
        assert_eq!(
            tables_for_postgres(script),
            "CREATE TABLE t (a TEXT COLLATE \"C\", b BYTEA) \
             WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);"
        );
    }
}
