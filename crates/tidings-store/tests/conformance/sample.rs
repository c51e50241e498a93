//! Sites and outcomes to test with.

use tidings_store::{
    CollectionOutcome, Followed, Kind, Lease, NewChange, NewCollection, NewSite, Outcome, Settings,
    State, Store, Via,
};

pub(crate) const MINUTE: i64 = 60_000;

pub(crate) fn collection(key: &str) -> NewCollection {
    NewCollection {
        key: key.to_owned(),
        identity: format!("https://{key}.example/"),
        title: Some(format!("All of {key}")),
        progress: "{}".to_owned(),
        ..NewCollection::default()
    }
}

/// A site with one collection, both named the same, on a host of that name.
pub(crate) fn site(key: &str) -> NewSite {
    NewSite {
        asked: format!("https://{key}.example/asked"),
        key: key.to_owned(),
        url: format!("https://{key}.example/sitemap.xml"),
        host: format!("{key}.example"),
        via: Via::Sitemap,
        title: Some(format!("The site {key}")),
        settings: Settings::default(),
        details: "{}".to_owned(),
        interval: MINUTE,
        due: None,
        collections: vec![collection(key)],
    }
}

pub(crate) async fn follow(store: &Store, key: &str) -> Followed {
    store.follow(site(key)).await.unwrap()
}

/// Follows a site and leases its host.
pub(crate) async fn leased(store: &Store, key: &str) -> (Followed, Lease) {
    let followed = follow(store, key).await;
    let lease = store.claim_site("worker", key, MINUTE).await.unwrap().unwrap();
    (followed, lease)
}

pub(crate) fn change(number: u64) -> NewChange {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    NewChange {
        key,
        uri: format!("https://a.example/{number}"),
        kind: [Kind::Created, Kind::Updated, Kind::Deleted][number as usize % 3],
        time: 1_000 + number as i64,
        time_text: Some(format!("2026-01-01T00:00:{number}Z")),
        title: None,
        note: Some(format!("note {number}")),
    }
}

pub(crate) fn changes(numbers: impl IntoIterator<Item = u64>) -> Vec<NewChange> {
    numbers.into_iter().map(change).collect()
}

/// A poll that went well and said nothing.
pub(crate) fn outcome(site_id: i64) -> Outcome {
    Outcome {
        site_id,
        state: State::Well,
        reason: None,
        failures: 0,
        interval: 2 * MINUTE,
        wait: 2 * MINUTE,
        title: None,
        details: None,
        collections: Vec::new(),
        snapshot: None,
        moved: None,
        posts: None,
        requests: 1,
        took: 10,
    }
}

/// A poll that found these changes in the collection of that key.
pub(crate) fn found(site_id: i64, key: &str, changes: Vec<NewChange>) -> Outcome {
    let collection =
        CollectionOutcome { collection: collection(key), changes, ..CollectionOutcome::default() };
    Outcome { collections: vec![collection], ..outcome(site_id) }
}
