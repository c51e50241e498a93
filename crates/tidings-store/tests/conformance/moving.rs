//! Sites that are followed by other means, and feeds that are not where they were.

use tidings_store::{CollectionOutcome, NewCollection, Outcome, RetiredFeed, SiteMove, Store, Via};

use crate::sample::{change, changes, collection, follow, found, leased, outcome, site};

cases! {
    a_site_that_moves_keeps_its_feeds_and_their_past,
    what_was_told_in_other_words_is_not_told_again,
    collections_that_end_lead_to_the_feed_of_the_site,
    feeds_of_unfollowed_sites_are_gone_until_they_are_followed_again,
    the_url_of_another_site_is_not_taken,
}

fn moved(site_id: i64, identities: Vec<(i64, String)>, ended: Vec<i64>) -> Outcome {
    let url = "https://a.example/".to_owned();
    let moved = SiteMove { via: Via::ResourceSync, url, identities, ended };
    Outcome { moved: Some(Box::new(moved)), ..outcome(site_id) }
}

async fn a_site_that_moves_keeps_its_feeds_and_their_past(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let (site_id, before) = (followed.site.id, followed.collections[0].clone());
    store.finish(&lease, found(site_id, "a", changes(0..3))).await.unwrap();
    let identity = "https://a.example/garden/".to_owned();
    let mut poll = moved(site_id, vec![(before.id, identity.clone())], Vec::new());
    let new = NewCollection { key: "other".into(), identity: identity.clone(), ..collection("a") };
    poll.collections.push(CollectionOutcome {
        collection: new,
        changes: changes(2..5),
        ..CollectionOutcome::default()
    });
    for _ in 0..2 {
        store.finish(&lease, poll.clone()).await.unwrap();
        let site = store.site("a").await.unwrap().unwrap();
        assert_eq!((site.via, site.url.as_str()), (Via::ResourceSync, "https://a.example/"));
        let collections = store.collections(site_id).await.unwrap();
        assert_eq!(collections.len(), 1);
        assert_eq!((&collections[0].key, &collections[0].identity), (&before.key, &identity));
        assert_eq!((collections[0].batches, collections[0].changes), (2, 5));
    }
    let by_url = store.site_by_url("https://a.example/").await.unwrap().unwrap();
    assert_eq!(by_url.id, site_id);
}

async fn what_was_told_in_other_words_is_not_told_again(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let mut poll = found(followed.site.id, "a", changes(3..4));
    poll.collections[0].told = (0..200).map(|number| change(number).key).collect();
    assert_eq!(store.finish(&lease, poll.clone()).await.unwrap().changes, 0);
    let id = followed.collections[0].id;
    assert_eq!(store.known(id, &[change(7).key, change(999).key]).await.unwrap(), [change(7).key]);
    let finished = store.finish(&lease, found(followed.site.id, "a", changes(199..202))).await;
    assert_eq!(finished.unwrap().changes, 2);
    assert_eq!(store.changes(id, 0, 99).await.unwrap().len(), 2);
    assert!(store.unfollow("a").await.unwrap());
}

async fn collections_that_end_lead_to_the_feed_of_the_site(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.collections[0].id;
    let poll = moved(followed.site.id, Vec::new(), vec![id]);
    store.finish(&lease, poll).await.unwrap();
    let ended = store.collection("a").await.unwrap().unwrap();
    assert!(ended.is_gone && ended.reason.is_some());
    let retired = store.retired_feed("feeds/a").await.unwrap();
    assert_eq!(retired, Some(RetiredFeed::Moved("sites/a".to_owned())));
    store.unfollow("a").await.unwrap();
    assert_eq!(store.retired_feed("feeds/a").await.unwrap(), Some(RetiredFeed::Gone));
}

async fn feeds_of_unfollowed_sites_are_gone_until_they_are_followed_again(store: Store) {
    for _ in 0..2 {
        follow(&store, "a").await;
        for name in ["feeds/a", "sites/a"] {
            assert_eq!(store.retired_feed(name).await.unwrap(), None);
        }
        store.unfollow("a").await.unwrap();
        for name in ["feeds/a", "sites/a"] {
            assert_eq!(store.retired_feed(name).await.unwrap(), Some(RetiredFeed::Gone));
        }
    }
    assert_eq!(store.retired_feed("feeds/never").await.unwrap(), None);
}

async fn the_url_of_another_site_is_not_taken(store: Store) {
    let mut other = site("b");
    other.url = "https://a.example/".to_owned();
    store.follow(other).await.unwrap();
    let (followed, lease) = leased(&store, "a").await;
    store.finish(&lease, moved(followed.site.id, Vec::new(), Vec::new())).await.unwrap();
    let site = store.site("a").await.unwrap().unwrap();
    assert_eq!((site.via, site.url), (Via::ResourceSync, followed.site.url));
}
