//! A SQLite file that is not as it should be. Row R6.

use std::fs;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tidings_store::{Location, Store, StoreError};

use crate::ground::Ground;
use crate::sample::{changes, follow, found, leased, outcome};

#[tokio::test]
async fn r6_busy_waits() {
    let ground = Ground::sqlite();
    let store = ground.open().await;
    let other = Connection::open(ground.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let holder = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        other.execute_batch("COMMIT").unwrap();
    });
    let begun = Instant::now();
    follow(&store, "a").await;
    assert!(begun.elapsed() > Duration::from_millis(1_500));
    holder.join().unwrap();
}

#[tokio::test]
async fn r6_busy_for_too_long() {
    let ground = Ground::sqlite();
    let store = ground.open().await;
    let other = Connection::open(ground.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Nobody waits longer than the others, and reading goes on.
    let (first, second) = tokio::join!(store.unfollow("a"), store.unfollow("b"));
    for refused in [first, second] {
        let error = refused.unwrap_err();
        assert!(matches!(error, StoreError::Busy { .. }), "{error}");
        assert!(error.to_string().contains(ground.file().parent().unwrap().to_str().unwrap()));
    }
    assert_eq!(store.counts().await.unwrap().sites, 0);
    other.execute_batch("COMMIT").unwrap();
    follow(&store, "a").await;
}

#[tokio::test]
async fn r6_wal_stays_small() {
    let ground = Ground::sqlite();
    let store = ground.open().await;
    let (followed, lease) = leased(&store, "a").await;
    let mut largest = 0;
    for _ in 0..100 {
        let tasks = (0..500).map(|_| {
            let (store, lease, poll) = (store.clone(), lease.clone(), outcome(followed.site.id));
            tokio::spawn(async move { store.finish(&lease, poll).await.unwrap() })
        });
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
        largest = largest.max(fs::metadata(ground.file().with_extension("db-wal")).unwrap().len());
    }
    assert!(largest < 64 << 20, "{largest}");
    drop(store);
    assert!(fs::metadata(ground.file()).unwrap().len() < 1 << 20);
}

#[tokio::test]
async fn r6_bad_page() {
    let ground = Ground::sqlite();
    let store = ground.open().await;
    let (followed, lease) = leased(&store, "a").await;
    store.finish(&lease, found(followed.site.id, "a", changes(0..5_000))).await.unwrap();
    drop(store);
    let mut bytes = fs::read(ground.file()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 20_000].fill(0x5a);
    fs::write(ground.file(), bytes).unwrap();
    let error = Store::open(&ground.location, None).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("backup"), "{error}");
}

#[tokio::test]
async fn r6_bad_page_while_open() {
    let ground = Ground::sqlite();
    let store = ground.open().await;
    let (followed, lease) = leased(&store, "a").await;
    let collection = followed.collections[0].id;
    store.finish(&lease, found(followed.site.id, "a", changes(0..5_000))).await.unwrap();
    // All pages are in the file itself, and then none of them is good.
    let other = Connection::open(ground.file()).unwrap();
    other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let length = fs::metadata(ground.file()).unwrap().len();
    let file = fs::OpenOptions::new().write(true).open(ground.file()).unwrap();
    use std::os::unix::fs::FileExt as _;
    file.write_all_at(&vec![0x5a; length as usize - 4_096], 4_096).unwrap();
    let error = store.changes(collection, 0, 10_000).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn r6_no_database() {
    for content in [
        "this is no database, and it is long enough to see that it is none".repeat(20),
        "x".to_owned(),
    ] {
        let ground = Ground::sqlite();
        fs::create_dir_all(ground.file().parent().unwrap()).unwrap();
        fs::write(ground.file(), content).unwrap();
        let error = Store::open(&ground.location, None).await.unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
}

#[tokio::test]
async fn r6_of_another_program() {
    let ground = Ground::sqlite();
    fs::create_dir_all(ground.file().parent().unwrap()).unwrap();
    Connection::open(ground.file()).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    let error = Store::open(&ground.location, None).await.unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn r6_missing() {
    let ground = Ground::sqlite();
    for _ in 0..2 {
        let error = Store::open_existing(&ground.location).await.unwrap_err();
        assert!(matches!(error, StoreError::Missing { .. }), "{error}");
        assert!(error.to_string().contains("follow a site first"), "{error}");
        assert!(!ground.file().exists());
        fs::create_dir_all(ground.file().parent().unwrap()).unwrap();
    }
    fs::write(ground.file(), "").unwrap();
    let error = Store::open_existing(&ground.location).await.unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    ground.open().await;
    Store::open_existing(&ground.location).await.unwrap();
}

#[tokio::test]
async fn r6_newer_tables() {
    let ground = Ground::sqlite();
    drop(ground.open().await);
    let other = Connection::open(ground.file()).unwrap();
    other.execute_batch("UPDATE meta SET value = '99' WHERE key = 'schema'").unwrap();
    for opened in
        [Store::open(&ground.location, None).await, Store::open_existing(&ground.location).await]
    {
        let error = opened.unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    }
}

#[tokio::test]
async fn r6_folder_is_none() {
    let ground = Ground::sqlite();
    fs::write(ground.file().parent().unwrap(), "").unwrap();
    let error = Store::open(&ground.location, None).await.unwrap_err();
    assert!(matches!(error, StoreError::Inaccessible { .. }), "{error}");
}

#[tokio::test]
async fn r6_read_only_folder() {
    // Where nobody writes, not even root.
    let location = Location::Folder("/proc/tidings".into());
    let error = Store::open(&location, None).await.unwrap_err();
    assert!(
        matches!(error, StoreError::Inaccessible { .. } | StoreError::ReadOnly { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn r6_read_only_file() {
    let ground = Ground::sqlite();
    drop(ground.open().await);
    let mut permissions = fs::metadata(ground.file()).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(ground.file(), permissions).unwrap();
    if fs::OpenOptions::new().write(true).open(ground.file()).is_ok() {
        println!("skipped: root writes everywhere");
        return;
    }
    let error = Store::open(&ground.location, None).await.unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_reads() {
    use std::os::unix::fs::PermissionsExt as _;
    let ground = Ground::sqlite();
    let store = ground.open().await;
    follow(&store, "a").await;
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(ground.file().parent().unwrap()), 0o700);
    for name in ["tidings.db", "tidings.db-wal", "tidings.db-shm"] {
        assert_eq!(mode(&ground.file().with_file_name(name)), 0o600, "{name}");
    }
}
