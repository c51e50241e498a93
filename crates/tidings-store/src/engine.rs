//! The two databases behind one face: operations that run in sessions of either.
//!
//! An [`Operation`] is a value that says all that it does in portable statements. Each runs as a
//! whole or not at all, and may run more than once until it was made durable: it must not keep
//! anything from one attempt to the next.

mod backup;
mod chunk;
mod dialect;
mod identity;
mod lite;
mod postgres;
mod readers;
mod row;
mod schema;
mod session;
mod sqlite;
mod value;
mod writer;

use std::future::Future;

pub use backup::{backup, restore};
pub(crate) use chunk::{chunks, padded, places, rows};
use postgres::Postgres;
pub(crate) use row::Row;
pub(crate) use session::Session;
use sqlite::Sqlite;
pub(crate) use value::{Value, params};

use crate::error::Result;
use crate::{Identity, Location, Millis};

/// Something to be read or written as a whole.
pub(crate) trait Operation: Send + Sync + 'static {
    /// What comes of it.
    type Output: Send + 'static;

    /// Does it. In SQLite the future is always ready at once.
    fn run(&self, session: &mut Session<'_>) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// The database.
#[derive(Debug)]
pub(crate) enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Engine {
    /// Opens the database; with `create`, makes what is not there yet.
    pub(crate) async fn open(
        location: &Location,
        create: bool,
        authority: Option<&str>,
    ) -> Result<(Self, Identity)> {
        let authority = authority.map(str::to_owned);
        match location {
            Location::Folder(folder) => {
                let folder = folder.clone();
                let (sqlite, identity) = Sqlite::open(folder, create, authority).await?;
                Ok((Self::Sqlite(sqlite), identity))
            }
            Location::Database(url) => {
                let (postgres, identity) = Postgres::open(url, create, authority).await?;
                Ok((Self::Postgres(postgres), identity))
            }
        }
    }

    /// Reads.
    pub(crate) async fn read<O: Operation>(&self, operation: O) -> Result<O::Output> {
        match self {
            Self::Sqlite(sqlite) => sqlite.read(operation).await,
            Self::Postgres(postgres) => postgres.read(&operation).await,
        }
    }

    /// Writes, and returns when what was written is durable.
    pub(crate) async fn write<O: Operation>(&self, operation: O) -> Result<O::Output> {
        match self {
            Self::Sqlite(sqlite) => sqlite.write(operation).await,
            Self::Postgres(postgres) => postgres.write(&operation).await,
        }
    }
}

/// A single statement that reads rows.
#[derive(Debug)]
pub(crate) struct Select<T: 'static> {
    pub(crate) sql: String,
    pub(crate) params: Vec<Value>,
    /// What a row says.
    pub(crate) read: fn(&mut Row) -> Result<T>,
}

impl<T: Send + 'static> Operation for Select<T> {
    type Output = Vec<T>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Vec<T>> {
        let mut rows = session.query(&self.sql, &self.params).await?;
        rows.iter_mut().map(self.read).collect()
    }
}

/// A single statement that writes; says how many rows it was about.
#[derive(Debug)]
pub(crate) struct Execute {
    pub(crate) sql: &'static str,
    pub(crate) params: Vec<Value>,
}

impl Operation for Execute {
    type Output = u64;

    async fn run(&self, session: &mut Session<'_>) -> Result<u64> {
        session.execute(self.sql, &self.params).await
    }
}

/// What time it is, for leases: by the database's clock.
#[derive(Debug)]
pub(crate) struct Now;

impl Operation for Now {
    type Output = Millis;

    async fn run(&self, session: &mut Session<'_>) -> Result<Millis> {
        session.now().await
    }
}
