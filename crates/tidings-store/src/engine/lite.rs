//! One connection to a SQLite file.

use std::collections::HashMap;
use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::{Operation, Row, Session, Value, dialect};
use crate::StoreError;
use crate::error::Result;

/// How long others, such as another process, may keep the file locked.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How many statements each connection keeps prepared.
const STATEMENTS: usize = 256;

/// One connection to a SQLite file.
#[derive(Debug)]
pub(crate) struct Lite {
    connection: Connection,
    /// Statements as SQLite wants them, by how they are written.
    texts: HashMap<String, String>,
    pub(super) place: Arc<str>,
}

impl Lite {
    /// Opens a file that is there.
    pub(super) fn open(path: &Path, place: &Arc<str>) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(problem(place))?;
        connection.busy_timeout(PATIENCE).map_err(problem(place))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(Self { connection, texts: HashMap::new(), place: Arc::clone(place) })
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(super) fn connection_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// True if the file cannot be written to.
    pub(super) fn is_readonly(&self) -> bool {
        self.connection.is_readonly("main").unwrap_or(false)
    }

    /// True outside of transactions, also after SQLite gave one up by itself.
    pub(super) fn is_idle(&self) -> bool {
        self.connection.is_autocommit()
    }

    /// Runs a script, or a statement without parameters.
    pub(super) fn script(&self, sql: &str) -> Result<()> {
        self.connection.execute_batch(sql).map_err(problem(&self.place))
    }

    /// The same of a statement that is used all the time.
    pub(super) fn plain(&self, sql: &str) -> Result<()> {
        let done = self.connection.prepare_cached(sql).and_then(|mut known| known.execute([]));
        done.map(drop).map_err(problem(&self.place))
    }

    pub(super) fn query(&mut self, sql: &str, params: &[Value]) -> Result<Vec<Row>> {
        let text = text(&mut self.texts, sql);
        query(&self.connection, text, params, &self.place).map_err(problem(&self.place))
    }

    pub(super) fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64> {
        let text = text(&mut self.texts, sql);
        let done = self.connection.prepare_cached(text);
        let done = done.and_then(|mut known| known.execute(params_from_iter(params)));
        done.map(|rows| rows as u64).map_err(problem(&self.place))
    }

    /// Runs an operation, which never has to wait here.
    pub(super) fn run<O: Operation>(&mut self, operation: &O) -> Result<O::Output> {
        let place = Arc::clone(&self.place);
        let mut session = Session::Sqlite(self);
        let future = pin!(operation.run(&mut session));
        match future.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => Err(StoreError::Failed {
                place: place.to_string(),
                detail: "an operation waited for something else".to_owned(),
            }),
        }
    }
}

/// The statement as SQLite wants it. There are few, and they are made once.
fn text<'a>(texts: &'a mut HashMap<String, String>, sql: &str) -> &'a str {
    if !texts.contains_key(sql) {
        texts.insert(sql.to_owned(), dialect::for_sqlite(sql));
    }
    texts.get(sql).map_or("", String::as_str)
}

fn query(
    connection: &Connection,
    text: &str,
    params: &[Value],
    place: &Arc<str>,
) -> rusqlite::Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(text)?;
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(params))?;
    let mut read = Vec::new();
    while let Some(row) = rows.next()? {
        read.push(Row::from_sqlite(row, columns, place)?);
    }
    Ok(read)
}

/// What an error of SQLite means for who works with the file.
pub(super) fn problem(place: &Arc<str>) -> impl Fn(rusqlite::Error) -> StoreError {
    move |error| {
        let place = place.to_string();
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                StoreError::Damaged { place, detail }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                let seconds = PATIENCE.as_secs();
                let detail = format!("another process kept it locked for {seconds} seconds");
                StoreError::Busy { place, detail }
            }
            Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { place },
            Some(ErrorCode::DiskFull) => StoreError::Full { place },
            _ => StoreError::Failed { place, detail },
        }
    }
}
