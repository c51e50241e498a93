//! Collections whose changes nobody wants.

use tidings_store::{Finished, NewCollection, Store};

use crate::sample::{changes, collection, follow, found, leased, site};

cases! { muted, muted_from_the_start }

async fn muted(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let (site, id) = (followed.site.id, followed.collections[0].id);
    assert!(!followed.collections[0].is_muted);
    store.finish(&lease, found(site, "a", changes(0..3))).await.unwrap();
    let before = store.site("a").await.unwrap().unwrap();
    assert!(store.set_muted("a", true).await.unwrap());
    assert!(!store.set_muted("b", true).await.unwrap());
    let mut poll = found(site, "a", changes(3..9));
    let said = &mut poll.collections[0];
    said.more = [1, 2, 3];
    said.collection.progress = "{\"on\":1}".to_owned();
    said.collection.title = Some("Renamed".to_owned());
    said.reason = Some("odd".to_owned());
    assert_eq!(store.finish(&lease, poll.clone()).await.unwrap(), Finished::default());
    let known = store.collection("a").await.unwrap().unwrap();
    assert!(known.is_muted);
    assert_eq!((known.changes, known.batches), (3, 1));
    assert_eq!(known.progress, "{}", "what is passed over now can be told later");
    assert_eq!(known.title.as_deref(), Some("Renamed"));
    assert_eq!(known.reason.as_deref(), Some("odd"));
    assert_eq!(store.collections(site).await.unwrap(), [known]);
    // What came before stays, and the site has no news.
    assert_eq!(store.changes(id, 0, 99).await.unwrap().len(), 3);
    assert_eq!(store.site("a").await.unwrap().unwrap().changed_at, before.changed_at);
    assert_eq!(store.activity(id, 0, i64::MAX).await.unwrap().len(), 1);
    assert_eq!(store.polls(site).await.unwrap()[0].changes, 0);
    // Others of the site are heard.
    let mut other = poll.collections[0].clone();
    other.collection = collection("other");
    poll.collections.push(other);
    let finished = store.finish(&lease, poll).await.unwrap();
    assert_eq!((finished.changes, finished.changed), (12, vec!["other".to_owned()]));
    // What comes afterwards goes on where it was.
    assert!(store.set_muted("a", false).await.unwrap());
    store.finish(&lease, found(site, "a", changes(9..11))).await.unwrap();
    let known = store.collection("a").await.unwrap().unwrap();
    assert_eq!((known.is_muted, known.changes, known.batches), (false, 5, 2));
}

async fn muted_from_the_start(store: Store) {
    let mut new = site("a");
    new.collections.push(NewCollection { is_muted: true, ..collection("quiet") });
    let followed = store.follow(new).await.unwrap();
    assert_eq!(
        followed.collections.iter().map(|one| one.is_muted).collect::<Vec<_>>(),
        [false, true]
    );
    follow(&store, "b").await;
    let lease = store.claim_site("worker", "a", 60_000).await.unwrap().unwrap();
    // A poll that does not know of it does not change it.
    let mut poll = found(followed.site.id, "quiet", changes(0..3));
    assert_eq!(store.finish(&lease, poll.clone()).await.unwrap().changes, 0);
    assert!(store.collection("quiet").await.unwrap().unwrap().is_muted);
    // One that a poll makes is muted as that says.
    poll.collections[0].collection = NewCollection { is_muted: true, ..collection("found") };
    assert_eq!(store.finish(&lease, poll).await.unwrap().changes, 0);
    assert!(store.collection("found").await.unwrap().unwrap().is_muted);
}
