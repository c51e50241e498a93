//! How much changed, and when.

use std::collections::HashMap;

use tidings_store::{Day, Kind, NewChange, Store};

use crate::sample::{change, changes, collection, follow, found, leased};

cases! { by_day, odd_times, more, of_many_sites, forgotten, news }

const DAY: i64 = 86_400_000;

fn at(number: u64, kind: Kind, time: i64) -> NewChange {
    NewChange { kind, time, ..change(number) }
}

fn day(day: i64, [created, updated, deleted]: [i64; 3]) -> Day {
    Day { day, created, updated, deleted }
}

async fn by_day(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let (site, id) = (followed.site.id, followed.collections[0].id);
    let polls = [
        vec![
            at(0, Kind::Created, 10 * DAY),
            at(1, Kind::Created, 11 * DAY - 1),
            at(2, Kind::Deleted, 10 * DAY + 5),
            at(3, Kind::Updated, 13 * DAY),
        ],
        vec![at(3, Kind::Updated, 13 * DAY), at(4, Kind::Updated, 13 * DAY + 1)],
        vec![at(5, Kind::Deleted, 12 * DAY)],
    ];
    for poll in polls {
        // Once more adds nothing.
        for _ in 0..2 {
            store.finish(&lease, found(site, "a", poll.clone())).await.unwrap();
        }
    }
    let all = [day(10, [2, 0, 1]), day(12, [0, 0, 1]), day(13, [0, 2, 0])];
    assert_eq!(store.activity(id, 0, i64::MAX).await.unwrap(), all);
    assert_eq!(store.activity(id, 10, 12).await.unwrap(), all[..2]);
    assert_eq!(store.activity(id, 11, 13).await.unwrap(), all[1..]);
    assert!(store.activity(id, 14, 99).await.unwrap().is_empty());
    assert!(store.activity(id + 1, 0, 99).await.unwrap().is_empty());
}

async fn odd_times(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let poll = vec![
        at(0, Kind::Created, -1),
        at(1, Kind::Created, i64::MIN),
        at(2, Kind::Updated, i64::MAX),
        at(3, Kind::Updated, store.now().await.unwrap() + 2 * DAY),
    ];
    store.finish(&lease, found(followed.site.id, "a", poll)).await.unwrap();
    let today = store.site("a").await.unwrap().unwrap().polled_at.unwrap() / DAY;
    let days = store.activity(followed.collections[0].id, 0, i64::MAX).await.unwrap();
    assert_eq!(days, [day(0, [2, 0, 0]), day(today, [0, 2, 0])]);
}

async fn more(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.collections[0].id;
    let poll = vec![at(0, Kind::Created, 20 * DAY), at(1, Kind::Created, 10 * DAY)];
    let mut poll = found(followed.site.id, "a", poll);
    poll.collections[0].more = [5, 6, 7];
    for _ in 0..2 {
        store.finish(&lease, poll.clone()).await.unwrap();
    }
    let days = [day(10, [1, 0, 0]), day(20, [6, 6, 7])];
    assert_eq!(store.activity(id, 0, i64::MAX).await.unwrap(), days);
    let mut poll = found(followed.site.id, "a", Vec::new());
    poll.collections[0].more = [0, 9, 0];
    store.finish(&lease, poll).await.unwrap();
    let today = store.site("a").await.unwrap().unwrap().polled_at.unwrap() / DAY;
    let days = store.activity(id, 21, i64::MAX).await.unwrap();
    assert_eq!(days, [day(today, [0, 9, 0])]);
}

async fn of_many_sites(store: Store) {
    let mut ids = vec![0];
    for number in 0..20 {
        let key = format!("s{number}");
        let (followed, lease) = leased(&store, &key).await;
        let poll = vec![at(0, Kind::Created, 5 * DAY), at(1, Kind::Created, 9 * DAY)];
        let mut poll = found(followed.site.id, &key, poll);
        // In another collection, on one of the same days and on one of its own.
        let mut other = poll.collections[0].clone();
        other.collection = collection(&format!("{key}-other"));
        other.changes = vec![at(2, Kind::Deleted, 9 * DAY), at(3, Kind::Deleted, 8 * DAY)];
        poll.collections.push(other);
        store.finish(&lease, poll).await.unwrap();
        ids.push(followed.site.id);
    }
    let quiet = follow(&store, "quiet").await.site.id;
    ids.extend([quiet, ids[1], ids[1]]);
    let found = store.site_activity(&ids, 6).await.unwrap();
    let days = vec![day(8, [0, 0, 1]), day(9, [1, 0, 1])];
    let expected: HashMap<_, _> = ids[1..21].iter().map(|id| (*id, days.clone())).collect();
    assert_eq!(found, expected);
    let all: Vec<_> = ids.iter().copied().cycle().take(1_000).collect();
    assert_eq!(store.site_activity(&all, 6).await.unwrap(), expected);
    assert!(store.site_activity(&[], 0).await.unwrap().is_empty());
    let news = store.news_since(&all, 0).await.unwrap();
    assert_eq!(news.len(), 20);
    assert!(news.values().all(|counts| *counts == [2, 0, 2]));
}

async fn forgotten(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.collections[0].id;
    store.finish(&lease, found(followed.site.id, "a", changes(0..5))).await.unwrap();
    assert_eq!(store.activity(id, 0, 0).await.unwrap().len(), 1);
    store.unfollow("a").await.unwrap();
    assert!(store.activity(id, 0, 0).await.unwrap().is_empty());
    assert!(store.site_activity(&[followed.site.id], 0).await.unwrap().is_empty());
}

async fn news(store: Store) {
    assert_eq!(store.total_since(0).await.unwrap(), (0, [0; 3]));
    let (a, of_a) = leased(&store, "a").await;
    let (b, of_b) = leased(&store, "b").await;
    let ids = [a.site.id, b.site.id];
    store.finish(&of_a, found(ids[0], "a", changes(0..6))).await.unwrap();
    let first = store.site("a").await.unwrap().unwrap().changed_at.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    store.finish(&of_b, found(ids[1], "b", changes(0..3))).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    store.finish(&of_a, found(ids[0], "a", changes(6..7))).await.unwrap();
    let last = store.site("a").await.unwrap().unwrap().changed_at.unwrap();
    let all = HashMap::from([(ids[0], [3, 2, 2]), (ids[1], [1, 1, 1])]);
    assert_eq!(store.news_since(&ids, first - 1).await.unwrap(), all);
    let later = HashMap::from([(ids[0], [1, 0, 0]), (ids[1], [1, 1, 1])]);
    assert_eq!(store.news_since(&ids, first).await.unwrap(), later);
    assert_eq!(store.news_since(&ids[1..], first).await.unwrap().len(), 1);
    assert!(store.news_since(&ids, last).await.unwrap().is_empty());
    assert!(store.news_since(&[], 0).await.unwrap().is_empty());
    assert_eq!(store.total_since(0).await.unwrap(), (2, [4, 3, 3]));
    assert_eq!(store.total_since(first).await.unwrap(), (2, [2, 1, 1]));
    assert_eq!(store.total_since(last).await.unwrap(), (0, [0; 3]));
}
