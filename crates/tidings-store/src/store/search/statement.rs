//! Putting the statement of a search together.

use crate::ChangeCursor;
use crate::engine::Value;
use crate::store::sites::containing;

/// How much of a text is searched for, in characters.
const LETTERS: usize = 200;

/// The parameters of a statement that is put together.
#[derive(Default)]
pub(super) struct Statement {
    pub(super) params: Vec<Value>,
}

impl Statement {
    pub(super) fn place(&mut self, value: Value) -> String {
        self.params.push(value);
        format!("${}", self.params.len())
    }

    /// True of the batches on that side of the cursor's own, and of that one.
    pub(super) fn compare(&mut self, order: &[&str], side: &str, cursor: ChangeCursor) -> String {
        let values = [cursor.seen_at, cursor.collection_id, cursor.batch];
        let values = &values[values.len() - order.len()..];
        let places: Vec<_> = values.iter().map(|value| self.place((*value).into())).collect();
        format!(" AND ({}) {side} ({})", order.join(", "), places.join(", "))
    }

    /// True of the changes on that side of the cursor in its own batch, and in all others, where
    /// they are on that side of the other position: as one comparison, which an index can answer.
    pub(super) fn position(&mut self, side: &str, cursor: ChangeCursor, other: i64) -> String {
        let values = [cursor.collection_id, cursor.batch, cursor.position, other];
        let [collection, batch, position, other] = values.map(|value| self.place(value.into()));
        format!(
            " AND c.position {side} CASE WHEN b.collection_id = {collection} \
             AND b.sequence = {batch} THEN CAST({position} AS BIGINT) \
             ELSE CAST({other} AS BIGINT) END"
        )
    }

    /// True where any of these columns contains the text.
    pub(super) fn contains(&mut self, columns: &[&str], text: &str) -> String {
        let text: String = text.chars().take(LETTERS).collect();
        let place = self.place(Value::from(containing(&text).as_str()));
        let any = columns.iter().map(|column| format!("lower({column}) LIKE {place} ESCAPE '!'"));
        format!(" AND ({})", any.collect::<Vec<_>>().join(" OR "))
    }
}
