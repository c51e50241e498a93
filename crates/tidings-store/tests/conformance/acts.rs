//! Who did what.

use tidings_store::NewAct;

use crate::ground::Ground;

grounds! { remembered, forgotten }

fn act(object: &str) -> NewAct<'_> {
    NewAct { actor: "anton", act: "follow", object, detail: "every day" }
}

async fn remembered(ground: &Ground) {
    let store = ground.open().await;
    assert!(store.acts(None, 10).await.unwrap().is_empty());
    for number in 0..7 {
        store.record_act(act(&format!("s{number}"))).await.unwrap();
    }
    let all = store.acts(None, 100).await.unwrap();
    let objects: Vec<_> = all.iter().map(|act| act.object.as_str()).collect();
    assert_eq!(objects, ["s6", "s5", "s4", "s3", "s2", "s1", "s0"]);
    let first = &all[6];
    assert_eq!((first.actor.as_str(), first.act.as_str()), ("anton", "follow"));
    assert_eq!(first.detail, "every day");
    assert!(first.at <= store.now().await.unwrap());
    let mut paged = store.acts(None, 3).await.unwrap();
    for _ in 0..2 {
        let before = paged.last().map(|act| act.id);
        paged.extend(store.acts(before, 3).await.unwrap());
    }
    assert_eq!(paged, all);
    assert!(store.acts(Some(first.id), 3).await.unwrap().is_empty());
}

async fn forgotten(ground: &Ground) {
    let store = ground.open().await;
    ground
        .run(
            "INSERT INTO acts (at, actor, act, object, detail)
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100998)
             SELECT i, 'a', 'b', 'c', 'd' FROM n",
        )
        .await;
    store.record_act(act("before")).await.unwrap();
    assert_eq!(store.acts(None, 200_000).await.unwrap().len(), 100_999);
    store.record_act(act("last")).await.unwrap();
    let kept = store.acts(None, 200_000).await.unwrap();
    assert_eq!(kept.len(), 100_000);
    assert_eq!(kept[0].object, "last");
    assert_eq!(kept[99_999].at, 1_001);
}
