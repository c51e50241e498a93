//! A PostgreSQL server that does not do as it should.

use tidings_store::{Location, Store, StoreError};

use crate::ground::{Ground, statement};
use crate::sample::{MINUTE, changes, follow, found, leased};

async fn refused(url: &str) -> StoreError {
    let location = Location::Database(url.to_owned());
    assert!(!format!("{location:?}").contains("secret"));
    let error = Store::open(&location, None).await.unwrap_err();
    let all = format!("{error} {error:?}");
    assert!(!all.contains("secret"), "{all}");
    error
}

#[tokio::test]
async fn no_server() {
    let error = refused("postgres://u:secret@127.0.0.1:1/state").await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("postgres://u@127.0.0.1:1/state"), "{error}");
}

#[tokio::test]
async fn tls_is_not_built_in() {
    let error = refused("postgres://u:secret@127.0.0.1:1/state?sslmode=require").await;
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("TLS"), "{error}");
}

#[tokio::test]
async fn no_such_database() {
    let Some(ground) = Ground::postgres().await else { return };
    let error = refused(&format!("{}_not", ground.url())).await;
    assert!(matches!(error, StoreError::Refused { .. }), "{error}");
    ground.clear().await;
}

#[tokio::test]
async fn missing() {
    let Some(ground) = Ground::postgres().await else { return };
    let error = Store::open_existing(&ground.location).await.unwrap_err();
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    ground.clear().await;
}

#[tokio::test]
async fn newer_tables() {
    let Some(ground) = Ground::postgres().await else { return };
    drop(ground.open().await);
    statement(ground.url(), "UPDATE meta SET value = '99' WHERE key = 'schema'").await;
    let error = Store::open(&ground.location, None).await.unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
    ground.clear().await;
}

/// Row R7: all connections are cut while many polls are recorded.
#[tokio::test]
async fn r7_connections_are_cut() {
    const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let Some(ground) = Ground::postgres().await else { return };
    let store = ground.open().await;
    for number in 0..40 {
        follow(&store, &format!("s{number}")).await;
    }
    let leases = store.claim("worker", 40, MINUTE).await.unwrap();
    let tasks = leases.into_iter().map(|lease| {
        let store = store.clone();
        tokio::spawn(async move {
            for round in 0..10 {
                let site = &lease.sites[0];
                let poll = found(site.id, &site.key, changes(round * 3..round * 3 + 3));
                // Where the cut came at the very end, nobody knows: it is recorded again.
                while let Err(error) = store.finish(&lease, poll.clone()).await {
                    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
                }
            }
        })
    });
    let tasks: Vec<_> = tasks.collect();
    for _ in 0..5 {
        statement(ground.url(), CUT).await;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    for task in tasks {
        task.await.unwrap();
    }
    for number in 0..40 {
        let collection = store.collection(&format!("s{number}")).await.unwrap().unwrap();
        assert_eq!((collection.changes, collection.batches), (30, 10));
    }
    drop(store);
    ground.clear().await;
}

/// Row R7: a row that somebody keeps locked.
#[tokio::test]
async fn r7_locked_rows_are_waited_for() {
    let Some(ground) = Ground::postgres().await else { return };
    let store = ground.open().await;
    let (followed, lease) = leased(&store, "a").await;
    let (client, connection) =
        tokio_postgres::connect(ground.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("BEGIN; SELECT 1 FROM hosts FOR UPDATE").await.unwrap();
    let poll = tokio::spawn({
        let (store, poll) = (store.clone(), found(followed.site.id, "a", changes(0..3)));
        async move { store.finish(&lease, poll).await }
    });
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert!(!poll.is_finished());
    assert!(store.claim("other", 9, MINUTE).await.unwrap().is_empty());
    client.batch_execute("COMMIT").await.unwrap();
    assert_eq!(poll.await.unwrap().unwrap().changes, 3);
    drop((store, client));
    ground.clear().await;
}
