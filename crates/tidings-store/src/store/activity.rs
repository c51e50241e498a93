//! How much changed, and when.

use std::collections::{BTreeMap, HashMap};

use super::Store;
use crate::engine::{Operation, Row, Select, Session, Value, chunks, padded, params, places, rows};
use crate::error::Result;
use crate::{Day, Kind, Millis, NewChange};

const DAY: Millis = 86_400_000;

fn read(row: &mut Row) -> Result<Day> {
    Ok(Day { day: row.int()?, created: row.int()?, updated: row.int()?, deleted: row.int()? })
}

fn counts(row: &mut Row) -> Result<[i64; 3]> {
    Ok([row.int()?, row.int()?, row.int()?])
}

impl Store {
    /// The days with changes of a collection, from the first to the last of these, the oldest first.
    pub async fn activity(&self, collection_id: i64, from: i64, to: i64) -> Result<Vec<Day>> {
        let sql = "SELECT day, created, updated, deleted FROM days
            WHERE collection_id = $1 AND day >= $2 AND day <= $3 ORDER BY day"
            .to_owned();
        let params = params![collection_id, from, to].into();
        self.engine().read(Select { sql, params, read }).await
    }

    /// The days with changes of sites from that day on, over all collections of each, the oldest
    /// first. Those that had none are left out.
    pub async fn site_activity(
        &self,
        site_ids: &[i64],
        from: i64,
    ) -> Result<HashMap<i64, Vec<Day>>> {
        const SELECT: &str = "SELECT site_id, day, CAST(sum(created) AS BIGINT), \
            CAST(sum(updated) AS BIGINT), CAST(sum(deleted) AS BIGINT) FROM days
            WHERE day >= $1 AND site_id IN";
        const REST: &str = "GROUP BY site_id, day ORDER BY site_id, day";
        let days = self.engine().read(OfSites::new(SELECT, REST, from, site_ids, read)).await?;
        let mut found: HashMap<_, Vec<_>> = HashMap::new();
        for (site_id, day) in days {
            found.entry(site_id).or_default().push(day);
        }
        Ok(found)
    }

    /// How many resources of sites were created, updated and deleted, as far as polls found it out
    /// after that time. Sites without news are left out.
    pub async fn news_since(
        &self,
        site_ids: &[i64],
        since: Millis,
    ) -> Result<HashMap<i64, [i64; 3]>> {
        const SELECT: &str = "SELECT site_id, CAST(sum(created) AS BIGINT), \
            CAST(sum(updated) AS BIGINT), CAST(sum(deleted) AS BIGINT) FROM batches
            WHERE seen_at > $1 AND site_id IN";
        const REST: &str = "GROUP BY site_id";
        let news = self.engine().read(OfSites::new(SELECT, REST, since, site_ids, counts)).await?;
        Ok(news.into_iter().collect())
    }

    /// The same of all sites together, and how many sites have news.
    pub async fn total_since(&self, since: Millis) -> Result<(u64, [i64; 3])> {
        let sql = "SELECT count(DISTINCT site_id), COALESCE(CAST(sum(created) AS BIGINT), 0), \
            COALESCE(CAST(sum(updated) AS BIGINT), 0), COALESCE(CAST(sum(deleted) AS BIGINT), 0)
            FROM batches WHERE seen_at > $1"
            .to_owned();
        let read = |row: &mut Row| Ok((row.count()?, counts(row)?));
        let found = self.engine().read(Select { sql, params: params![since].into(), read }).await?;
        Ok(found.into_iter().next().unwrap_or_default())
    }
}

/// Something of many sites, each row of which says first which site it is about.
struct OfSites<T: 'static> {
    /// The statement up to the list of sites, with the time from when on as its first parameter.
    select: &'static str,
    /// What comes after the list.
    rest: &'static str,
    from: i64,
    site_ids: Vec<Value>,
    read: fn(&mut Row) -> Result<T>,
}

impl<T> OfSites<T> {
    /// Each site is asked for once, so that it is not counted by two statements.
    fn new(
        select: &'static str,
        rest: &'static str,
        from: i64,
        site_ids: &[i64],
        read: fn(&mut Row) -> Result<T>,
    ) -> Self {
        let mut site_ids = site_ids.to_vec();
        site_ids.sort_unstable();
        site_ids.dedup();
        Self { select, rest, from, site_ids: site_ids.into_iter().map(Value::Int).collect(), read }
    }
}

impl<T: Send + 'static> Operation for OfSites<T> {
    type Output = Vec<(i64, T)>;

    async fn run(&self, session: &mut Session<'_>) -> Result<Self::Output> {
        let mut found = Vec::new();
        for mut params in padded(&self.site_ids) {
            let sql = format!("{} ({}) {}", self.select, places(2, params.len()), self.rest);
            params.insert(0, Value::Int(self.from));
            for mut row in session.query(&sql, &params).await? {
                found.push((row.int()?, (self.read)(&mut row)?));
            }
        }
        Ok(found)
    }
}

/// The day of a change. None is after it was seen: a site that says so has its clock wrong, or
/// announces something.
fn day(time: Millis, seen_at: Millis) -> i64 {
    time.min(seen_at).max(0) / DAY
}

/// How many changes of a batch were created, updated and deleted on each day. Those of which only
/// the number is kept count on the newest.
pub(super) fn days(
    new: &[&NewChange],
    more: [i64; 3],
    newest: Millis,
    seen_at: Millis,
) -> BTreeMap<i64, [i64; 3]> {
    let mut days: BTreeMap<_, [i64; 3]> = BTreeMap::new();
    for change in new {
        let place = match change.kind {
            Kind::Created => 0,
            Kind::Updated => 1,
            Kind::Deleted => 2,
        };
        days.entry(day(change.time, seen_at)).or_default()[place] += 1;
    }
    if more != [0; 3] {
        let counts = days.entry(day(newest, seen_at)).or_default();
        for (count, more) in counts.iter_mut().zip(more) {
            *count += more;
        }
    }
    days
}

/// Adds to what is known of these days.
pub(super) async fn add(
    session: &mut Session<'_>,
    site_id: i64,
    collection_id: i64,
    days: &BTreeMap<i64, [i64; 3]>,
) -> Result<()> {
    let days: Vec<_> = days.iter().collect();
    for chunk in chunks(&days) {
        let sql = format!(
            "INSERT INTO days (collection_id, day, site_id, created, updated, deleted) VALUES {}
             ON CONFLICT (collection_id, day) DO UPDATE SET \
             created = days.created + excluded.created, \
             updated = days.updated + excluded.updated, \
             deleted = days.deleted + excluded.deleted",
            rows(chunk.len(), 6)
        );
        let values = chunk.iter().flat_map(|(day, [created, updated, deleted])| {
            params![collection_id, **day, site_id, *created, *updated, *deleted]
        });
        session.execute(&sql, &values.collect::<Vec<_>>()).await?;
    }
    Ok(())
}
