//! Tests what cuts across sites: the newest batches of all, sites that users leave out, saved searches.

use tidings_store::{
    Batch, ChangeFilter, FoundChange, Kind, Role, SavedSearch, State, Store, UserChange, Via,
};

use crate::ground::Ground;
use crate::sample::{changes, found, leased, outcome};

mod across {
    use super::{newest, origins, partly_failing, removed_posts, searches};
    grounds! { newest, origins, partly_failing, removed_posts, searches }
}

/// Three sites with three batches each, found one after the other in turns.
async fn three_sites(store: &Store) -> Vec<i64> {
    let mut ids = Vec::new();
    for (site, key) in ["a", "b", "c"].into_iter().enumerate() {
        let (followed, lease) = leased(store, key).await;
        for batch in 0..3 {
            let first = site as u64 * 1_000 + batch * 10;
            let poll = found(followed.site.id, key, changes(first..first + 5));
            store.finish(&lease, poll).await.unwrap();
        }
        ids.push(followed.site.id);
    }
    ids
}

fn places(batches: &[Batch]) -> Vec<(i64, i64)> {
    batches.iter().map(|batch| (batch.collection_id, batch.sequence)).collect()
}

async fn newest(ground: &Ground) {
    let store = &ground.open().await;
    let sites = three_sites(store).await;
    ground.run("UPDATE batches SET seen_at = 1000 + sequence").await;
    let all = store.newest_batches(None, 100, 3).await.unwrap();
    let collections: Vec<i64> = {
        let mut ids: Vec<i64> = all.iter().map(|batch| batch.collection_id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    };
    let expected: Vec<(i64, i64)> = [3, 2, 1]
        .into_iter()
        .flat_map(|batch| collections.iter().rev().map(move |id| (*id, batch)))
        .collect();
    assert_eq!(places(&all), expected, "by time, and of one time by collection");
    assert!(all.iter().all(|batch| batch.changes.len() == 3), "the newest of their changes");
    assert!(all[0].changes.iter().is_sorted_by_key(|change| change.time), "in their order");
    let few = store.newest_batches(None, 4, 3).await.unwrap();
    assert_eq!(places(&few), expected[..4]);
    assert!(few.iter().all(|batch| batch.changes.len() == 3));
    // What one reader leaves out is there for all others.
    store.set_left_out(7, sites[1], true).await.unwrap();
    store.set_left_out(7, sites[1], true).await.unwrap();
    store.set_left_out(7, 999_999, true).await.unwrap();
    assert!(store.is_left_out(7, sites[1]).await.unwrap());
    assert!(!store.is_left_out(8, sites[1]).await.unwrap());
    let left = store.newest_batches(Some(7), 100, 9).await.unwrap();
    let without = expected.iter().filter(|(id, _)| *id != collections[1]).copied();
    assert_eq!(places(&left), without.collect::<Vec<_>>());
    assert!(left.iter().all(|batch| batch.changes.len() == 5));
    assert_eq!(store.newest_batches(Some(8), 100, 0).await.unwrap().len(), 9);
    let filter = ChangeFilter { without_left_out_by: Some(7), ..ChangeFilter::default() };
    let search = store.search(&filter, None, 100, 1_000).await.unwrap();
    assert_eq!(search.found.len(), 30);
    assert!(search.found.iter().all(|one| one.site_key != "b"));
    store.set_left_out(7, sites[1], false).await.unwrap();
    assert_eq!(store.newest_batches(Some(7), 100, 1).await.unwrap().len(), 9);
    // With a site goes what is said about it.
    store.set_left_out(7, sites[0], true).await.unwrap();
    assert!(store.unfollow("a").await.unwrap());
    assert!(!store.is_left_out(7, sites[0]).await.unwrap());
}

/// Removed posts of webfeeds take no places of other news.
async fn removed_posts(ground: &Ground) {
    let store = &ground.open().await;
    let sites = three_sites(store).await;
    ground.run("UPDATE batches SET seen_at = 1000 + sequence").await;
    ground.run("UPDATE sites SET via = 'webfeed' WHERE key = 'c'").await;
    ground.run("UPDATE changes SET kind = 'created'").await;
    // Of the webfeed the newest batch tells of removed posts alone, and the one before of some.
    let of_webfeed = "collection_id = (SELECT id FROM collections WHERE key = 'c')";
    ground
        .run(&format!(
            "UPDATE batches SET created = 0, updated = 0, deleted = 5
             WHERE {of_webfeed} AND sequence = 3"
        ))
        .await;
    ground
        .run(&format!(
            "UPDATE changes SET kind = 'deleted'
             WHERE {of_webfeed} AND (batch = 3 OR batch = 2 AND position < 2)"
        ))
        .await;
    // Other sites tell of deletions.
    ground
        .run(&format!("UPDATE changes SET kind = 'deleted' WHERE NOT {of_webfeed} AND batch = 1"))
        .await;
    let mut ids = Vec::new();
    for key in ["a", "b", "c"] {
        ids.push(store.collection(key).await.unwrap().unwrap().id);
    }
    let [a, b, c] = ids[..] else { panic!("{ids:?}") };
    let newest = store.newest_batches(None, 4, 9).await.unwrap();
    let mut expected = [(a, 3), (b, 3), (c, 2), (b, 2), (a, 2)];
    expected.sort_by_key(|(id, batch)| std::cmp::Reverse((*batch, *id)));
    assert_eq!(places(&newest), expected[..4]);
    assert!(newest.iter().all(|batch| batch.changes.len() == 5));
    let origin = store.collection_origins(&[c]).await.unwrap().remove(0);
    assert_eq!(origin.site_via, Via::Webfeed);
    assert!(origin.site_polled_at.is_some());
    let all = ChangeFilter::default();
    for (scope, count, left) in [
        (ChangeFilter::default(), 45, 38),
        (ChangeFilter { site_id: Some(sites[2]), ..all.clone() }, 15, 8),
        (ChangeFilter { collection_id: Some(c), ..all.clone() }, 15, 8),
        (ChangeFilter { collection_id: Some(a), ..all.clone() }, 15, 15),
        (ChangeFilter { kinds: vec![Kind::Deleted], ..all }, 17, 10),
    ] {
        let found = store.search(&scope, None, 100, 1_000).await.unwrap().found;
        assert_eq!(found.len(), count, "{scope:?}");
        let scope = ChangeFilter { without_removed_posts: true, ..scope };
        let mut found = store.search(&scope, None, 4, 1_000).await.unwrap();
        let mut all = found.found;
        while let Some(next) = found.next {
            found = store.search(&scope, Some(next), 4, 1_000).await.unwrap();
            all.extend(std::mem::take(&mut found.found));
        }
        assert_eq!(all.len(), left, "{scope:?}");
        let is_removed_post =
            |one: &FoundChange| one.site_key == "c" && one.change.change.kind == Kind::Deleted;
        assert!(!all.iter().any(is_removed_post), "{scope:?}");
    }
}

async fn origins(ground: &Ground) {
    let store = &ground.open().await;
    three_sites(store).await;
    let ids: Vec<i64> = store
        .newest_batches(None, 100, 0)
        .await
        .unwrap()
        .iter()
        .map(|batch| batch.collection_id)
        .collect();
    let mut origins = store.collection_origins(&ids).await.unwrap();
    origins.sort_by_key(|origin| origin.collection.id);
    let keys: Vec<_> = origins.iter().map(|one| (&*one.collection.key, &*one.site_key)).collect();
    assert_eq!(keys, [("a", "a"), ("b", "b"), ("c", "c")], "each once");
    assert_eq!(origins[0].site_title.as_deref(), Some("The site a"));
    assert!(store.collection_origins(&[]).await.unwrap().is_empty());
}

async fn searches(ground: &Ground) {
    let store = &ground.open().await;
    let user = store.add_first_user("ann", "hash").await.unwrap().unwrap();
    let other = store.add_user("bob", Role::Reader, "hash").await.unwrap().unwrap();
    let fog = store.save_search(other.id, "Fog", "?text=fog").await.unwrap().unwrap();
    let rain = store.save_search(other.id, "Rain", "?text=rain").await.unwrap().unwrap();
    let own = store.save_search(user.id, "Fog", "?text=fog").await.unwrap().unwrap();
    assert_eq!(store.saved_searches(other.id).await.unwrap(), [fog.clone(), rain.clone()]);
    assert_eq!(store.saved_search(own.id).await.unwrap(), Some(own.clone()));
    assert!(!store.remove_search(user.id, fog.id).await.unwrap(), "only of one's own");
    assert!(store.remove_search(other.id, rain.id).await.unwrap());
    let again = store.save_search(other.id, "Rain", "?text=rain").await.unwrap().unwrap();
    assert!(again.id > own.id && again.id != rain.id, "no number is used again");
    assert_eq!(store.remove_user(other.id).await.unwrap(), UserChange::Done);
    assert_eq!(store.saved_search(fog.id).await.unwrap(), None, "gone with their owner");
    for _ in 0..SavedSearch::MAX_PER_OWNER - 1 {
        assert!(store.save_search(user.id, "x", "?").await.unwrap().is_some());
    }
    assert!(store.save_search(user.id, "x", "?").await.unwrap().is_none(), "these are enough");
}

async fn partly_failing(ground: &Ground) {
    let store = &ground.open().await;
    let (followed, lease) = leased(store, "a").await;
    let mut poll = outcome(followed.site.id);
    poll.state = State::PartlyFailing;
    poll.reason = Some("one of its sets is broken".to_owned());
    store.finish(&lease, poll).await.unwrap();
    let site = store.site("a").await.unwrap().unwrap();
    assert_eq!((site.state, site.polled_at), (State::PartlyFailing, site.succeeded_at));
    assert_eq!(store.counts().await.unwrap().by_state, [0, 0, 0, 0, 1]);
}
