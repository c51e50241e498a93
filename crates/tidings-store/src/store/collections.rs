//! Collections: looking them up, and making new ones.

use super::follow::{TRIES, taken};
use super::keys::{self, Keyed};
use super::{Store, digest, retired};
use crate::engine::{Execute, Operation, Row, Select, Session, Value, padded, params, places};
use crate::error::Result;
use crate::{Collection, CollectionOrigin, Millis, NewCollection, Via};

const COLUMNS: &str = "id, site_id, key, identity, title, author, language, about, progress, \
    reason, is_gone, ignored, changes, batches, changed_at, is_muted, forgotten, \
    forgotten_until";

fn read(row: &mut Row) -> Result<Collection> {
    Ok(Collection {
        id: row.int()?,
        site_id: row.int()?,
        key: row.text()?,
        identity: row.text()?,
        title: row.maybe_text()?,
        author: row.maybe_text()?,
        language: row.maybe_text()?,
        about: row.maybe_text()?,
        progress: row.text()?,
        reason: row.maybe_text()?,
        is_gone: row.is()?,
        ignored: row.int()?,
        changes: row.int()?,
        batches: row.int()?,
        changed_at: row.maybe_int()?,
        is_muted: row.is()?,
        forgotten: row.int()?,
        forgotten_until: row.maybe_int()?,
    })
}

impl Store {
    /// The collections of a site, in the order of their numbers.
    pub async fn collections(&self, site_id: i64) -> Result<Vec<Collection>> {
        let params = params![site_id].into();
        self.engine().read(Select { sql: of_site_sql(), params, read }).await
    }

    /// A collection by its key.
    pub async fn collection(&self, key: &str) -> Result<Option<Collection>> {
        let sql = format!("SELECT {COLUMNS} FROM collections WHERE key = $1");
        let found = self.engine().read(Select { sql, params: params![key].into(), read }).await?;
        Ok(found.into_iter().next())
    }

    /// Collections by their numbers, each with its site, in any order.
    pub async fn collection_origins(&self, ids: &[i64]) -> Result<Vec<CollectionOrigin>> {
        let ids = ids.iter().copied().map(Value::Int).collect();
        self.engine().read(Origins { ids }).await
    }

    /// Mutes a collection, or listens to it again; false if it is not known. See
    /// [`Collection::is_muted`].
    pub async fn set_muted(&self, key: &str, muted: bool) -> Result<bool> {
        const SET: &str = "UPDATE collections SET is_muted = $2 WHERE key = $1";
        let params = params![key, muted].into();
        Ok(self.engine().write(Execute { sql: SET, params }).await? > 0)
    }
}

struct Origins {
    ids: Vec<Value>,
}

impl Operation for Origins {
    type Output = Vec<CollectionOrigin>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Self::Output> {
        let columns: Vec<_> = COLUMNS.split(", ").map(|name| format!("c.{name}")).collect();
        let mut origins = Vec::new();
        for params in padded(&self.ids) {
            let sql = format!(
                "SELECT {}, s.key, s.title, s.url, s.via, s.polled_at FROM collections c JOIN sites s
                 ON s.id = c.site_id WHERE c.id IN ({})",
                columns.join(", "),
                places(1, params.len())
            );
            for mut row in session.query(&sql, &params).await? {
                origins.push(CollectionOrigin {
                    collection: read(&mut row)?,
                    site_key: row.text()?,
                    site_title: row.maybe_text()?,
                    site_url: row.text()?,
                    site_via: row.named(Via::by_name)?,
                    site_polled_at: row.maybe_int()?,
                });
            }
        }
        Ok(origins)
    }
}

fn of_site_sql() -> String {
    format!("SELECT {COLUMNS} FROM collections WHERE site_id = $1 ORDER BY id")
}

pub(super) async fn of_site(session: &mut Session<'_>, site_id: i64) -> Result<Vec<Collection>> {
    let mut rows = session.query(&of_site_sql(), &params![site_id]).await?;
    rows.iter_mut().map(read).collect()
}

/// What a batch needs to know of its collection.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) id: i64,
    pub(super) key: String,
    pub(super) batches: i64,
    pub(super) is_muted: bool,
    /// See [`Collection::forgotten_until`].
    pub(super) forgotten_until: Option<Millis>,
}

/// The collection of a site with that identity.
pub(super) async fn find(
    session: &mut Session<'_>,
    site_id: i64,
    identity: &str,
) -> Result<Option<Known>> {
    const FIND: &str = "SELECT id, key, batches, is_muted, forgotten_until FROM collections
        WHERE site_id = $1 AND identity_digest = $2";
    let row = session.query_opt(FIND, &params![site_id, digest(identity)]).await?;
    let read = |mut row: Row| {
        Ok(Known {
            id: row.int()?,
            key: row.text()?,
            batches: row.int()?,
            is_muted: row.is()?,
            forgotten_until: row.maybe_int()?,
        })
    };
    row.map(read).transpose()
}

/// Makes a collection; one that the site has already is left as it is.
pub(super) async fn insert(
    session: &mut Session<'_>,
    site_id: i64,
    new: &NewCollection,
) -> Result<Known> {
    const INSERT: &str = "INSERT INTO collections (site_id, key, identity, identity_digest, \
        title, author, language, about, progress, is_muted)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING";
    for _ in 0..TRIES {
        if let Some(known) = find(session, site_id, &new.identity).await? {
            return Ok(known);
        }
        let key = keys::free(session, Keyed::Collections, &new.key).await?;
        let params = params![
            site_id,
            &key,
            &new.identity,
            digest(&new.identity),
            new.title.as_ref(),
            new.author.as_ref(),
            new.language.as_ref(),
            new.about.as_ref(),
            &new.progress,
            new.is_muted,
        ];
        session.execute(INSERT, &params).await?;
        retired::forget(session, &format!("feeds/{key}")).await?;
    }
    Err(taken(session, &new.key))
}
