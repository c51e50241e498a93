//! The sessions of users.

use tidings_store::{Role, Store, UserSession};

use crate::ground::Ground;
use crate::sample::MINUTE;

grounds! { begun, ended, expired, idle, noted_once_a_minute, visits, many, many_at_once }

const LASTS: i64 = 1_000 * MINUTE;

async fn user(store: &Store) -> i64 {
    store.add_user("a", Role::Editor, "hash").await.unwrap().unwrap().id
}

/// Makes all that is known of sessions and visits older.
async fn later(ground: &Ground, by: i64) {
    let sql = format!(
        "UPDATE sessions SET created_at = created_at - {by}, used_at = used_at - {by}, \
         expires_at = expires_at - {by};
         UPDATE users SET seen_at = seen_at - {by}, visited_at = visited_at - {by};"
    );
    ground.run(&sql).await;
}

async fn begun(ground: &Ground) {
    let store = ground.open().await;
    let id = user(&store).await;
    let before = store.now().await.unwrap();
    assert_eq!(store.session([1; 32]).await.unwrap(), None);
    store.begin_session(id, "hash", [1; 32], &"Browser".repeat(1_000), LASTS).await.unwrap();
    let session = store.session([1; 32]).await.unwrap().unwrap();
    assert!(session.created_at >= before);
    assert_eq!(session.used_at, session.created_at);
    assert_eq!(session.expires_at, session.created_at + LASTS);
    assert_eq!(session.user.signed_in_at, Some(session.created_at));
    assert_eq!((session.user.name.as_str(), session.user.role), ("a", Role::Editor));
    assert_eq!(session.about, "Browser".repeat(1_000)[..300]);
    assert_eq!(session.visited, None);
    assert_eq!(store.sessions(id).await.unwrap(), [session]);
    // Somebody who was removed in the meantime does not get in, nor with a password that was changed.
    for (id, password) in [(id + 1, "hash"), (id, "old hash")] {
        assert!(!store.begin_session(id, password, [2; 32], "", LASTS).await.unwrap());
        assert_eq!(store.session([2; 32]).await.unwrap(), None);
    }
}

async fn ended(ground: &Ground) {
    let store = ground.open().await;
    let id = user(&store).await;
    let other = store.add_user("b", Role::Reader, "hash").await.unwrap().unwrap().id;
    for number in 1..=4 {
        store.begin_session(id, "hash", [number; 32], "", LASTS).await.unwrap();
    }
    store.begin_session(other, "hash", [9; 32], "", LASTS).await.unwrap();
    assert!(store.end_session([1; 32]).await.unwrap());
    assert!(!store.end_session([1; 32]).await.unwrap());
    assert_eq!(store.session([1; 32]).await.unwrap(), None);
    assert_eq!(store.end_sessions(id, Some([3; 32])).await.unwrap(), 2);
    assert_eq!(store.sessions(id).await.unwrap().len(), 1);
    assert!(store.session([3; 32]).await.unwrap().is_some());
    assert_eq!(store.end_sessions(id, None).await.unwrap(), 1);
    assert_eq!(store.session([3; 32]).await.unwrap(), None);
    assert!(store.session([9; 32]).await.unwrap().is_some());
}

async fn expired(ground: &Ground) {
    let store = ground.open().await;
    let id = user(&store).await;
    store.begin_session(id, "hash", [1; 32], "", LASTS).await.unwrap();
    later(ground, LASTS - MINUTE).await;
    assert!(store.session([1; 32]).await.unwrap().is_some());
    later(ground, MINUTE).await;
    assert_eq!(store.session([1; 32]).await.unwrap(), None);
    assert!(store.sessions(id).await.unwrap().is_empty());
    // It is deleted when the next one begins.
    store.begin_session(id, "hash", [2; 32], "", LASTS).await.unwrap();
    assert!(!store.end_session([1; 32]).await.unwrap());
}

