//! More than one who has the same state open. Row R5.

use std::thread;

use tidings_store::{Location, Store};

use crate::ground::Ground;
use crate::sample::{MINUTE, changes, follow, found};

grounds! { r5_opened_at_once, r5_two_writers, identity_stays }

/// Runs something in a thread with a runtime and a store of its own, as another process would.
fn elsewhere<T: Send + 'static>(
    location: &Location,
    work: impl AsyncFnOnce(Store) -> T + Send + 'static,
) -> thread::JoinHandle<T> {
    let location = location.clone();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { work(Store::open(&location, None).await.unwrap()).await })
    })
}

async fn r5_opened_at_once(ground: &Ground) {
    let threads: Vec<_> = (0..6)
        .map(|_| elsewhere(&ground.location, async |store| store.identity().clone()))
        .collect();
    let mut identities: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    identities.dedup();
    assert_eq!(identities.len(), 1);
}

async fn r5_two_writers(ground: &Ground) {
    let store = ground.open().await;
    for number in 0..60 {
        follow(&store, &format!("s{number}")).await;
    }
    let work = async |store: Store| {
        let worker = format!("{:?}", thread::current().id());
        let mut polled = 0;
        let mut nothing = 0;
        while nothing < 3 {
            let leases = store.claim(&worker, 3, MINUTE).await.unwrap();
            nothing = if leases.is_empty() { nothing + 1 } else { 0 };
            for lease in leases {
                let site = &lease.sites[0];
                let poll = found(site.id, &site.key, changes(0..3));
                assert_eq!(store.finish(&lease, poll).await.unwrap().changes, 3);
                store.release(&lease).await.unwrap();
                polled += 1;
            }
        }
        polled
    };
    let threads: Vec<_> = (0..3).map(|_| elsewhere(&ground.location, work)).collect();
    let polled: i32 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(polled, 60);
    assert_eq!(store.counts().await.unwrap().by_state, [0, 60, 0, 0, 0]);
    let store = Store::open_existing(&ground.location).await.unwrap();
    for site in store.sites(tidings_store::SiteFilter::default()).await.unwrap() {
        assert_eq!(site.batches, 1);
    }
}

async fn identity_stays(ground: &Ground) {
    let first = Store::open(&ground.location, Some("first.example")).await.unwrap();
    assert_eq!(first.identity().authority, "first.example");
    let second = Store::open(&ground.location, Some("second.example")).await.unwrap();
    assert_eq!(second.identity(), first.identity());
    let third = Store::open_existing(&ground.location).await.unwrap();
    assert_eq!(third.identity(), first.identity());
}
