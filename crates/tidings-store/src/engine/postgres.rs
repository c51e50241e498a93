//! State in a PostgreSQL database, which many machines share.

mod problem;
mod url;

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime,
    TimeoutType, Transaction,
};
use tokio_postgres::{IsolationLevel, NoTls};

pub(super) use problem::problem;

use super::schema::{self, Tables};
use super::{Now, Operation, Session, params};
use crate::error::Result;
use crate::{Identity, StoreError};

/// How many connections there are at the most.
const CONNECTIONS: usize = 16;

/// How often an operation is tried, first after [`PAUSE`] and then after twice as long each time, up
/// to [`LONGEST`]: enough for a server to restart.
const TRIES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// How each connection is set up: nothing waits for ever, also not for who has gone away.
const SETUP: &str = "SET default_transaction_isolation = 'read committed';
SET statement_timeout = '30s';
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '5s'";

/// A PostgreSQL database.
#[derive(Debug)]
pub(crate) struct Postgres {
    pool: Pool,
    place: Arc<str>,
}

impl Postgres {
    pub(super) async fn open(
        url: &str,
        create: bool,
        authority: Option<String>,
    ) -> Result<(Self, Identity)> {
        let (config, place) = url::read(url)?;
        let place: Arc<str> = place.into();
        let recycling_method = RecyclingMethod::Fast;
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method });
        let setup = Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, _| {
            Box::pin(async move { client.batch_execute(SETUP).await.map_err(HookError::Backend) })
        });
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .runtime(Runtime::Tokio1)
            .create_timeout(Some(Duration::from_secs(10)))
            .wait_timeout(Some(Duration::from_secs(30)))
            .recycle_timeout(Some(Duration::from_secs(10)))
            .post_create(setup)
            .build()
            .map_err(|error| refused(&place, error.to_string()))?;
        let postgres = Self { pool, place };
        let identity = postgres.prepare(create, authority).await?;
        Ok((postgres, identity))
    }

    /// Runs an operation that reads, each of its statements by itself.
    pub(super) async fn read<O: Operation>(&self, operation: &O) -> Result<O::Output> {
        let mut tries = 1;
        loop {
            let done = self.read_once(operation).await;
            match done {
                Err(error) if tries < TRIES && passes(&error) => pause(tries).await,
                done => return done,
            }
            tries += 1;
        }
    }

    async fn read_once<O: Operation>(&self, operation: &O) -> Result<O::Output> {
        let client = self.client().await?;
        operation.run(&mut Session::Client(&client, &self.place)).await
    }

    /// Runs an operation in a transaction of its own.
    pub(super) async fn write<O: Operation>(&self, operation: &O) -> Result<O::Output> {
        let mut tries = 1;
        loop {
            match self.write_once(operation).await {
                Err(Attempt::Again(error)) if tries < TRIES => {
                    tracing::debug!(%error, tries, "the operation is tried again");
                    pause(tries).await;
                }
                Err(Attempt::Again(error) | Attempt::Over(error)) => return Err(error),
                Ok(done) => return Ok(done),
            }
            tries += 1;
        }
    }

    async fn write_once<O: Operation>(
        &self,
        operation: &O,
    ) -> std::result::Result<O::Output, Attempt> {
        let mut client = self.client().await.map_err(Attempt::of)?;
        let transaction = self.begin(&mut client).await.map_err(Attempt::of)?;
        let session = &mut Session::Transaction(&transaction, &self.place);
        let done = operation.run(session).await.map_err(Attempt::of)?;
        transaction.commit().await.map_err(problem(&self.place)).map_err(Attempt::of_commit)?;
        Ok(done)
    }

    async fn begin<'a>(&self, client: &'a mut Client) -> Result<Transaction<'a>> {
        let builder = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted);
        builder.start().await.map_err(problem(&self.place))
    }

    async fn client(&self) -> Result<Client> {
        let place = &self.place;
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                problem(place)(error)
            }
            PoolError::Timeout(TimeoutType::Wait) => StoreError::Busy {
                place: place.to_string(),
                detail: format!("all {CONNECTIONS} connections were in use for 30 seconds"),
            },
            PoolError::Timeout(_) => StoreError::Unreachable {
                place: place.to_string(),
                detail: "it does not answer".to_owned(),
            },
            error => refused(place, error.to_string()),
        })
    }

    /// Brings the tables up to date. Others may be about to do the same.
    async fn prepare(&self, create: bool, authority: Option<String>) -> Result<Identity> {
        let mut client = self.client().await?;
        let version = self.version(&mut Session::Client(&client, &self.place)).await?;
        if version.is_none() && !create {
            return Err(StoreError::Missing { place: self.place.to_string() });
        }
        if version != Some(schema::VERSION) {
            let transaction = self.begin(&mut client).await?;
            self.migrate(&transaction, authority).await?;
            transaction.commit().await.map_err(problem(&self.place))?;
        }
        schema::ReadIdentity.run(&mut Session::Client(&client, &self.place)).await
    }

    async fn migrate(
        &self,
        transaction: &Transaction<'_>,
        authority: Option<String>,
    ) -> Result<()> {
        /// One at a time. The number is nothing but ours.
        const LOCK: &str = "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0;
            SELECT pg_advisory_xact_lock(7597125640182)";
        transaction.batch_execute(LOCK).await.map_err(problem(&self.place))?;
        let session = &mut Session::Transaction(transaction, &self.place);
        let found = self.version(session).await?;
        for script in schema::scripts(found, Tables::Postgres, &self.place)? {
            transaction.batch_execute(&script).await.map_err(problem(&self.place))?;
        }
        if found.is_none() {
            let identity = Identity::new(authority, Now.run(session).await?, &self.place)?;
            session.execute(schema::SET, &params!["authority", &identity.authority]).await?;
            session.execute(schema::SET, &params!["date", &identity.date]).await?;
        }
        let version = schema::VERSION.to_string();
        session.execute(schema::SET, &params!["schema", &version]).await.map(drop)
    }

    /// The version of the tables; none if there are none of ours.
    async fn version(&self, session: &mut Session<'_>) -> Result<Option<i64>> {
        // Not by `to_regclass`, which goes by what the connection remembers of the tables: somebody
        // may have made them since.
        const TABLE: &str = "SELECT count(*) FROM pg_catalog.pg_tables
            WHERE schemaname = current_schema() AND tablename = 'meta'";
        let row = session.query_opt(TABLE, &[]).await?;
        if row.map_or(Ok(0), |mut row| row.int())? == 0 {
            return Ok(None);
        }
        schema::ReadVersion.run(session).await.map(Some)
    }
}