async fn idle(ground: &Ground) {
    let store = ground.open().await;
    let id = user(&store).await;
    store.begin_session(id, "hash", [1; 32], "", 100 * UserSession::IDLE).await.unwrap();
    for _ in 0..3 {
        later(ground, UserSession::IDLE - MINUTE).await;
        assert!(store.session([1; 32]).await.unwrap().is_some());
    }
    later(ground, UserSession::IDLE + 1).await;
    assert_eq!(store.session([1; 32]).await.unwrap(), None);
    assert!(store.sessions(id).await.unwrap().is_empty());
}

async fn noted_once_a_minute(ground: &Ground) {
    let store = ground.open().await;
    let id = user(&store).await;
    store.begin_session(id, "hash", [1; 32], "", LASTS).await.unwrap();
    let first = store.session([1; 32]).await.unwrap().unwrap().used_at;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    assert_eq!(store.session([1; 32]).await.unwrap().unwrap().used_at, first);
    later(ground, 30_000).await;
    assert_eq!(store.session([1; 32]).await.unwrap().unwrap().used_at, first - 30_000);
    later(ground, 30_000).await;
    let used = store.session([1; 32]).await.unwrap().unwrap().used_at;
    assert!(used >= first);
    store.begin_session(id, "hash", [2; 32], "second", LASTS).await.unwrap();
    later(ground, MINUTE).await;
    store.session([1; 32]).await.unwrap();
    let about: Vec<_> =
        store.sessions(id).await.unwrap().into_iter().map(|session| session.about).collect();
    assert_eq!(about, ["", "second"]);
}

async fn visits(ground: &Ground) {
    let store = ground.open().await;
    let id = user(&store).await;
    store.begin_session(id, "hash", [1; 32], "", LASTS).await.unwrap();
    let visited = async |digest| store.session(digest).await.unwrap().unwrap().visited;
    assert_eq!(visited([1; 32]).await, None);
    // The first visit goes on.
    for _ in 0..3 {
        later(ground, 29 * MINUTE).await;
        assert_eq!(visited([1; 32]).await, None);
    }
    let end = store.now().await.unwrap();
    later(ground, 45 * MINUTE).await;
    let ended = visited([1; 32]).await.unwrap();
    assert!((end - 45 * MINUTE - MINUTE..=end - 45 * MINUTE).contains(&ended), "{ended} {end}");
    // The second one goes on, also elsewhere, and what is new stays new.
    store.begin_session(id, "hash", [2; 32], "", LASTS).await.unwrap();
    assert_eq!(visited([2; 32]).await, Some(ended));
    later(ground, 10 * MINUTE).await;
    assert_eq!(visited([2; 32]).await, Some(ended - 10 * MINUTE));
    assert_eq!(visited([1; 32]).await, Some(ended - 10 * MINUTE));
    later(ground, 31 * MINUTE).await;
    assert!(visited([1; 32]).await.unwrap() > ended);
}

async fn many(ground: &Ground) {
    let store = ground.open().await;
    let id = user(&store).await;
    for number in 0..60 {
        store.begin_session(id, "hash", [number; 32], &number.to_string(), LASTS).await.unwrap();
        later(ground, 10).await;
    }
    let kept = store.sessions(id).await.unwrap();
    assert_eq!(kept.len(), 50);
    assert_eq!(kept[0].about, "59");
    assert_eq!(kept[49].about, "10");
    assert_eq!(store.session([9; 32]).await.unwrap(), None);
}

async fn many_at_once(ground: &Ground) {
    let stores = [ground.open().await, ground.open().await];
    let id = user(&stores[0]).await;
    for number in 0..10 {
        stores[0].begin_session(id, "hash", [number; 32], "", LASTS).await.unwrap();
    }
    assert_eq!(stores[0].session([0; 32]).await.unwrap().unwrap().visited, None);
    later(ground, 45 * MINUTE).await;
    let tasks = (0..40).map(|number| {
        let store = stores[number % 2].clone();
        let digest = [number as u8 % 10; 32];
        tokio::spawn(async move { store.session(digest).await.unwrap().unwrap().visited })
    });
    let mut visited = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        visited.push(task.await.unwrap());
    }
    // All say the same, which is the end of the visit before.
    visited.dedup();
    assert_eq!(visited.len(), 1);
    assert!(visited[0].is_some());
}
