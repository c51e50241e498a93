//! Tests that backups go back below a store that is open, and that no lease of before counts any more.

use tidings_store::{StoreError, backup, restore};

use crate::ground::Ground;
use crate::sample::{MINUTE, changes, found, leased};
use crate::versions::first;

#[tokio::test]
async fn no_lease_outlives_a_restore() {
    let ground = Ground::sqlite();
    let store = ground.open().await;
    let (followed, early) = leased(&store, "a").await;
    let folder = ground.file().parent().unwrap().to_owned();
    let file = folder.with_file_name("backup.db");
    backup(&folder, &file).unwrap();
    store.release(&early).await.unwrap();
    let late = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    restore(&file, &folder, true).unwrap();
    // The lease that the backup has keeps nobody away, and who had one afterwards has lost it.
    let new = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    for lost in [early, late] {
        let poll = found(followed.site.id, "a", changes(0..3));
        let error = store.finish(&lost, poll).await.unwrap_err();
        assert!(matches!(error, StoreError::Fenced { .. }), "{error}");
    }
    let poll = found(followed.site.id, "a", changes(0..3));
    assert_eq!(store.finish(&new, poll).await.unwrap().changes, 3);
}

#[tokio::test]
async fn a_backup_of_an_older_version_is_brought_up_to_date() {
    let ground = Ground::sqlite();
    let store = ground.open().await;
    leased(&store, "new").await;
    let folder = ground.file().parent().unwrap().to_owned();
    let file = folder.with_file_name("backup.db");
    let old = rusqlite::Connection::open(&file).unwrap();
    old.execute_batch(&first(&ground)).unwrap();
    drop(old);
    restore(&file, &folder, true).unwrap();
    let site = store.site("a").await.unwrap().unwrap();
    assert_eq!((site.batches, site.forgotten), (2, 0));
    assert!(store.site("new").await.unwrap().is_none());
    // What a newer program wrote is refused, and what is there stays.
    let newer = rusqlite::Connection::open(&file).unwrap();
    newer.execute("UPDATE meta SET value = '999' WHERE key = 'schema'", []).unwrap();
    drop(newer);
    let error = restore(&file, &folder, true).unwrap_err();
    assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    assert!(store.site("a").await.unwrap().is_some());
}
