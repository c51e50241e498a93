//! Following, listing and forgetting sites.

use tidings_store::{Settings, SiteFilter, SiteOrder, State, Store};

use crate::sample::{MINUTE, changes, collection, follow, found, leased, outcome, site};

cases! {
    followed, followed_twice, keys_clash, many_keys_clash, unfollowed, unfollowed_during_a_poll,
    listed, text_is_found, odd_text, long_urls, paused, settings_change, settings_replaced,
    replaced_at_once, by_news, counted, identified,
}

async fn followed(store: Store) {
    let followed = follow(&store, "a").await;
    assert!(followed.is_new);
    assert_eq!(followed.site.state, State::New);
    assert_eq!(followed.site.title.as_deref(), Some("The site a"));
    assert_eq!(followed.collections.len(), 1);
    assert_eq!(followed.collections[0].key, "a");
    assert_eq!(store.site("a").await.unwrap().unwrap(), followed.site);
    assert_eq!(store.site_by_id(followed.site.id).await.unwrap().unwrap(), followed.site);
    assert_eq!(store.site_by_url(&followed.site.url).await.unwrap().unwrap(), followed.site);
    assert_eq!(store.collections(followed.site.id).await.unwrap(), followed.collections);
    assert_eq!(store.collection("a").await.unwrap().unwrap(), followed.collections[0]);
    assert!(store.site("b").await.unwrap().is_none());
    assert!(store.collection("b").await.unwrap().is_none());
    let due = store.next_due().await.unwrap().unwrap();
    assert!(due <= store.now().await.unwrap());
}

async fn followed_twice(store: Store) {
    let first = follow(&store, "a").await;
    let mut again = site("a");
    again.settings = Settings { titles: 3, ..Settings::default() };
    again.title = Some("another".to_owned());
    again.key = "other".to_owned();
    let second = store.follow(again).await.unwrap();
    assert!(!second.is_new);
    assert_eq!(second.site.id, first.site.id);
    assert_eq!(second.site.key, "a");
    assert_eq!(second.site.settings.titles, 3);
    assert_eq!(second.site.title, first.site.title);
    assert_eq!(second.collections, first.collections);
    assert_eq!(store.counts().await.unwrap().sites, 1);
}

async fn keys_clash(store: Store) {
    for (number, key) in [(1, "a"), (2, "a-2"), (3, "a-3")] {
        let mut new = site("a");
        new.url = format!("https://a.example/{number}");
        let followed = store.follow(new).await.unwrap();
        assert!(followed.is_new);
        assert_eq!(followed.site.key, key);
        assert_eq!(followed.collections[0].key, key);
    }
}

async fn many_keys_clash(store: Store) {
    let mut keys = std::collections::HashSet::new();
    for number in 0..50 {
        let mut new = site("a");
        new.url = format!("https://a.example/{number}");
        new.collections.push(collection("b"));
        let followed = store.follow(new).await.unwrap();
        assert_eq!(followed.collections.len(), 2);
        assert!(keys.insert(followed.site.key));
    }
    let clashes = (0..20).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut new = site("a");
            new.url = format!("https://a.example/at-once/{number}");
            store.follow(new).await.unwrap().site.key
        })
    });
    for clash in clashes.collect::<Vec<_>>() {
        assert!(keys.insert(clash.await.unwrap()));
    }
}

async fn unfollowed(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.site.id;
    store.finish(&lease, found(id, "a", changes(0..3))).await.unwrap();
    store.stage(id, "run", 0, vec![1]).await.unwrap();
    store.put_page_text(id, "https://a.example/", "text").await.unwrap();
    assert!(store.unfollow("a").await.unwrap());
    assert!(!store.unfollow("a").await.unwrap());
    assert!(store.site("a").await.unwrap().is_none());
    assert!(store.collection("a").await.unwrap().is_none());
    assert!(store.changes(followed.collections[0].id, 0, 9).await.unwrap().is_empty());
    assert!(store.polls(id).await.unwrap().is_empty());
    assert!(store.piece(id, "run", 0).await.unwrap().is_none());
    assert!(store.page_text(id, "https://a.example/").await.unwrap().is_none());
    assert_eq!(store.next_due().await.unwrap(), None);
    assert_eq!(store.counts().await.unwrap(), tidings_store::Counts::default());
    // The same once more is another one.
    let again = follow(&store, "a").await;
    assert!(again.is_new);
    assert_ne!(again.site.id, id);
    assert_eq!(store.claim("worker", 9, MINUTE).await.unwrap().len(), 1);
}

async fn unfollowed_during_a_poll(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let mut other = site("a");
    other.url = "https://a.example/other".to_owned();
    store.follow(other).await.unwrap();
    store.unfollow("a").await.unwrap();
    let id = followed.site.id;
    // The host is still there, for the other site; what is staged or found for this one goes nowhere.
    store.stage(id, "run", 0, vec![1]).await.unwrap();
    store.put_page_text(id, "u", "text").await.unwrap();
    let finished = store.finish(&lease, found(id, "a", changes(0..3))).await.unwrap();
    assert_eq!(finished, tidings_store::Finished::default());
    assert!(store.piece(id, "run", 0).await.unwrap().is_none());
    store.unfollow("a-2").await.unwrap();
    assert_eq!(store.finish(&lease, outcome(id)).await.unwrap().changes, 0);
    store.release(&lease).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), None);
}

