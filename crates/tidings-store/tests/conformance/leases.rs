//! Leases: who may poll what, and for how long. Row R8.

use std::collections::HashSet;
use std::time::Duration;

use tidings_store::{Finished, Store, StoreError};
use tokio::time::sleep;

use crate::sample::{MINUTE, changes, follow, found, leased, outcome, site};

cases! {
    claimed_in_order, sites_of_a_host, one_site, r8_no_double_claim, r8_lease_runs_out,
    r8_zombie_is_fenced, r8_killed_worker, renewed, released, given_back_twice, made_due,
    hosts_without_due_sites_do_not_spin, next_due_of_leased,
}

async fn claimed_in_order(store: Store) {
    let now = store.now().await.unwrap();
    for (key, ago) in [("a", 1_000), ("b", 3_000), ("c", 2_000), ("d", -MINUTE)] {
        let mut new = site(key);
        new.due = Some(now - ago);
        store.follow(new).await.unwrap();
    }
    let leases = store.claim("worker", 2, MINUTE).await.unwrap();
    let hosts: Vec<_> = leases.iter().map(|lease| lease.host.as_str()).collect();
    assert_eq!(hosts, ["b.example", "c.example"]);
    assert_eq!(leases[0].worker, "worker");
    assert_eq!(store.claim("other", 9, MINUTE).await.unwrap()[0].host, "a.example");
    assert!(store.claim("other", 9, MINUTE).await.unwrap().is_empty());
    assert!(store.claim("other", 0, MINUTE).await.unwrap().is_empty());
}

async fn sites_of_a_host(store: Store) {
    let now = store.now().await.unwrap();
    for (number, ago) in [(1, 10), (2, 30), (3, 20), (4, -MINUTE)] {
        let mut new = site("a");
        new.url = format!("https://a.example/{number}");
        new.due = Some(now - ago);
        store.follow(new).await.unwrap();
    }
    let leases = store.claim("worker", 9, MINUTE).await.unwrap();
    assert_eq!(leases.len(), 1);
    let keys: Vec<_> = leases[0].sites.iter().map(|site| site.key.as_str()).collect();
    assert_eq!(keys, ["a-2", "a-3", "a"]);
}

async fn one_site(store: Store) {
    let mut new = site("a");
    new.due = Some(store.now().await.unwrap() + MINUTE);
    store.follow(new).await.unwrap();
    assert!(store.claim("worker", 9, MINUTE).await.unwrap().is_empty());
    assert!(store.claim_site("worker", "nothing", MINUTE).await.unwrap().is_none());
    let lease = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    assert_eq!(lease.sites.len(), 1);
    for worker in ["worker", "other"] {
        assert!(store.claim_site(worker, "a", MINUTE).await.unwrap().is_none());
    }
    store.release(&lease).await.unwrap();
    let next = store.claim_site("other", "a", MINUTE).await.unwrap().unwrap();
    assert!(next.generation > lease.generation);
}

async fn r8_no_double_claim(store: Store) {
    for number in 0..200 {
        follow(&store, &format!("s{number}")).await;
    }
    let workers = (0..16).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut hosts = Vec::new();
            // Those that others are just taking are passed over: none is the end only when it
            // stays that way.
            let mut nothing = 0;
            while nothing < 3 {
                let leases = store.claim(&format!("worker {number}"), 7, MINUTE).await.unwrap();
                nothing = if leases.is_empty() { nothing + 1 } else { 0 };
                hosts.extend(leases.into_iter().map(|lease| lease.host));
            }
            hosts
        })
    });
    let mut all = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        all.extend(worker.await.unwrap());
    }
    assert_eq!(all.len(), 200);
    assert_eq!(all.into_iter().collect::<HashSet<_>>().len(), 200);
}

async fn r8_lease_runs_out(store: Store) {
    follow(&store, "a").await;
    let first = store.claim("first", 9, 100).await.unwrap().remove(0);
    assert!(store.claim("second", 9, MINUTE).await.unwrap().is_empty());
    sleep(Duration::from_millis(150)).await;
    // Nobody took it: it still holds.
    store.finish(&first, outcome(first.sites[0].id)).await.unwrap();
    store.make_due("a").await.unwrap();
    let second = store.claim("second", 9, MINUTE).await.unwrap().remove(0);
    assert!(second.generation > first.generation);
}

