//! Searching changes, a bounded number of them at a time.
//!
//! What is looked at is a stretch of all changes in their order. How long it is, is known from the
//! batches alone, because each says how many changes it has: so nothing beyond its end is touched,
//! however few of the changes match.

mod statement;
mod stretch;

use statement::Statement;
use stretch::{Piece, Stretch};

use super::batches::not_left_out;
use super::{Store, changes};
use crate::engine::{Operation, Row, Session};
use crate::error::Result;
use crate::{ChangeCursor, ChangeFilter, FoundChange, Kind, Search, Via};

/// How many changes the first stretch has. Each further one has [`GROWTH`] times as many: most
/// searches find enough at once, and the others should not ask too often.
const FIRST: u64 = 500;
const GROWTH: u64 = 4;

/// How many batches of other times one call passes over.
const PASSED_OVER: u64 = 10_000;
/// How many batches a stretch has at the most.
const BATCHES: u64 = 1_000;

/// How many words are searched for.
const WORDS: usize = 8;

/// Before all changes.
const START: ChangeCursor = ChangeCursor {
    seen_at: i64::MAX,
    collection_id: i64::MAX,
    batch: i64::MAX,
    position: i64::MAX,
};

impl Store {
    /// Searches for changes, the newest first, from that place on: by when they were found, and then
    /// by collection, batch and position. It finds `limit` of them at the most and looks at no more
    /// than `look_at`, one of each at least. Going on from [`Search::next`] misses none, and finds
    /// none twice.
    pub async fn search(
        &self,
        filter: &ChangeFilter,
        before: Option<ChangeCursor>,
        limit: u32,
        look_at: u32,
    ) -> Result<Search> {
        let mut from = before.unwrap_or(START);
        if let Some(collection_id) = filter.collection_id {
            from.collection_id = collection_id;
        }
        let (limit, look_at) = (limit.max(1) as usize, u64::from(look_at.max(1)));
        self.engine().read(Look { filter: filter.clone(), from, limit, look_at }).await
    }
}

struct Look {
    filter: ChangeFilter,
    from: ChangeCursor,
    limit: usize,
    look_at: u64,
}

impl Operation for Look {
    type Output = Search;

    async fn run(&self, session: &mut Session<'_>) -> Result<Search> {
        let mut search = Search::default();
        let mut from = self.from;
        let mut step = FIRST;
        while search.looked_at < self.look_at {
            let room = step.min(self.look_at - search.looked_at);
            let bound = self.bound(session, from).await?;
            let stretch = self.stretch(session, from, room, bound).await?;
            let Some(end) = stretch.end() else {
                search.next = bound;
                break;
            };
            let wanted = self.limit - search.found.len();
            let begin = stretch.begin().unwrap_or(from);
            let found = self.matches(session, begin, end, wanted).await?;
            let is_enough = found.len() == wanted;
            let last = found.last().filter(|_| is_enough).map_or(end, FoundChange::cursor);
            search.looked_at += stretch.count_to(last);
            search.found.extend(found);
            let is_over = stretch.is_last && last == end;
            search.next = if is_over { bound } else { Some(last) };
            if is_over || is_enough {
                break;
            }
            from = last;
            step = step.saturating_mul(GROWTH);
        }
        Ok(search)
    }
}

impl Look {
    /// How far one call goes through batches of other times: to the place of a batch after very many, if
    /// there are so many. Without a time, no batch is passed over.
    async fn bound(
        &self,
        session: &mut Session<'_>,
        from: ChangeCursor,
    ) -> Result<Option<ChangeCursor>> {
        if self.filter.from.is_none() && self.filter.to.is_none() {
            return Ok(None);
        }
        let mut statement = Statement::default();
        let order = self.order();
        let wanted = [self.place(&mut statement), statement.compare(order, "<=", from)].join("");
        let sql = format!(
            "SELECT b.seen_at, b.collection_id, b.sequence FROM batches b
             WHERE b.recorded > 0{wanted} ORDER BY {} LIMIT 1 OFFSET {PASSED_OVER}",
            descending(order)
        );
        let row = session.query_opt(&sql, &statement.params).await?;
        row.map(|mut row| {
            Ok(ChangeCursor {
                seen_at: row.int()?,
                collection_id: row.int()?,
                batch: row.int()?,
                position: 0,
            })
        })
        .transpose()
    }