async fn listed(store: Store) {
    for key in ["b", "Z", "a", "ä", "c-1", "c_1"] {
        follow(&store, key).await;
    }
    let keys = async |filter: SiteFilter| -> Vec<String> {
        store.sites(filter).await.unwrap().into_iter().map(|site| site.key).collect()
    };
    assert_eq!(keys(SiteFilter::default()).await, ["Z", "a", "b", "c-1", "c_1", "ä"]);
    let after = SiteFilter { after: Some("a".into()), limit: 2, ..SiteFilter::default() };
    assert_eq!(keys(after).await, ["b", "c-1"]);
    store.set_paused("b", true).await.unwrap();
    let paused = SiteFilter { state: Some(State::Paused), ..SiteFilter::default() };
    assert_eq!(keys(paused).await, ["b"]);
    let new =
        SiteFilter { state: Some(State::New), after: Some("b".into()), ..SiteFilter::default() };
    assert_eq!(keys(new).await, ["c-1", "c_1", "ä"]);
}

async fn text_is_found(store: Store) {
    for (key, title) in [("a", "100% sure"), ("b", "one_two"), ("c", "onextwo"), ("d", "wow! é")] {
        let new = tidings_store::NewSite { title: Some(title.to_owned()), ..site(key) };
        store.follow(new).await.unwrap();
    }
    let keys = async |text: &str| -> Vec<String> {
        let filter = SiteFilter { text: Some(text.to_owned()), ..SiteFilter::default() };
        store.sites(filter).await.unwrap().into_iter().map(|site| site.key).collect()
    };
    assert_eq!(keys("%").await, ["a"]);
    assert_eq!(keys("E_T").await, ["b"]);
    assert_eq!(keys("WOW!").await, ["d"]);
    assert_eq!(keys("é").await, ["d"]);
    assert_eq!(keys("C.example").await, ["c"]);
    assert_eq!(keys("").await.len(), 4);
    assert_eq!(keys("\\").await.len(), 0);
    assert_eq!(keys(&"x".repeat(100_000)).await.len(), 0);
}

async fn odd_text(store: Store) {
    let mut new = site("日本");
    new.title = Some("nul \0 and 𝄞 and '\"\\$1".to_owned());
    let followed = store.follow(new).await.unwrap();
    assert_eq!(followed.site.title.as_deref(), Some("nul \u{FFFD} and 𝄞 and '\"\\$1"));
    store.put_page_text(followed.site.id, "a\0b", "x\0y").await.unwrap();
    let text = store.page_text(followed.site.id, "a\0b").await.unwrap();
    assert_eq!(text.as_deref(), Some("x\u{FFFD}y"));
    let lease = store.claim_site("wor\0ker", "日本", MINUTE).await.unwrap().unwrap();
    let mut found = found(followed.site.id, "日本", changes(0..1));
    found.collections[0].changes[0].note = Some("\0".to_owned());
    found.reason = Some("\0".to_owned());
    assert_eq!(store.finish(&lease, found).await.unwrap().changes, 1);
    assert!(store.site("nul\0").await.unwrap().is_none());
}

async fn long_urls(store: Store) {
    // Not to be made shorter by compression.
    let long: String = (0..20_000_u32)
        .map(|n| char::from(b'!' + (n.wrapping_mul(2_654_435_761) >> 25) as u8 % 90))
        .collect();
    let mut new = site("a");
    new.url = format!("https://a.example/{long}");
    new.collections[0].identity = new.url.clone();
    let followed = store.follow(new.clone()).await.unwrap();
    assert!(!store.follow(new.clone()).await.unwrap().is_new);
    assert_eq!(store.site_by_url(&new.url).await.unwrap().unwrap(), followed.site);
    store.put_page_text(followed.site.id, &new.url, "text").await.unwrap();
    assert!(store.page_text(followed.site.id, &new.url).await.unwrap().is_some());
}