async fn r8_zombie_is_fenced(store: Store) {
    let followed = follow(&store, "a").await;
    let zombie = store.claim("first", 9, 50).await.unwrap().remove(0);
    sleep(Duration::from_millis(100)).await;
    let lease = store.claim("second", 9, MINUTE).await.unwrap().remove(0);
    let id = followed.site.id;
    let error = store.finish(&zombie, found(id, "a", changes(0..3))).await.unwrap_err();
    assert!(matches!(error, StoreError::Fenced { host } if host == "a.example"));
    assert!(store.polls(id).await.unwrap().is_empty());
    assert_eq!(store.site("a").await.unwrap().unwrap(), followed.site);
    assert_eq!(store.collections(id).await.unwrap(), followed.collections);
    assert!(store.changes(followed.collections[0].id, 0, 9).await.unwrap().is_empty());
    // It cannot give back or keep what is not its own any more.
    store.release(&zombie).await.unwrap();
    store.renew("first", 10 * MINUTE).await.unwrap();
    assert!(store.claim("third", 9, MINUTE).await.unwrap().is_empty());
    assert_eq!(store.finish(&lease, found(id, "a", changes(0..3))).await.unwrap().changes, 3);
    // Nor can the same worker with a lease of the past.
    store.release(&lease).await.unwrap();
    let error = store.finish(&lease, outcome(id)).await.unwrap_err();
    assert!(matches!(error, StoreError::Fenced { .. }));
    store.claim_site("second", "a", MINUTE).await.unwrap().unwrap();
    assert!(store.finish(&lease, outcome(id)).await.is_err());
}

async fn r8_killed_worker(store: Store) {
    for number in 0..20 {
        follow(&store, &format!("s{number}")).await;
    }
    // One dies with leases in its hands, after it finished some of their sites.
    let lost = store.claim("killed", 10, 100).await.unwrap();
    for lease in &lost[..5] {
        store.finish(lease, outcome(lease.sites[0].id)).await.unwrap();
    }
    sleep(Duration::from_millis(150)).await;
    let mut polled = 0;
    loop {
        let leases = store.claim("alive", 3, MINUTE).await.unwrap();
        if leases.is_empty() {
            break;
        }
        for lease in leases {
            for site in &lease.sites {
                store.finish(&lease, outcome(site.id)).await.unwrap();
                polled += 1;
            }
            store.release(&lease).await.unwrap();
        }
    }
    assert_eq!(polled, 15);
    assert_eq!(store.counts().await.unwrap().by_state, [0, 20, 0, 0, 0]);
}

async fn renewed(store: Store) {
    follow(&store, "a").await;
    let lease = store.claim("worker", 9, 200).await.unwrap().remove(0);
    store.renew("worker", MINUTE).await.unwrap();
    store.renew("other", 0).await.unwrap();
    sleep(Duration::from_millis(250)).await;
    assert!(store.claim("other", 9, MINUTE).await.unwrap().is_empty());
    store.release(&lease).await.unwrap();
    // What was given back is not kept.
    store.renew("worker", MINUTE).await.unwrap();
    assert_eq!(store.claim("other", 9, MINUTE).await.unwrap().len(), 1);
}

async fn released(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let mut other = site("a");
    other.url = "https://a.example/other".to_owned();
    let now = store.now().await.unwrap();
    other.due = Some(now + MINUTE / 2);
    store.follow(other).await.unwrap();
    store.finish(&lease, outcome(followed.site.id)).await.unwrap();
    store.release(&lease).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), Some(now + MINUTE / 2));
    store.set_paused("a-2", true).await.unwrap();
    let lease = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    store.release(&lease).await.unwrap();
    let due = store.site("a").await.unwrap().unwrap().next_due;
    assert_eq!(store.next_due().await.unwrap(), Some(due));
    assert!((now + 2 * MINUTE..now + 3 * MINUTE).contains(&due));
}

async fn given_back_twice(store: Store) {
    let (_, lease) = leased(&store, "a").await;
    store.release(&lease).await.unwrap();
    let other = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    store.release(&lease).await.unwrap();
    assert_eq!(
        store.finish(&other, outcome(other.sites[0].id)).await.unwrap(),
        Finished::default()
    );
}

async fn made_due(store: Store) {
    let mut new = site("a");
    new.due = Some(store.now().await.unwrap() + MINUTE);
    store.follow(new).await.unwrap();
    assert!(store.claim("worker", 9, MINUTE).await.unwrap().is_empty());
    assert!(store.make_due("a").await.unwrap());
    assert!(!store.make_due("b").await.unwrap());
    assert_eq!(store.claim("worker", 9, MINUTE).await.unwrap().len(), 1);
}

async fn hosts_without_due_sites_do_not_spin(store: Store) {
    for number in 0..10 {
        follow(&store, &format!("s{number}")).await;
        store.set_paused(&format!("s{number}"), true).await.unwrap();
    }
    let paused_by = store.now().await.unwrap();
    while store.now().await.unwrap() == paused_by {}
    follow(&store, "last").await;
    // The others are longer due, if only by a millisecond, and must not be in its way.
    let leases = store.claim("worker", 1, MINUTE).await.unwrap();
    assert_eq!(leases[0].host, "last.example");
    store.unfollow("last").await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), None);
}

async fn next_due_of_leased(store: Store) {
    follow(&store, "a").await;
    store.claim("worker", 9, MINUTE).await.unwrap();
    let now = store.now().await.unwrap();
    let due = store.next_due().await.unwrap().unwrap();
    assert!(due > now + MINUTE / 2, "who waits for it would not rest");
}