    /// So many changes from there on, or as many as there are in so many batches.
    async fn stretch(
        &self,
        session: &mut Session<'_>,
        from: ChangeCursor,
        room: u64,
        bound: Option<ChangeCursor>,
    ) -> Result<Stretch> {
        // One more than is needed, because nothing may be left of the first.
        let most = room.min(BATCHES) as usize + 1;
        let mut statement = Statement::default();
        let order = self.order();
        let mut wanted =
            [self.scope(&mut statement), statement.compare(order, "<=", from)].join("");
        if let Some(bound) = bound {
            wanted += &statement.compare(order, ">=", bound);
        }
        let limit = statement.place(i64::try_from(most + 1).unwrap_or(i64::MAX).into());
        let sql = format!(
            "SELECT b.seen_at, b.collection_id, b.sequence, b.recorded FROM batches b
             WHERE b.recorded > 0{wanted} ORDER BY {} LIMIT {limit}",
            descending(order)
        );
        let mut rows = session.query(&sql, &statement.params).await?;
        let is_all = rows.len() <= most;
        rows.truncate(most);
        let mut stretch = Stretch { pieces: Vec::new(), is_last: is_all };
        let mut room = i64::try_from(room).unwrap_or(i64::MAX);
        for mut row in rows {
            if room == 0 {
                stretch.is_last = false;
                break;
            }
            let (seen_at, collection_id, batch) = (row.int()?, row.int()?, row.int()?);
            let mut to = row.int()?;
            if (collection_id, batch) == (from.collection_id, from.batch) {
                to = to.min(from.position);
            }
            if to <= 0 {
                continue;
            }
            let lowest = (to - room).max(0);
            room -= to - lowest;
            stretch.is_last &= lowest == 0;
            stretch.pieces.push(Piece { seen_at, collection_id, batch, from: lowest, to });
        }
        Ok(stretch)
    }

