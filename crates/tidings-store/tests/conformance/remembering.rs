//! Snapshots, pages, robots.txt and tokens.

use tidings_store::{Outcome, RobotsRecord, Run, Scope, Snapshot, Store};

use crate::sample::{follow, leased, outcome};

cases! { snapshots, pages, robots, tokens, secrets }

fn run(id: &str, pieces: i64) -> Run {
    Run {
        id: id.to_owned(),
        document: format!("https://a.example/{id}.xml"),
        etag: Some("\"1\"".to_owned()),
        last_modified: None,
        entries: pieces * 10,
        pieces,
    }
}

async fn snapshots(store: Store) {
    let (followed, lease) = leased(&store, "a").await;
    let id = followed.site.id;
    let other = follow(&store, "b").await.site.id;
    for (run, number) in [("z", 0), ("z", 1), ("y", 0), ("orphan", 0)] {
        store.stage(id, run, number, vec![0, 255, number as u8]).await.unwrap();
        store.stage(other, run, number, vec![9]).await.unwrap();
    }
    store.stage(id, "z", 1, vec![7; 100_000]).await.unwrap();
    assert!(store.runs(id).await.unwrap().is_empty());
    let finish = async |runs: Option<Vec<Run>>| {
        let snapshot = runs.map(|runs| Snapshot { runs });
        store.finish(&lease, Outcome { snapshot, ..outcome(id) }).await.unwrap();
    };
    finish(None).await;
    assert!(store.piece(id, "orphan", 0).await.unwrap().is_some());
    finish(Some(vec![run("z", 2), run("y", 1)])).await;
    assert_eq!(store.runs(id).await.unwrap(), [run("z", 2), run("y", 1)]);
    assert_eq!(store.piece(id, "z", 0).await.unwrap().unwrap(), [0, 255, 0]);
    assert_eq!(store.piece(id, "z", 1).await.unwrap().unwrap(), [7; 100_000]);
    assert!(store.piece(id, "orphan", 0).await.unwrap().is_none());
    assert!(store.piece(other, "orphan", 0).await.unwrap().is_some());
    store.stage(id, "x", 0, vec![1]).await.unwrap();
    finish(Some(vec![run("x", 1), run("z", 2)])).await;
    assert_eq!(store.runs(id).await.unwrap(), [run("x", 1), run("z", 2)]);
    assert!(store.piece(id, "y", 0).await.unwrap().is_none());
    assert!(store.piece(id, "z", 1).await.unwrap().is_some());
    let many: Vec<_> = (0..500).map(|number| run(&format!("r{number}"), 1)).collect();
    finish(Some(many.clone())).await;
    assert_eq!(store.runs(id).await.unwrap(), many);
    finish(Some(Vec::new())).await;
    assert!(store.runs(id).await.unwrap().is_empty());
    assert!(store.piece(id, "z", 1).await.unwrap().is_none());
}

async fn pages(store: Store) {
    let id = follow(&store, "a").await.site.id;
    assert_eq!(store.page_text(id, "https://a.example/").await.unwrap(), None);
    for text in ["first", "", "second\nline"] {
        store.put_page_text(id, "https://a.example/", text).await.unwrap();
        let known = store.page_text(id, "https://a.example/").await.unwrap();
        assert_eq!(known.as_deref(), Some(text));
    }
}

async fn robots(store: Store) {
    let origin = "https://a.example";
    assert_eq!(store.robots(origin).await.unwrap(), None);
    for (body, obstacle) in [(Some(vec![0, 1, 254]), None), (None, None), (None, Some("503"))] {
        let record = RobotsRecord { fetched_at: 5, body, obstacle: obstacle.map(str::to_owned) };
        store.put_robots(origin, &record).await.unwrap();
        assert_eq!(store.robots(origin).await.unwrap(), Some(record));
    }
}

async fn tokens(store: Store) {
    assert!(store.add_token("b", Scope::Write, [1; 32]).await.unwrap());
    assert!(store.add_token("a", Scope::Read, [2; 32]).await.unwrap());
    assert!(!store.add_token("a", Scope::Write, [3; 32]).await.unwrap());
    assert!(store.add_token("c", Scope::Admin, [4; 32]).await.unwrap());
    let listed = store.tokens().await.unwrap();
    assert_eq!(listed.iter().map(|token| token.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(listed[0].used_at, None);
    let scopes: Vec<_> = listed.iter().map(|token| token.scope).collect();
    assert_eq!(scopes, [Scope::Read, Scope::Write, Scope::Admin]);
    assert!(scopes.is_sorted());
    assert_eq!(store.token([3; 32]).await.unwrap(), None);
    let token = store.token([1; 32]).await.unwrap().unwrap();
    assert_eq!((token.name.as_str(), token.scope), ("b", Scope::Write));
    let used = token.used_at.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    // Not written down again so soon.
    assert_eq!(store.token([1; 32]).await.unwrap().unwrap().used_at, Some(used));
    assert_eq!(store.tokens().await.unwrap()[1].used_at, Some(used));
    assert!(store.remove_token("b").await.unwrap());
    assert!(!store.remove_token("b").await.unwrap());
    assert_eq!(store.token([1; 32]).await.unwrap(), None);
}

async fn secrets(store: Store) {
    assert_eq!(store.secret("a", "first").await.unwrap(), "first");
    assert_eq!(store.secret("a", "second").await.unwrap(), "first", "what is there stays");
    assert_eq!(store.secret("b", "second").await.unwrap(), "second");
}
