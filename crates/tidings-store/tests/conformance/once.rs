//! Each change becomes part of exactly one batch, whatever happens. Row R9.

use std::collections::HashSet;

use tidings_store::{Batch, Store};

use crate::sample::{changes, found, leased};

cases! { r9_polled_again, r9_repeated_within, r9_reordered, r9_overlapping_polls }

pub(crate) async fn batches(store: &Store, key: &str) -> Vec<Batch> {
    let id = store.collection(key).await.unwrap().unwrap().id;
    store.batches(id, 1, i64::MAX, u32::MAX).await.unwrap()
}

async fn r9_polled_again(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let poll = found(followed.site.id, "a", changes(0..40));
    assert_eq!(store.finish(&lease, poll.clone()).await.unwrap().changes, 40);
    let first = batches(&store, "a").await;
    let again = store.finish(&lease, poll).await.unwrap();
    assert_eq!(again, tidings_store::Finished::default());
    assert_eq!(batches(&store, "a").await, first);
    let known = store.collection("a").await.unwrap().unwrap();
    assert_eq!((known.changes, known.batches), (40, 1));
    assert_eq!(store.polls(followed.site.id).await.unwrap().len(), 2);
}

async fn r9_repeated_within(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let poll = found(followed.site.id, "a", changes([1, 2, 1, 3, 2]));
    assert_eq!(store.finish(&lease, poll).await.unwrap().changes, 3);
    assert_eq!(batches(&store, "a").await[0].changes, changes([1, 2, 3]));
}

async fn r9_reordered(store: Store) {
    let (a, lease_a) = leased(&store, "a").await;
    let (b, lease_b) = leased(&store, "b").await;
    store.finish(&lease_a, found(a.site.id, "a", changes([1, 2, 3]))).await.unwrap();
    store.finish(&lease_b, found(b.site.id, "b", changes([3, 1, 2, 1]))).await.unwrap();
    let (of_a, of_b) = (batches(&store, "a").await, batches(&store, "b").await);
    assert_eq!(of_a[0].key, of_b[0].key);
    assert_eq!(
        store.finish(&lease_a, found(a.site.id, "a", changes([3, 2, 1]))).await.unwrap().changes,
        0
    );
    assert_eq!(batches(&store, "a").await, of_a);
}

async fn r9_overlapping_polls(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    // A window that moves on by less than it shows, seen by two at once.
    let tasks = (0..40_u64).map(|number| {
        let (store, lease) = (store.clone(), lease.clone());
        let start = number / 2 * 5;
        let poll = found(followed.site.id, "a", changes(start..start + 20));
        tokio::spawn(async move { store.finish(&lease, poll).await.unwrap().changes })
    });
    let mut counted = 0;
    for task in tasks.collect::<Vec<_>>() {
        counted += task.await.unwrap();
    }
    assert_eq!(counted, 115);
    let all: Vec<_> = batches(&store, "a").await.into_iter().flat_map(|b| b.changes).collect();
    assert_eq!(all.len(), 115);
    assert_eq!(all.iter().map(|change| change.key).collect::<HashSet<_>>().len(), 115);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]

    /// Whatever polls see, in whatever order and however often: what is recorded is all of it, once,
    /// and each batch is what the poll saw that nobody had seen.
    #[test]
    fn r9_as_the_model_says(polls in proptest::collection::vec(
        proptest::collection::vec(0_u64..60, 0..20),
        1..12,
    )) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let ground = crate::ground::Ground::sqlite();
            let store = ground.open().await;
            let (followed, lease) = leased(&store, "a").await;
            let mut seen = HashSet::new();
            let mut expected = Vec::new();
            for poll in polls {
                let new: Vec<_> =
                    poll.iter().copied().filter(|number| seen.insert(*number)).collect();
                let poll = found(followed.site.id, "a", changes(poll));
                let finished = store.finish(&lease, poll).await.unwrap();
                assert_eq!(finished.changes, new.len() as u64);
                if !new.is_empty() {
                    expected.insert(0, changes(new));
                }
            }
            let recorded = batches(&store, "a").await;
            let recorded: Vec<_> = recorded.into_iter().map(|batch| batch.changes).collect();
            assert_eq!(recorded, expected);
        });
    }
}
