//! Posts as a grid of tiles, the newest first.

use super::COLUMNS;
use crate::engine::{Row, Select, Value};
use crate::error::Result;
use crate::{GridFilter, Store, Tile};

fn tile(row: &mut Row) -> Result<Tile> {
    Ok(Tile {
        post: super::read(row)?,
        posts: row.int()?,
        is_read: row.is()?,
        site_key: row.text()?,
    })
}

impl Store {
    /// A part of a grid, in its order: by when posts were discovered, then by their place in the index,
    /// the newest first.
    pub async fn grid(&self, filter: &GridFilter) -> Result<Vec<Tile>> {
        let mut params: Vec<Value> = vec![filter.reader.into(), i64::from(filter.limit).into()];
        let mut place = |value: i64| {
            params.push(value.into());
            format!("${}", params.len())
        };
        let mut wanted = String::new();
        let posts = match filter.site_id {
            Some(id) => {
                wanted += &format!(" AND p.site_id = {}", place(id));
                "1".to_owned()
            }
            None => {
                wanted += " AND p.tile < 2";
                // Where only what was not read is wanted, only that is counted.
                let counted = if filter.unread { UNREAD } else { "" };
                format!(
                    "CASE WHEN p.tile = 0 THEN 1 ELSE (SELECT count(*) FROM posts q \
                     WHERE q.site_id = p.site_id AND q.day = p.day AND q.tile > 0{counted}) END"
                )
            }
        };
        const UNREAD: &str = " AND NOT EXISTS (SELECT 1 FROM post_reads r \
            WHERE r.reader = $1 AND r.post_id = q.id)";
        const READ: &str =
            "EXISTS (SELECT 1 FROM post_reads r WHERE r.reader = $1 AND r.post_id = p.id)";
        // A tile that posts share is read when all of them are.
        const ALL_READ: &str = "NOT EXISTS (SELECT 1 FROM posts u WHERE u.site_id = p.site_id \
            AND u.day = p.day AND u.tile > 0 AND NOT EXISTS (SELECT 1 FROM post_reads r \
            WHERE r.reader = $1 AND r.post_id = u.id))";
        let read = match filter.site_id {
            Some(_) => READ.to_owned(),
            None => format!("CASE WHEN p.tile = 1 THEN {ALL_READ} ELSE {READ} END"),
        };
        if filter.unread {
            wanted += &format!(" AND NOT ({read})");
        }
        if let Some((seen_at, line, id)) = filter.after {
            let [seen_at, line, id] = [seen_at, line, id].map(place);
            wanted += &format!(" AND (p.seen_at, p.place, p.id) < ({seen_at}, {line}, {id})");
        }
        let sql = format!(
            "SELECT {COLUMNS}, {posts}, CASE WHEN {read} THEN 1 ELSE 0 END, s.key
             FROM posts p JOIN sites s ON s.id = p.site_id WHERE 1 = 1{wanted}
             ORDER BY p.seen_at DESC, p.place DESC, p.id DESC LIMIT $2"
        );
        self.engine().read(Select { sql, params, read: tile }).await
    }
}
