//! The tables, and how they came to be.

use std::sync::Arc;

use super::{Operation, Session, dialect};
use crate::error::Result;
use crate::{Identity, StoreError};

/// What was done to the tables since the first version, in order. What was released is never
/// changed: something is added.
const SCRIPTS: [&str; 7] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
];

/// The version of the tables after all of them.
pub(super) const VERSION: i64 = SCRIPTS.len() as i64;

/// Puts down what the state knows of itself.
pub(super) const SET: &str = "INSERT INTO meta (key, value) VALUES ($1, $2)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value";

const GET: &str = "SELECT value FROM meta WHERE key = $1";

/// Whose words the tables are made in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tables {
    Sqlite,
    Postgres,
}

/// The scripts that bring the tables up to date from that version, or from nothing.
pub(super) fn scripts(found: Option<i64>, tables: Tables, place: &Arc<str>) -> Result<Vec<String>> {
    let found = found.unwrap_or(0);
    let place = place.to_string();
    let Some(missing) = usize::try_from(found).ok().and_then(|found| SCRIPTS.get(found..)) else {
        return Err(StoreError::Newer { place, found, known: VERSION });
    };
    let translated = |script: &&str| match tables {
        Tables::Sqlite => dialect::tables_for_sqlite(script),
        Tables::Postgres => dialect::tables_for_postgres(script),
    };
    Ok(missing.iter().map(translated).collect())
}

/// The version of the tables that are there.
#[derive(Debug)]
pub(super) struct ReadVersion;

impl Operation for ReadVersion {
    type Output = i64;

    async fn run(&self, session: &mut Session<'_>) -> Result<i64> {
        // A table of that name that says nothing is not ours, or was never finished.
        let row = session.query_opt(GET, &super::params!["schema"]).await?;
        let said = row.map_or_else(|| Ok(String::new()), |mut row| row.text())?;
        said.parse().map_err(|_| StoreError::Damaged {
            place: session.place(),
            detail: "it does not say the version of its tables".to_owned(),
        })
    }
}

/// What the state is identified by.
#[derive(Debug)]
pub(super) struct ReadIdentity;

impl Operation for ReadIdentity {
    type Output = Identity;

    async fn run(&self, session: &mut Session<'_>) -> Result<Identity> {
        Ok(Identity {
            authority: said(session, "authority").await?,
            date: said(session, "date").await?,
        })
    }
}

async fn said(session: &mut Session<'_>, key: &str) -> Result<String> {
    let row = session.query_opt(GET, &super::params![key]).await?;
    let place = session.place();
    row.map_or_else(
        || Err(StoreError::Damaged { place, detail: format!("it does not say its {key}") }),
        |mut row| row.text(),
    )
}
