//! Tests that changes are kept for a while, and forgotten in whole archives.

use tidings_store::{ChangeFilter, Lease, Retention, Store};

use crate::ground::Ground;
use crate::sample::{change, changes, found, leased};

mod forgetting {
    use super::{by_age, by_number, never_the_newest, not_told_again, undated_entries};
    grounds! { by_age, by_number, never_the_newest, not_told_again, undated_entries }
}

const ARCHIVE: i64 = Retention::BATCHES_PER_ARCHIVE;

const BY_AGE: Retention = Retention { max_age: Some(1_000_000), max_changes: None };

/// A collection with batches of three changes each, the first of which are old.
async fn with_batches(ground: &Ground, store: &Store, count: u64, old: u64) -> (i64, i64, Lease) {
    let (followed, lease) = leased(store, "a").await;
    for number in 0..count {
        let outcome = found(followed.site.id, "a", changes(number * 3..number * 3 + 3));
        store.finish(&lease, outcome).await.unwrap();
    }
    ground.run(&format!("UPDATE batches SET seen_at = 5000 WHERE sequence <= {old}")).await;
    (followed.site.id, followed.collections[0].id, lease)
}

/// Forgets all there is to be forgotten, and says how many changes that were.
async fn forget(store: &Store, retention: &Retention) -> u64 {
    let (mut after, mut forgotten) = (0, 0);
    while let Some(step) = store.forget_step(retention, after).await.unwrap() {
        assert!(step.changes <= 1_000, "steps are small");
        forgotten += step.changes;
        if step.is_done {
            after = step.collection_id;
        }
    }
    forgotten
}

async fn sequences(store: &Store, collection_id: i64) -> Vec<i64> {
    let batches = store.batches(collection_id, 1, 10_000, 1).await.unwrap();
    batches.iter().rev().map(|batch| batch.sequence).collect()
}

async fn by_age(ground: &Ground) {
    let store = &ground.open().await;
    // 120 of 230 are old: two whole archives, and a part of the third.
    let (site_id, id, _) = with_batches(ground, store, 230, 120).await;
    assert_eq!(forget(store, &BY_AGE).await, 300);
    assert_eq!(sequences(store, id).await, (101..=230).collect::<Vec<_>>());
    let collection = &store.collections(site_id).await.unwrap()[0];
    assert_eq!((collection.batches, collection.changes, collection.forgotten), (230, 690, 100));
    assert_eq!(store.site_by_id(site_id).await.unwrap().unwrap().forgotten, 100);
    let left = store.search(&ChangeFilter::default(), None, 1_000, 10_000).await.unwrap();
    assert_eq!(left.found.len(), 130 * 3);
    assert_eq!(forget(store, &BY_AGE).await, 0, "nothing is forgotten twice");
}

async fn by_number(ground: &Ground) {
    let store = &ground.open().await;
    let (_, id, _) = with_batches(ground, store, 230, 0).await;
    let retention = Retention { max_age: None, max_changes: Some(250) };
    forget(store, &retention).await;
    // The 240 changes after the third archive are too few, the 390 after the second enough.
    assert_eq!(sequences(store, id).await.first(), Some(&101));
    let all = Retention { max_age: None, max_changes: None };
    assert_eq!(forget(store, &all).await, 0);
}

async fn never_the_newest(ground: &Ground) {
    let store = &ground.open().await;
    let (_, id, _) = with_batches(ground, store, 199, 199).await;
    let nothing = Retention { max_age: Some(1), max_changes: Some(1) };
    forget(store, &nothing).await;
    let left = sequences(store, id).await;
    assert_eq!(left, (101..=199).collect::<Vec<_>>(), "an archive's worth of batches stays");
    assert!(left.len() as i64 >= ARCHIVE);
}

async fn not_told_again(ground: &Ground) {
    let store = &ground.open().await;
    let (site_id, id, lease) = with_batches(ground, store, 110, 50).await;
    assert_eq!(forget(store, &BY_AGE).await, 150);
    // The site still has all of its changes, and a new one.
    let outcome = found(site_id, "a", changes(0..331));
    let finished = store.finish(&lease, outcome).await.unwrap();
    assert_eq!(finished.changes, 1);
    assert_eq!(sequences(store, id).await, (51..=111).collect::<Vec<_>>());
}

async fn undated_entries(ground: &Ground) {
    let store = &ground.open().await;
    let (site_id, _, lease) = with_batches(ground, store, 110, 50).await;
    ground.run("UPDATE sites SET via = 'feed'").await;
    ground.run("UPDATE changes SET time_text = NULL WHERE batch = 7").await;
    forget(store, &BY_AGE).await;
    // An entry without a time is one of now, each time that it is read.
    let now = store.now().await.unwrap();
    let entry = |number| tidings_store::NewChange { time: now, time_text: None, ..change(number) };
    let outcome = found(site_id, "a", vec![entry(18), entry(20), entry(9_999)]);
    assert_eq!(store.finish(&lease, outcome).await.unwrap().changes, 1);
}
