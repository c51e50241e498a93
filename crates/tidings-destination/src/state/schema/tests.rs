use super::*;

/// A file as the first version of these tables left it.
fn first_version(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    apply(&connection, path, &STEPS[..1]).unwrap();
    let row = "INSERT INTO run (ended, report) VALUES ('2026-01-01T00:00:00Z', '{}')";
    connection.execute_batch(row).unwrap();
    connection
}

#[test]
fn a_file_of_the_first_version_gets_the_steps_since() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    drop(first_version(&path));
    for _ in 0..2 {
        let connection = Connection::open(&path).unwrap();
        prepare(&connection, &path).unwrap();
        assert_eq!(version(&connection).unwrap(), STEPS.len() as i64);
        let sql = "SELECT kind, outcome, error, report FROM run";
        let row: (String, Option<String>, Option<String>, String) = connection
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .unwrap();
        assert_eq!(row, ("sync".to_owned(), None, None, "{}".to_owned()));
    }
}

#[test]
fn a_new_file_and_a_migrated_file_have_the_same_tables() {
    let folder = tempfile::tempdir().unwrap();
    let columns = |path: &Path| {
        let connection = Connection::open(path).unwrap();
        prepare(&connection, path).unwrap();
        let sql = "SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c
            WHERE m.type = 'table' ORDER BY 1, c.cid";
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement
            .query_map([], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
            })
            .unwrap();
        rows.collect::<Result<Vec<_>, _>>().unwrap()
    };
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    drop(first_version(&old));
    assert_eq!(columns(&old), columns(&new));
}

#[test]
fn runs_that_migrate_at_once_apply_each_step_once() {
    // Often enough that two of them also turn the write-ahead log on at the same moment.
    for _ in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        drop(first_version(&path));
        let begin = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let connection = Connection::open(&path).unwrap();
                    begin.wait();
                    prepare(&connection, &path).unwrap();
                });
            }
        });
    }
}

#[test]
fn a_step_that_fails_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let connection = first_version(&path);
    let steps = [TABLES, "CREATE TABLE half (a TEXT); SELECT nothing FROM nowhere;"];
    assert!(apply(&connection, &path, &steps).is_err());
    assert_eq!(version(&connection).unwrap(), 1);
    let half = "SELECT count(*) FROM sqlite_schema WHERE name = 'half'";
    assert_eq!(connection.query_row(half, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
    prepare(&connection, &path).unwrap();
}

#[test]
fn a_file_of_a_later_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    let connection = Connection::open(&path).unwrap();
    prepare(&connection, &path).unwrap();
    connection.execute_batch("PRAGMA user_version = 999").unwrap();
    let error = prepare(&connection, &path).unwrap_err();
    assert!(matches!(error, SyncError::NewerState { version: 999, .. }), "{error}");
}