/// What comes after an attempt that failed.
enum Attempt {
    /// Another one: nothing of it was made durable.
    Again(StoreError),
    /// Nothing.
    Over(StoreError),
}

impl Attempt {
    fn of(error: StoreError) -> Self {
        if passes(&error) { Self::Again(error) } else { Self::Over(error) }
    }

    /// What was sent to be made durable may be so, even if nobody said it: only the database can say
    /// that it is not.
    fn of_commit(error: StoreError) -> Self {
        match error {
            StoreError::Unreachable { place, .. } => Self::Over(StoreError::Unreachable {
                place,
                detail: "the connection was lost at the very end, and it is not known whether \
                         anything was written"
                    .to_owned(),
            }),
            error => Self::of(error),
        }
    }
}

/// True for what is over when it is tried again.
fn passes(error: &StoreError) -> bool {
    match error {
        StoreError::Unreachable { .. } => true,
        StoreError::Busy { detail, .. } => detail == problem::CONFLICT,
        _ => false,
    }
}

async fn pause(tries: u32) {
    let pause = LONGEST.min(PAUSE * 2_u32.pow(tries - 1));
    // Those who got in each other's way should not meet again. Without random numbers they may.
    let some = f64::from(getrandom::u32().unwrap_or(0) % 1_000) / 1_000.0;
    tokio::time::sleep(pause.mul_f64(0.5 + some / 2.0)).await;
}

fn refused(place: &Arc<str>, detail: String) -> StoreError {
    StoreError::Refused { place: place.to_string(), detail }
}
