//! Recording polls.

use tidings_store::{CollectionOutcome, NewCollection, Outcome, State, Store};

use crate::sample::{MINUTE, changes, collection, follow, found, leased, outcome};

cases! {
    site_is_updated, polls_are_pruned, collections_are_updated, collections_are_made,
    many_at_once, sequences_have_no_gaps, paused_meanwhile, waits_are_bounded,
}

async fn site_is_updated(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.site.id;
    let before = store.now().await.unwrap();
    let finished = store.finish(&lease, found(id, "a", changes(0..2))).await.unwrap();
    assert_eq!((finished.batches, finished.changes), (1, 2));
    assert_eq!(finished.changed, ["a"]);
    let site = store.site("a").await.unwrap().unwrap();
    assert_eq!((site.state, site.failures, site.interval), (State::Well, 0, 2 * MINUTE));
    let polled = site.polled_at.unwrap();
    assert!(polled >= before);
    assert_eq!(site.next_due, polled + 2 * MINUTE);
    assert_eq!((site.succeeded_at, site.changed_at), (Some(polled), Some(polled)));
    assert_eq!((site.title.as_deref(), site.details.as_str()), (Some("The site a"), "{}"));
    let failed = Outcome {
        state: State::Failing,
        reason: Some("404".to_owned()),
        failures: 3,
        title: Some("New title".to_owned()),
        details: Some("{\"a\":1}".to_owned()),
        ..outcome(id)
    };
    store.finish(&lease, failed).await.unwrap();
    let site = store.site("a").await.unwrap().unwrap();
    assert_eq!((site.state, site.failures), (State::Failing, 3));
    assert_eq!(site.reason.as_deref(), Some("404"));
    assert_eq!(site.succeeded_at, Some(polled));
    assert_eq!(site.changed_at, Some(polled));
    assert_eq!((site.title.as_deref(), site.details.as_str()), (Some("New title"), "{\"a\":1}"));
    assert_eq!(site.batches, 1);
}

async fn polls_are_pruned(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    for number in 0..45 {
        let poll = Outcome { requests: number, ..outcome(followed.site.id) };
        store.finish(&lease, poll).await.unwrap();
    }
    let polls = store.polls(followed.site.id).await.unwrap();
    let requests: Vec<_> = polls.iter().map(|poll| poll.requests).collect();
    assert_eq!(requests, (25..45).rev().collect::<Vec<_>>());
}

async fn collections_are_updated(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.site.id;
    let said = CollectionOutcome {
        collection: NewCollection {
            key: "ignored".to_owned(),
            title: None,
            author: Some("An author".to_owned()),
            progress: "{\"to\":1}".to_owned(),
            ..collection("a")
        },
        reason: Some("why".to_owned()),
        is_gone: true,
        ignored: Some(2),
        ..CollectionOutcome::default()
    };
    let outcome = Outcome { collections: vec![said.clone()], ..outcome(id) };
    store.finish(&lease, outcome.clone()).await.unwrap();
    store.finish(&lease, outcome).await.unwrap();
    let known = store.collection("a").await.unwrap().unwrap();
    assert_eq!(known.title.as_deref(), Some("All of a"));
    assert_eq!(known.author.as_deref(), Some("An author"));
    assert_eq!(known.progress, "{\"to\":1}");
    assert_eq!((known.is_gone, known.ignored), (true, 2));
    assert_eq!(known.reason.as_deref(), Some("why"));
    assert_eq!((known.changes, known.batches, known.changed_at), (0, 0, None));
    store.finish(&lease, found(id, "a", changes(0..1))).await.unwrap();
    let known = store.collection("a").await.unwrap().unwrap();
    assert_eq!((known.is_gone, known.reason), (false, None));
}

async fn collections_are_made(store: Store) {
    follow(&store, "b").await;
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.site.id;
    let mut poll = found(id, "b", changes(0..1));
    poll.collections.push(CollectionOutcome {
        collection: collection("a"),
        changes: changes(0..1),
        ..CollectionOutcome::default()
    });
    let finished = store.finish(&lease, poll).await.unwrap();
    assert_eq!(finished.changed, ["b-2", "a"]);
    let all = store.collections(id).await.unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(all[1].identity, "https://b.example/");
    let batches = store.site_batches(id, 1, 9, 9).await.unwrap();
    let whose: Vec<_> = batches.iter().map(|b| (b.collection_id, b.sequence)).collect();
    assert_eq!(whose, [(all[0].id, 1), (all[1].id, 1)]);
}

async fn many_at_once(store: Store) {
    for number in 0..200 {
        follow(&store, &format!("s{number}")).await;
    }
    let leases = store.claim("worker", 500, MINUTE).await.unwrap();
    assert_eq!(leases.len(), 200);
    let tasks = leases.into_iter().map(|lease| {
        let store = store.clone();
        tokio::spawn(async move {
            let site = &lease.sites[0];
            let finished = store.finish(&lease, found(site.id, &site.key, changes(0..5))).await;
            store.release(&lease).await.unwrap();
            finished.unwrap().changes
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        assert_eq!(task.await.unwrap(), 5);
    }
    assert_eq!(store.counts().await.unwrap().by_state, [0, 200, 0, 0, 0]);
}

async fn sequences_have_no_gaps(store: Store) {
    // The collections of one site, recorded at once by who has the lease, and one after the other by
    // nobody's choice.
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.site.id;
    let tasks = (0..60_u64).map(|number| {
        let (store, lease) = (store.clone(), lease.clone());
        let key = ["a", "b", "c"][number as usize % 3];
        tokio::spawn(async move {
            let poll = found(id, key, changes(number * 2..number * 2 + 2));
            store.finish(&lease, poll).await.unwrap()
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        assert_eq!(task.await.unwrap().batches, 1);
    }
    let batches = store.site_batches(id, 1, 1_000, 9).await.unwrap();
    let sequences: Vec<_> = batches.iter().map(|batch| batch.site_sequence).collect();
    assert_eq!(sequences, (1..=60).rev().collect::<Vec<_>>());
    for collection in store.collections(id).await.unwrap() {
        assert_eq!((collection.batches, collection.changes), (20, 40));
        let batches = store.batches(collection.id, 1, 1_000, 9).await.unwrap();
        let sequences: Vec<_> = batches.iter().map(|batch| batch.sequence).collect();
        assert_eq!(sequences, (1..=20).rev().collect::<Vec<_>>());
    }
    assert_eq!(store.site("a").await.unwrap().unwrap().batches, 60);
}

async fn paused_meanwhile(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    store.set_paused("a", true).await.unwrap();
    let finished = store.finish(&lease, found(followed.site.id, "a", changes(0..1))).await.unwrap();
    assert_eq!(finished.changes, 1);
    assert_eq!(store.site("a").await.unwrap().unwrap().state, State::Paused);
}

async fn waits_are_bounded(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let poll = Outcome { wait: i64::MAX, interval: i64::MAX, ..outcome(followed.site.id) };
    store.finish(&lease, poll).await.unwrap();
    store.release(&lease).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), None);
    store.renew("worker", i64::MAX).await.unwrap();
}
