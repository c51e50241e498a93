//! State that an older version made.

use tidings_store::{ChangeFilter, Day, Location, Role, Store};

use crate::ground::Ground;
use crate::sample::{MINUTE, changes, found};

grounds! { from_the_first }

/// As the first version made it, in the words of each database.
pub(crate) fn first(ground: &Ground) -> String {
    let script = format!("{}{DATA}", include_str!("../../src/engine/schema/1.sql"));
    match ground.location {
        Location::Folder(_) => script
            .replace(" WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)", "")
            .replace("BIGINT GENERATED ALWAYS AS IDENTITY", "INTEGER")
            .replace("INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT")
            .replace("BYTEA", "BLOB"),
        Location::Database(_) => {
            script.replace(" WITHOUT ROWID", "").replace(" TEXT", " TEXT COLLATE \"C\"")
        }
    }
}

/// A site with a collection of two batches: the second has changes of which only the number is kept,
/// and both have some that are said to happen after they were seen, on day 20 and day 30.
const DATA: &str = "
INSERT INTO meta (key, value) VALUES ('schema', '1'), ('authority', 'old.example'),
    ('date', '2026-01-01');
INSERT INTO hosts (name, next_due, lease_generation) VALUES ('a.example', 0, 1);
INSERT INTO sites (key, url, url_digest, asked_digest, host, via, created_at, next_due,
    poll_interval, settings, details, batches, changed_at)
VALUES ('a', 'https://a.example/', CAST('1' AS BYTEA), CAST('2' AS BYTEA), 'a.example', 'sitemap',
    5, 6, 60000, '{}', '{}', 2, 2592000007);
INSERT INTO collections (site_id, key, identity, identity_digest, progress, changes, batches)
VALUES (1, 'a', 'https://a.example/', CAST('3' AS BYTEA), '{}', 9, 2),
    (1, 'quiet', 'https://a.example/quiet', CAST('4' AS BYTEA), '{}', 0, 0);
INSERT INTO batches (collection_id, sequence, site_id, site_sequence, key, created, updated,
    deleted, recorded, oldest, newest, seen_at)
VALUES (1, 1, 1, 1, 'k1', 2, 1, 0, 3, -5, 1728000008, 1728000007),
    (1, 2, 1, 2, 'k2', 1, 0, 5, 2, 1728000000, 9999999999999, 2592000007);
INSERT INTO changes (collection_id, key, batch, position, uri, kind, time, note)
VALUES (1, CAST('aaaaaaaaaaaaaaaa' AS BYTEA), 1, 0, 'https://a.example/1', 'created', -5, 'n'),
    (1, CAST('bbbbbbbbbbbbbbbb' AS BYTEA), 1, 1, 'https://a.example/2', 'created', 1727999999, 'n'),
    (1, CAST('cccccccccccccccc' AS BYTEA), 1, 2, 'https://a.example/3', 'updated', 1728000008, 'n'),
    (1, CAST('dddddddddddddddd' AS BYTEA), 2, 0, 'https://a.example/4', 'created', 1728000000, 'n'),
    (1, CAST('eeeeeeeeeeeeeeee' AS BYTEA), 2, 1, 'https://a.example/5', 'deleted', 9999999999999, 'n');
";

async fn from_the_first(ground: &Ground) {
    if let Location::Folder(folder) = &ground.location {
        std::fs::create_dir_all(folder).unwrap();
    }
    ground.run(&first(ground)).await;
    let store = Store::open_existing(&ground.location).await.unwrap();
    assert_eq!(store.identity().authority, "old.example");
    let site = store.site("a").await.unwrap().unwrap();
    assert_eq!(site.news_cursor(), (2_592_000_007, site.id));
    let collections = store.collections(site.id).await.unwrap();
    assert!(collections.iter().all(|collection| !collection.is_muted));
    let day = |day, [created, updated, deleted]: [i64; 3]| Day { day, created, updated, deleted };
    let expected = [day(0, [1, 0, 0]), day(19, [1, 0, 0]), day(20, [1, 1, 0]), day(30, [0, 0, 5])];
    assert_eq!(store.activity(collections[0].id, 0, i64::MAX).await.unwrap(), expected);
    let counted: i64 = expected.iter().map(|day| day.created + day.updated + day.deleted).sum();
    assert_eq!(counted, collections[0].changes);
    assert_eq!(store.site_activity(&[site.id], 0).await.unwrap()[&site.id], expected);
    assert!(store.activity(collections[1].id, 0, i64::MAX).await.unwrap().is_empty());
    assert!(!store.has_users().await.unwrap());
    // All goes on as with new state.
    let lease = store.claim_site("worker", "a", MINUTE).await.unwrap().unwrap();
    let finished = store.finish(&lease, found(site.id, "b", changes(0..4))).await.unwrap();
    assert_eq!(finished.changes, 4);
    assert_eq!(store.site_activity(&[site.id], 0).await.unwrap()[&site.id][0].created, 3);
    store.add_user("a", Role::Reader, "hash").await.unwrap().unwrap();
    let found = store.search(&ChangeFilter::default(), None, 99, 99).await.unwrap().found;
    let batches: Vec<_> = found.iter().map(|found| found.change.batch).collect();
    assert_eq!(batches, [1, 1, 1, 1, 2, 2, 1, 1, 1]);
    drop(store);
    let store = ground.open().await;
    assert_eq!(store.activity(collections[0].id, 0, i64::MAX).await.unwrap(), expected);
    assert_eq!(store.batch(collections[0].id, 2).await.unwrap().unwrap().deleted, 5);
}
