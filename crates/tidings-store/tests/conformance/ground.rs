//! A place for the state of one test.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use tempfile::TempDir;
use tidings_store::{Location, Store};
use tokio_postgres::NoTls;

static NEXT: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Ground {
    pub(crate) location: Location,
    folder: Option<TempDir>,
    /// The database to start from, and the one of this test.
    database: Option<(String, String)>,
}

impl Ground {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::Folder(folder.path().join("state"));
        Self { location, folder: Some(folder), database: None }
    }

    /// None if no server is named.
    pub(crate) async fn postgres() -> Option<Self> {
        let Ok(first) = std::env::var("TIDINGS_POSTGRES") else {
            println!("skipped: no TIDINGS_POSTGRES");
            return None;
        };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tidings_{}_{since}_{number}", std::process::id());
        statement(&first, &format!("CREATE DATABASE {name}")).await;
        let (server, _) = first.rsplit_once('/').unwrap();
        let location = Location::Database(format!("{server}/{name}"));
        Some(Self { location, folder: None, database: Some((first, name)) })
    }

    pub(crate) async fn open(&self) -> Store {
        Store::open(&self.location, None).await.unwrap()
    }

    /// The URL of the test's own database.
    pub(crate) fn url(&self) -> &str {
        match &self.location {
            Location::Database(url) => url,
            Location::Folder(_) => panic!("no database"),
        }
    }

    pub(crate) fn file(&self) -> std::path::PathBuf {
        self.folder.as_ref().unwrap().path().join("state/tidings.db")
    }

    /// Runs statements that both databases understand, behind the store's back.
    pub(crate) async fn run(&self, sql: &str) {
        match &self.location {
            Location::Database(url) => statement(url, sql).await,
            Location::Folder(_) => {
                let connection = rusqlite::Connection::open(self.file()).unwrap();
                connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
                connection.execute_batch(sql).unwrap();
            }
        }
    }

    pub(crate) async fn clear(self) {
        if let Some((first, name)) = &self.database {
            statement(first, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
    }
}

/// Runs a statement on a connection of its own.
pub(crate) async fn statement(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}
