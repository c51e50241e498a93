//! PostgreSQL databases for tests, each made beside the one that `TIDINGS_POSTGRES` names.

use std::sync::atomic::{AtomicU32, Ordering};

use tidings_store::{Location, Store};
use tokio_postgres::NoTls;

/// A PostgreSQL database of one test.
pub(crate) struct Database {
    /// The one to start from.
    first: String,
    name: String,
    url: String,
}

impl Database {
    /// Made beside the one that `TIDINGS_POSTGRES` names; none if it names none.
    pub(crate) async fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let first = std::env::var("TIDINGS_POSTGRES").ok()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tidings_test_{}_{number}", std::process::id());
        let (server, _) = first.rsplit_once('/').unwrap();
        let url = format!("{server}/{name}");
        let database = Self { first, name, url };
        let (drop, create) = ("DROP DATABASE IF EXISTS", "CREATE DATABASE");
        database.on_first(&format!("{drop} {}", database.name)).await;
        database.on_first(&format!("{create} {}", database.name)).await;
        Some(database)
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) async fn open(&self) -> Store {
        Store::open(&Location::Database(self.url.clone()), None).await.unwrap()
    }

    /// The answer to a question that has a number for one.
    pub(crate) async fn number(&self, question: &str) -> u64 {
        let (client, connection) = tokio_postgres::connect(&self.url, NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let row = client.query_one(question, &[]).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
        u64::try_from(row.get::<_, i64>(0)).unwrap()
    }

    pub(crate) async fn remove(self) {
        self.on_first(&format!("DROP DATABASE {} WITH (FORCE)", self.name)).await;
    }

    async fn on_first(&self, statement: &str) {
        let (client, connection) = tokio_postgres::connect(&self.first, NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        client.batch_execute(statement).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
    }
}
