//! Looking sites up.

use super::{Store, digest};
use crate::engine::{Row, Select, Session, Value, padded, params, places};
use crate::error::Result;
use crate::{Site, SiteFilter, SiteOrder, State, Via};

/// What [`read`] wants of a row, in that order.
pub(super) const COLUMNS: &str = "id, key, url, host, via, title, state, reason, failures, \
    created_at, polled_at, succeeded_at, changed_at, next_due, poll_interval, settings, details, \
    batches, forgotten";

/// How many sites are listed where nobody says.
const LISTED: u32 = 100;

/// Nothing that is searched contains more than that, and SQLite does not look for it.
const LONGEST: usize = 16_384;

pub(super) fn read(row: &mut Row) -> Result<Site> {
    Ok(Site {
        id: row.int()?,
        key: row.text()?,
        url: row.text()?,
        host: row.text()?,
        via: row.named(Via::by_name)?,
        title: row.maybe_text()?,
        state: row.named(State::by_name)?,
        reason: row.maybe_text()?,
        failures: row.int()?,
        created_at: row.int()?,
        polled_at: row.maybe_int()?,
        succeeded_at: row.maybe_int()?,
        changed_at: row.maybe_int()?,
        next_due: row.int()?,
        interval: row.int()?,
        settings: row.json()?,
        details: row.text()?,
        batches: row.int()?,
        forgotten: row.int()?,
    })
}

/// The site of which that column has that value.
pub(super) async fn find(
    session: &mut Session<'_>,
    column: &'static str,
    value: Value,
) -> Result<Option<Site>> {
    let sql = format!("SELECT {COLUMNS} FROM sites WHERE {column} = $1 ORDER BY id LIMIT 1");
    let row = session.query_opt(&sql, &[value]).await?;
    row.map(|mut row| read(&mut row)).transpose()
}

impl Store {
    /// A site by its key.
    pub async fn site(&self, key: &str) -> Result<Option<Site>> {
        self.site_where("key", key.into()).await
    }

    /// A site by its number.
    pub async fn site_by_id(&self, id: i64) -> Result<Option<Site>> {
        self.site_where("id", id.into()).await
    }

    /// Sites by their numbers, in any order. Those that are not known are left out.
    pub async fn sites_by_ids(&self, ids: &[i64]) -> Result<Vec<Site>> {
        let ids: Vec<Value> = ids.iter().map(|id| Value::from(*id)).collect();
        let mut sites = Vec::with_capacity(ids.len());
        for params in padded(&ids) {
            let places = places(1, params.len());
            let sql = format!("SELECT {COLUMNS} FROM sites WHERE id IN ({places})");
            sites.extend(self.engine().read(Select { sql, params, read }).await?);
        }
        Ok(sites)
    }

    /// A site by the URL that it was followed by.
    pub async fn site_by_url(&self, url: &str) -> Result<Option<Site>> {
        let found = self.site_where("url_digest", digest(url).into()).await?;
        match found {
            Some(site) => Ok(Some(site)),
            None => self.site_where("asked_digest", digest(url).into()).await,
        }
    }

    async fn site_where(&self, column: &'static str, value: Value) -> Result<Option<Site>> {
        let sql = format!("SELECT {COLUMNS} FROM sites WHERE {column} = $1");
        let found = self.engine().read(Select { sql, params: vec![value], read }).await?;
        Ok(found.into_iter().next())
    }

    /// Sites in the order that the filter wants; a hundred if it has no limit.
    pub async fn sites(&self, filter: SiteFilter) -> Result<Vec<Site>> {
        if filter.text.as_ref().is_some_and(|text| text.len() > LONGEST) {
            return Ok(Vec::new());
        }
        let (sql, params) = listing(&filter);
        self.engine().read(Select { sql, params, read }).await
    }
}

fn listing(filter: &SiteFilter) -> (String, Vec<Value>) {
    let mut params = Vec::new();
    let mut place = |value: Value| {
        params.push(value);
        params.len()
    };
    let mut wanted = Vec::new();
    let order = match filter.order {
        SiteOrder::Key => {
            if let Some(after) = &filter.after {
                wanted.push(format!("key > ${}", place(after.into())));
            }
            "key"
        }
        SiteOrder::News => {
            if let Some((changed_at, id)) = filter.after_news {
                let (changed_at, id) = (place(changed_at.into()), place(id.into()));
                // Both, because SQLite finds its way into the index by the first only.
                wanted.push(format!("COALESCE(changed_at, 0) <= ${changed_at}"));
                wanted.push(format!("(COALESCE(changed_at, 0), id) < (${changed_at}, ${id})"));
            }
            "COALESCE(changed_at, 0) DESC, id DESC"
        }
    };
    if let Some(state) = filter.state {
        wanted.push(format!("state = ${}", place(state.name().into())));
    }
    if let Some(via) = filter.via {
        wanted.push(format!("via = ${}", place(via.name().into())));
    }
    if let Some(text) = &filter.text {
        let place = place(Value::from(containing(text).as_str()));
        let columns = ["url", "title", "key"];
        let any = columns.map(|column| format!("lower({column}) LIKE ${place} ESCAPE '!'"));
        wanted.push(format!("({})", any.join(" OR ")));
    }
    let limit = if filter.limit == 0 { LISTED } else { filter.limit };
    let limit = place(limit.into());
    let wanted =
        if wanted.is_empty() { String::new() } else { format!("WHERE {}", wanted.join(" AND ")) };
    (format!("SELECT {COLUMNS} FROM sites {wanted} ORDER BY {order} LIMIT ${limit}"), params)
}

/// The pattern of what contains that text, in lower case.
pub(super) fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter.to_ascii_lowercase());
    }
    pattern.push('%');
    pattern
}

/// Shared with who changes one site.
pub(super) async fn by_key(session: &mut Session<'_>, key: &str) -> Result<Option<(i64, String)>> {
    const FIND: &str = "SELECT id, host FROM sites WHERE key = $1";
    let row = session.query_opt(FIND, &params![key]).await?;
    row.map(|mut row| Ok((row.int()?, row.text()?))).transpose()
}
