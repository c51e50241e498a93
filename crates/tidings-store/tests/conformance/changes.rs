//! Changes and batches, as they are read again.

use tidings_store::{Kind, Store};

use crate::sample::{change, changes, found, leased};

cases! { in_order, counted, limited, paged, known, more, more_alone, more_once, many, one_batch }

async fn in_order(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let (site, collection) = (followed.site.id, followed.collections[0].id);
    store.finish(&lease, found(site, "a", changes([3, 1, 2]))).await.unwrap();
    store.finish(&lease, found(site, "a", changes([2, 9, 3, 8, 9]))).await.unwrap();
    let batches = store.batches(collection, 1, 2, 100).await.unwrap();
    assert_eq!(batches[0].changes, changes([9, 8]));
    assert_eq!(batches[1].changes, changes([3, 1, 2]));
    let listed = store.changes(collection, 0, 100).await.unwrap();
    let listed: Vec<_> =
        listed.into_iter().map(|change| (change.batch, change.position, change.change)).collect();
    let expected = [(2, 1, 8), (2, 0, 9), (1, 2, 2), (1, 1, 1), (1, 0, 3)];
    assert_eq!(listed, expected.map(|(batch, position, number)| (batch, position, change(number))));
}

async fn counted(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let collection = followed.collections[0].id;
    let finished = store.finish(&lease, found(followed.site.id, "a", changes(0..7))).await.unwrap();
    assert_eq!((finished.batches, finished.changes), (1, 7));
    let batch = store.batches(collection, 1, 1, 0).await.unwrap().remove(0);
    assert_eq!((batch.created, batch.updated, batch.deleted), (3, 2, 2));
    assert_eq!((batch.oldest, batch.newest), (1_000, 1_006));
    assert_eq!((batch.sequence, batch.site_sequence), (1, 1));
    assert_eq!(batch.key.len(), 32);
    assert!(batch.changes.is_empty());
    assert_eq!(Some(batch.seen_at), store.site("a").await.unwrap().unwrap().polled_at);
    // Older ones that come later do not make the collection older.
    store
        .finish(
            &lease,
            found(followed.site.id, "a", vec![tidings_store::NewChange { time: 5, ..change(100) }]),
        )
        .await
        .unwrap();
    let known = store.collection("a").await.unwrap().unwrap();
    assert_eq!((known.changes, known.batches, known.changed_at), (8, 2, Some(1_006)));
}

async fn limited(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let (site, collection) = (followed.site.id, followed.collections[0].id);
    for number in 0..5 {
        let found = found(site, "a", changes(number * 10..number * 10 + 10));
        store.finish(&lease, found).await.unwrap();
    }
    let batches = store.batches(collection, 2, 4, 3).await.unwrap();
    let sequences: Vec<_> = batches.iter().map(|batch| batch.sequence).collect();
    assert_eq!(sequences, [4, 3, 2]);
    assert_eq!(batches[0].changes, changes([37, 38, 39]));
    assert_eq!(store.site_batches(site, 2, 4, 3).await.unwrap(), batches);
    assert!(store.batches(collection, 6, 9, 3).await.unwrap().is_empty());
    assert!(store.batches(collection, 4, 2, 3).await.unwrap().is_empty());
    let most = store.batches(collection, i64::MIN, i64::MAX, u32::MAX).await.unwrap();
    assert_eq!(most.iter().map(|batch| batch.changes.len()).sum::<usize>(), 50);
}

async fn paged(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let (site, collection) = (followed.site.id, followed.collections[0].id);
    store.finish(&lease, found(site, "a", changes(0..10))).await.unwrap();
    store.finish(&lease, found(site, "b", changes(10..20))).await.unwrap();
    store.finish(&lease, found(site, "a", changes(20..30))).await.unwrap();
    let numbers = |listed: Vec<tidings_store::Change>| -> Vec<i64> {
        listed.iter().map(|change| change.change.time - 1_000).collect()
    };
    assert_eq!(numbers(store.changes(collection, 8, 4).await.unwrap()), [21, 20, 9, 8]);
    assert_eq!(numbers(store.site_changes(site, 8, 4).await.unwrap()), [21, 20, 19, 18]);
    assert_eq!(numbers(store.site_changes(site, 18, 4).await.unwrap()), [11, 10, 9, 8]);
    assert!(store.changes(collection, 100, 4).await.unwrap().is_empty());
    assert!(store.changes(collection, u64::MAX, 4).await.unwrap().is_empty());
    assert!(store.changes(collection, 0, 0).await.unwrap().is_empty());
}