    /// What matches after the first and up to the last of these places, so many at the most.
    /// `CROSS JOIN` makes SQLite go through the tables in that order, and no further from a change
    /// that does not match.
    async fn matches(
        &self,
        session: &mut Session<'_>,
        from: ChangeCursor,
        end: ChangeCursor,
        most: usize,
    ) -> Result<Vec<FoundChange>> {
        let mut statement = Statement::default();
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        let between = self.between(&mut statement, from, end);
        let matching = self.matching(&mut statement);
        let timed = self.timed(&mut statement);
        let (tables, order, mut wanted) = match self.filter.collection_id {
            // In a query of its own, or both databases lose sight of where the stretch ends.
            Some(_) => {
                let most = if timed.is_empty() { limit } else { i64::MAX };
                let most = statement.place(most.into());
                let changes = format!(
                    "(SELECT * FROM changes c WHERE 1 = 1{between}{matching}
                     ORDER BY c.batch DESC, c.position DESC LIMIT {most}) c CROSS JOIN batches b"
                );
                (changes, &["c.batch"][..], timed)
            }
            None => {
                let wanted = [between, matching, timed].join("");
                ("batches b CROSS JOIN changes c".to_owned(), self.order(), wanted)
            }
        };
        wanted += &self.scope(&mut statement);
        let limit = statement.place(limit.into());
        let sql = format!(
            "SELECT {}, b.seen_at, k.key, k.title, s.key, s.title, s.url
             FROM {tables} CROSS JOIN collections k CROSS JOIN sites s
             WHERE c.collection_id = b.collection_id AND c.batch = b.sequence
             AND k.id = b.collection_id AND s.id = b.site_id{}
             ORDER BY {}, c.position DESC LIMIT {limit}",
            changes::COLUMNS,
            wanted,
            descending(order)
        );
        let mut rows = session.query(&sql, &statement.params).await?;
        rows.iter_mut().map(read).collect()
    }

    /// What says the place of a batch.
    fn order(&self) -> &'static [&'static str] {
        if self.filter.collection_id.is_some() {
            &["b.sequence"]
        } else {
            &["b.seen_at", "b.collection_id", "b.sequence"]
        }
    }

    /// Of what.
    fn place(&self, statement: &mut Statement) -> String {
        let mut place = String::new();
        if let Some(id) = self.filter.collection_id {
            place += &format!(" AND b.collection_id = {}", statement.place(id.into()));
        }
        if let Some(id) = self.filter.site_id {
            place += &format!(" AND b.site_id = {}", statement.place(id.into()));
        }
        if let Some(reader) = self.filter.without_left_out_by {
            place += &not_left_out(&statement.place(reader.into()));
        }
        place
    }

    /// Where to search.
    fn scope(&self, statement: &mut Statement) -> String {
        let mut scope = self.place(statement);
        // Batches in which nothing happened at that time need not be looked at.
        if let Some(from) = self.filter.from {
            // Nothing is found before it happened.
            let from = statement.place(from.into());
            scope += &format!(" AND b.newest >= {from} AND b.seen_at >= {from}");
        }
        if let Some(to) = self.filter.to {
            let to = statement.place(to.into());
            scope += &format!(" AND (b.oldest < {to} OR b.seen_at < {to})");
        }
        scope
    }

    /// What is true of the changes after the first and up to the last of these places. In one
    /// collection, they are next to each other.
    fn between(&self, statement: &mut Statement, from: ChangeCursor, end: ChangeCursor) -> String {
        if let Some(id) = self.filter.collection_id {
            let values = [id, from.batch, from.position, end.batch, end.position];
            let [id, from, below, end, lowest] = values.map(|value| statement.place(value.into()));
            return format!(
                " AND c.collection_id = {id} AND (c.batch, c.position) < ({from}, {below}) \
                 AND (c.batch, c.position) >= ({end}, {lowest})"
            );
        }
        let order = self.order();
        let between = [
            statement.compare(order, "<=", from),
            statement.compare(order, ">=", end),
            statement.position("<", from, i64::MAX),
            statement.position(">=", end, 0),
        ];
        between.join("")
    }

    /// When it happened. What is said to lie in the future counts as of when it was seen, as in the
    /// activity.
    fn timed(&self, statement: &mut Statement) -> String {
        let time = "CASE WHEN c.time > b.seen_at THEN b.seen_at ELSE c.time END";
        let mut timed = String::new();
        if let Some(from) = self.filter.from {
            timed += &format!(" AND {time} >= {}", statement.place(from.into()));
        }
        if let Some(to) = self.filter.to {
            timed += &format!(" AND {time} < {}", statement.place(to.into()));
        }
        timed
    }

    /// What to search for.
    fn matching(&self, statement: &mut Statement) -> String {
        let filter = &self.filter;
        let mut matching = String::new();
        if !filter.kinds.is_empty() {
            let mut kinds = filter.kinds.clone();
            kinds.sort_unstable();
            kinds.dedup();
            let kinds: Vec<_> =
                kinds.iter().map(|kind| statement.place(kind.name().into())).collect();
            matching += &format!(" AND c.kind IN ({})", kinds.join(", "));
        }
        if filter.without_removed_posts {
            matching += &format!(
                " AND (c.kind <> {} OR NOT EXISTS (SELECT 1 FROM collections w
                 JOIN sites v ON v.id = w.site_id WHERE w.id = c.collection_id AND v.via = {}))",
                statement.place(Kind::Deleted.name().into()),
                statement.place(Via::Webfeed.name().into())
            );
        }
        if let Some(path) = &filter.path {
            matching += &statement.contains(&["c.uri"], path);
        }
        for word in filter.words.iter().take(WORDS) {
            matching += &statement.contains(&["c.title", "c.uri", "c.note"], word);
        }
        matching
    }
}

fn descending(columns: &[&str]) -> String {
    columns.iter().map(|column| format!("{column} DESC")).collect::<Vec<_>>().join(", ")
}

fn read(row: &mut Row) -> Result<FoundChange> {
    Ok(FoundChange {
        change: changes::read(row)?,
        seen_at: row.int()?,
        collection_key: row.text()?,
        collection_title: row.maybe_text()?,
        site_key: row.text()?,
        site_title: row.maybe_text()?,
        site_url: row.text()?,
    })
}