async fn paused(store: Store) {
    let followed = follow(&store, "a").await;
    assert!(store.set_paused("a", true).await.unwrap());
    assert!(!store.set_paused("b", true).await.unwrap());
    assert!(store.claim("worker", 9, MINUTE).await.unwrap().is_empty());
    assert_eq!(store.next_due().await.unwrap(), None);
    // Somebody may want it once nevertheless, and it stays paused.
    assert!(store.make_due("a").await.unwrap());
    assert!(store.claim("worker", 9, MINUTE).await.unwrap().is_empty());
    let lease = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    store.finish(&lease, outcome(followed.site.id)).await.unwrap();
    store.release(&lease).await.unwrap();
    assert_eq!(store.site("a").await.unwrap().unwrap().state, State::Paused);
    assert_eq!(store.next_due().await.unwrap(), None);
    assert!(store.set_paused("a", false).await.unwrap());
    let site = store.site("a").await.unwrap().unwrap();
    assert_eq!(site.state, State::Well);
    assert_eq!(store.claim("worker", 9, MINUTE).await.unwrap()[0].sites, [site]);
    // Going on with what was never polled, and with what failed.
    follow(&store, "b").await;
    store.set_paused("b", true).await.unwrap();
    store.set_paused("b", false).await.unwrap();
    assert_eq!(store.site("b").await.unwrap().unwrap().state, State::New);
    let lease = store.claim_site("worker", "b", MINUTE).await.unwrap().unwrap();
    let mut failed = outcome(lease.sites[0].id);
    (failed.state, failed.failures) = (State::Failing, 2);
    store.finish(&lease, failed).await.unwrap();
    store.set_paused("b", true).await.unwrap();
    store.set_paused("b", false).await.unwrap();
    assert_eq!(store.site("b").await.unwrap().unwrap().state, State::Failing);
}

async fn settings_change(store: Store) {
    follow(&store, "a").await;
    let settings = Settings { split: true, every: Some(5), ..Settings::default() };
    assert!(store.set_settings("a", settings.clone()).await.unwrap());
    assert!(!store.set_settings("b", settings.clone()).await.unwrap());
    assert_eq!(store.site("a").await.unwrap().unwrap().settings, settings);
}

async fn settings_replaced(store: Store) {
    let seen = follow(&store, "a").await.site.settings;
    let mine = Settings { titles: 3, ..seen.clone() };
    let theirs = Settings { diff: true, ..seen.clone() };
    let replace = async |key: &str, new: &Settings| {
        store.replace_settings(key, &seen, new.clone()).await.unwrap()
    };
    assert_eq!(replace("b", &mine).await, None);
    assert_eq!(replace("a", &mine).await, Some(true));
    assert_eq!(replace("a", &theirs).await, Some(false));
    assert_eq!(store.site("a").await.unwrap().unwrap().settings, mine);
    assert_eq!(store.replace_settings("a", &mine, theirs.clone()).await.unwrap(), Some(true));
    assert_eq!(store.site("a").await.unwrap().unwrap().settings, theirs);
}

async fn replaced_at_once(store: Store) {
    let seen = follow(&store, "a").await.site.settings;
    let tasks = (1..=20).map(|titles| {
        let (store, seen) = (store.clone(), seen.clone());
        let new = Settings { titles: 100 + titles, ..seen.clone() };
        tokio::spawn(async move { store.replace_settings("a", &seen, new).await.unwrap() })
    });
    let mut replaced = 0;
    for task in tasks.collect::<Vec<_>>() {
        replaced += u32::from(task.await.unwrap().unwrap());
    }
    assert_eq!(replaced, 1);
}

async fn by_news(store: Store) {
    for key in ["d", "a", "c", "b", "e"] {
        follow(&store, key).await;
    }
    for key in ["c", "a", "e"] {
        let lease = store.claim_site("worker", key, MINUTE).await.unwrap().unwrap();
        store.finish(&lease, found(lease.sites[0].id, key, changes(0..2))).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(3)).await;
    }
    for limit in 1..=6 {
        let mut listed: Vec<tidings_store::Site> = Vec::new();
        loop {
            let after_news = listed.last().map(tidings_store::Site::news_cursor);
            let order = SiteOrder::News;
            let filter = SiteFilter { order, after_news, limit, ..SiteFilter::default() };
            let page = store.sites(filter).await.unwrap();
            assert!(page.len() <= limit as usize);
            if page.is_empty() {
                break;
            }
            listed.extend(page);
        }
        let keys: Vec<_> = listed.iter().map(|site| site.key.as_str()).collect();
        // Those that never had news come last, what was followed last first.
        assert_eq!(keys, ["e", "a", "c", "b", "d"]);
    }
    let filter = SiteFilter {
        order: SiteOrder::News,
        state: Some(State::Well),
        text: Some("site".to_owned()),
        ..SiteFilter::default()
    };
    let keys: Vec<_> =
        store.sites(filter).await.unwrap().into_iter().map(|site| site.key).collect();
    assert_eq!(keys, ["e", "a", "c"]);
}

async fn counted(store: Store) {
    for key in ["a", "b", "c", "d"] {
        follow(&store, key).await;
    }
    let lease = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    store.finish(&lease, outcome(lease.sites[0].id)).await.unwrap();
    store.set_paused("b", true).await.unwrap();
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.sites, counts.collections, counts.due), (4, 4, 2));
    assert_eq!(counts.by_state, [2, 1, 0, 1, 0]);
    assert!((0..MINUTE).contains(&counts.lag));
}

async fn identified(store: Store) {
    let identity = store.identity();
    assert!(identity.authority.ends_with(".tidings.invalid"));
    assert_eq!(identity.date.len(), 10);
}
