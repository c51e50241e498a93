//! A conversation with either database.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use tokio_postgres::types::ToSql;

use super::lite::Lite;
use super::postgres::problem;
use super::{Row, Value};
use crate::Millis;
use crate::error::Result;

/// A conversation with either database: what an operation runs in.
pub(crate) enum Session<'a> {
    /// In the one transaction, or on a connection for reading.
    Sqlite(&'a mut Lite),
    /// A transaction of its own.
    Transaction(&'a deadpool_postgres::Transaction<'a>, &'a Arc<str>),
    /// Statements one by one, for reading.
    Client(&'a deadpool_postgres::Client, &'a Arc<str>),
}

impl Session<'_> {
    /// Where the state is, for errors.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Sqlite(lite) => lite.place.to_string(),
            Self::Transaction(_, place) | Self::Client(_, place) => place.to_string(),
        }
    }

    /// The rows that a statement brings.
    pub(crate) async fn query(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>> {
        let (rows, place) = match self {
            Self::Sqlite(lite) => return lite.query(sql, params),
            Self::Transaction(transaction, place) => {
                let statement = transaction.prepare_cached(sql).await.map_err(problem(place))?;
                (transaction.query(&statement, &borrowed(params)).await, place)
            }
            Self::Client(client, place) => {
                let statement = client.prepare_cached(sql).await.map_err(problem(place))?;
                (client.query(&statement, &borrowed(params)).await, place)
            }
        };
        let rows = rows.map_err(problem(place))?;
        let rows = rows.iter().map(|row| Row::from_postgres(row, place));
        rows.collect::<std::result::Result<_, _>>().map_err(problem(place))
    }

    /// The first row that it brings.
    pub(crate) async fn query_opt(&mut self, sql: &str, params: &[Value]) -> Result<Option<Row>> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// How many rows a statement changed.
    pub(crate) async fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64> {
        match self {
            Self::Sqlite(lite) => lite.execute(sql, params),
            Self::Transaction(transaction, place) => {
                let statement = transaction.prepare_cached(sql).await.map_err(problem(place))?;
                let done = transaction.execute(&statement, &borrowed(params)).await;
                done.map_err(problem(place))
            }
            Self::Client(client, place) => {
                let statement = client.prepare_cached(sql).await.map_err(problem(place))?;
                client.execute(&statement, &borrowed(params)).await.map_err(problem(place))
            }
        }
    }

    /// Now, by the clock that all who share the database go by, and not as of the beginning of the
    /// transaction, which may have waited.
    pub(crate) async fn now(&mut self) -> Result<Millis> {
        if let Self::Sqlite(_) = self {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            return Ok(i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        }
        const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";
        let row = self.query_opt(NOW, &[]).await?;
        row.map_or(Ok(0), |mut row| row.int())
    }
}

fn borrowed(params: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}