async fn known(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    store.finish(&lease, found(followed.site.id, "a", changes(0..300))).await.unwrap();
    let collection = followed.collections[0].id;
    let keys: Vec<_> = (200..500).map(|number| change(number).key).collect();
    let mut known = store.known(collection, &keys).await.unwrap();
    known.sort_unstable();
    assert_eq!(known, &keys[..100]);
    assert!(store.known(collection, &[]).await.unwrap().is_empty());
    assert!(store.known(collection + 1, &keys).await.unwrap().is_empty());
}

async fn more(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let mut found = found(followed.site.id, "a", changes(0..3));
    found.collections[0].more = [100, 20, 3];
    let finished = store.finish(&lease, found).await.unwrap();
    assert_eq!((finished.batches, finished.changes), (1, 126));
    let batch = store.batches(followed.collections[0].id, 1, 1, 9).await.unwrap().remove(0);
    assert_eq!((batch.created, batch.updated, batch.deleted), (101, 21, 4));
    assert_eq!(batch.changes.len(), 3);
    assert_eq!(store.collection("a").await.unwrap().unwrap().changes, 126);
    assert_eq!(store.polls(followed.site.id).await.unwrap()[0].changes, 126);
}

async fn more_alone(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let mut found = found(followed.site.id, "a", Vec::new());
    found.collections[0].more = [0, 5, 0];
    for _ in 0..2 {
        assert_eq!(store.finish(&lease, found.clone()).await.unwrap().changes, 5);
    }
    let batches = store.batches(followed.collections[0].id, 1, 2, 9).await.unwrap();
    assert_eq!(batches[0].updated, 5);
    assert_eq!((batches[0].oldest, batches[0].newest), (batches[0].seen_at, batches[0].seen_at));
    assert_ne!(batches[0].key, batches[1].key);
}

async fn more_once(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let mut found = found(followed.site.id, "a", changes(0..3));
    found.collections[0].more = [100, 0, 0];
    assert_eq!(store.finish(&lease, found.clone()).await.unwrap().changes, 103);
    assert_eq!(store.finish(&lease, found).await.unwrap().changes, 0);
}

async fn one_batch(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let collection = followed.collections[0].id;
    store.finish(&lease, found(followed.site.id, "a", changes(0..3))).await.unwrap();
    store.finish(&lease, found(followed.site.id, "a", changes(3..10))).await.unwrap();
    let listed = store.batches(collection, 1, 2, 0).await.unwrap();
    assert_eq!(store.batch(collection, 2).await.unwrap().as_ref(), Some(&listed[0]));
    assert_eq!(store.batch(collection, 3).await.unwrap(), None);
    let page = store.batch_changes(collection, 2, 2, 3).await.unwrap();
    let places: Vec<_> = page.iter().map(|change| (change.batch, change.position)).collect();
    assert_eq!(places, [(2, 2), (2, 3), (2, 4)]);
    let page: Vec<_> = page.into_iter().map(|change| change.change).collect();
    assert_eq!(page, changes(5..8));
    assert_eq!(store.batch_changes(collection, 2, 5, 100).await.unwrap().len(), 2);
    assert!(store.batch_changes(collection, 2, 7, 100).await.unwrap().is_empty());
    assert!(store.batch_changes(collection, 3, 0, 100).await.unwrap().is_empty());
}

async fn many(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let found = found(followed.site.id, "a", changes(0..20_000));
    assert_eq!(store.finish(&lease, found.clone()).await.unwrap().changes, 20_000);
    assert_eq!(store.finish(&lease, found).await.unwrap().changes, 0);
    let batch = store.batches(followed.collections[0].id, 1, 1, 2).await.unwrap().remove(0);
    assert_eq!(batch.changes, changes([19_998, 19_999]));
    assert_eq!(batch.changes[0].kind, Kind::Created);
    assert_eq!(store.site_changes(followed.site.id, 19_990, 20).await.unwrap().len(), 10);
}
