//! What was being recorded when the program ended. Row R9.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use tidings_store::{Location, Store};

use crate::ground::Ground;
use crate::once::batches;
use crate::sample::{MINUTE, changes, follow, found, leased, outcome};

grounds! {
    r9_crash_before_commit, r9_crash_after_commit, r9_killed_process,
    r9_same_keys_in_another_store,
}

async fn r9_crash_before_commit(ground: &Ground) {
    let store = ground.open().await;
    let (followed, lease) = leased(&store, "a").await;
    let poll = found(followed.site.id, "a", changes(0..2_000));
    {
        // Dropped before it is done: however far it came, it is there as a whole or not at all.
        let future = store.finish(&lease, poll.clone());
        drop(tokio::time::timeout(Duration::from_millis(1), future).await);
    }
    drop(store);
    let store = ground.open().await;
    let known = store.collection("a").await.unwrap().unwrap();
    assert!([(0, 0), (2_000, 1)].contains(&(known.changes, known.batches)), "{known:?}");
    store.finish(&lease, poll).await.unwrap();
    let batches = batches(&store, "a").await;
    assert_eq!(batches.len(), 1);
    assert_eq!(batches[0].changes.len(), 2_000);
}

async fn r9_crash_after_commit(ground: &Ground) {
    let store = ground.open().await;
    let (followed, lease) = leased(&store, "a").await;
    let poll = found(followed.site.id, "a", changes(0..40));
    store.finish(&lease, poll.clone()).await.unwrap();
    let first = batches(&store, "a").await;
    // The worker is gone without having given the lease back; another one starts over.
    drop(store);
    let store = ground.open().await;
    store.renew("worker", 0).await.unwrap();
    store.make_due("a").await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    let lease = store.claim("next", 1, MINUTE).await.unwrap().remove(0);
    assert_eq!(store.finish(&lease, poll).await.unwrap().changes, 0);
    assert_eq!(batches(&store, "a").await, first);
}

async fn r9_same_keys_in_another_store(ground: &Ground) {
    let here = ground.open().await;
    let other = Ground::sqlite();
    let there = other.open().await;
    let mut keys = Vec::new();
    for store in [here, there] {
        follow(&store, "other").await;
        let (followed, lease) = leased(&store, "a").await;
        store.finish(&lease, outcome(followed.site.id)).await.unwrap();
        store.finish(&lease, found(followed.site.id, "a", changes(0..9))).await.unwrap();
        store.finish(&lease, found(followed.site.id, "a", changes(5..12))).await.unwrap();
        let batches = batches(&store, "a").await;
        keys.push(batches.into_iter().map(|batch| batch.key).collect::<Vec<_>>());
    }
    assert_eq!(keys[0], keys[1]);
}

/// Tells the process that is to be killed where to record.
const PLACE: &str = "TIDINGS_TEST_PLACE";

async fn r9_killed_process(ground: &Ground) {
    let store = ground.open().await;
    let (followed, _) = leased(&store, "a").await;
    let place = match &ground.location {
        Location::Folder(folder) => folder.display().to_string(),
        Location::Database(url) => url.clone(),
    };
    for _ in 0..3 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crashes::records_until_it_is_killed", "--ignored", "--nocapture"])
            .env(PLACE, &place)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let acknowledged = |line: String| line.strip_prefix("recorded ")?.parse::<i64>().ok();
        let mut last = lines.by_ref().map_while(Result::ok).find_map(acknowledged).unwrap();
        std::thread::sleep(Duration::from_millis(30));
        child.kill().unwrap();
        child.wait().unwrap();
        // A server may still be at the last that it was sent.
        tokio::time::sleep(Duration::from_millis(100)).await;
        // What it said before it was killed is there, and at most one more that it could not say.
        last = lines.map_while(Result::ok).filter_map(acknowledged).last().unwrap_or(last);
        let batches = batches(&store, "a").await;
        let recorded = batches.len() as i64;
        assert!((last..=last + 1).contains(&recorded), "{last} {recorded}");
        assert!(batches.iter().all(|batch| batch.changes.len() == 50));
        assert_eq!(store.site("a").await.unwrap().unwrap().batches, recorded);
    }
    // Its lease is still there, until it runs out.
    assert!(store.claim_site("worker", "a", MINUTE).await.unwrap().is_none());
    let polls = store.polls(followed.site.id).await.unwrap().len();
    assert_eq!(polls, batches(&store, "a").await.len().min(20));
}

#[tokio::test]
#[ignore = "part of another test, which kills it"]
async fn records_until_it_is_killed() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let location = if place.contains("://") {
        Location::Database(place)
    } else {
        Location::Folder(place.into())
    };
    let store = Store::open_existing(&location).await.unwrap();
    let site = store.site("a").await.unwrap().unwrap();
    store.renew("worker", 0).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    let lease = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    for number in site.batches.cast_unsigned().. {
        let poll = found(site.id, "a", changes(number * 50..number * 50 + 50));
        store.finish(&lease, poll).await.unwrap();
        println!("recorded {}", number + 1);
    }
}
