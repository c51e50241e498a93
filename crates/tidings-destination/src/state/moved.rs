//! Other URIs for what the copy has.

use rusqlite::params;

use super::State;
use super::resource::after;
use crate::SyncError;

/// Before URIs that are on their way, so that none meets one that is still to be moved.
const MARK: &str = "moving:";

/// Where the file of a resource is.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) id: i64,
    pub(crate) uri: String,
    /// None if it is where the mapping puts it.
    pub(crate) path: Option<String>,
}

impl State {
    /// Some places after that id.
    pub(crate) fn places_after(&self, id: i64, most: usize) -> Result<Vec<Place>, SyncError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, uri, path FROM resource WHERE id > ?1 ORDER BY id LIMIT ?2",
        )?;
        let rows = statement.query_map(params![id, most as i64], |row| {
            Ok(Place { id: row.get(0)?, uri: row.get(1)?, path: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(crate) fn set_path(&mut self, id: i64, path: Option<&str>) -> Result<(), SyncError> {
        self.connection
            .prepare_cached("UPDATE resource SET path = ?2 WHERE id = ?1")?
            .execute(params![id, path])?;
        Ok(())
    }

    /// Gives all that begins with one prefix the other, in the transaction that is open: resources, what
    /// is owed of them and damaged, their names and their links. What was read of documents is
    /// forgotten: at the new place all is compared.
    ///
    /// What has a URI at the new place already keeps it, and the other one keeps its own.
    pub(crate) fn move_uris(&mut self, from: &str, to: &str) -> Result<(), SyncError> {
        let (end, rest) = (after(from), from.len() as i64 + 1);
        let marked = format!("{MARK}{to}");
        let (mark_end, mark_rest) = (marks_end(), MARK.len() as i64 + 1);
        for table in ["resource", "owed", "damage"] {
            self.connection.execute(
                &format!(
                    "UPDATE {table} SET uri = ?1 || substr(uri, ?2) WHERE uri >= ?3 AND uri < ?4"
                ),
                params![marked, rest, from, end],
            )?;
            self.connection.execute(
                &format!(
                    "UPDATE OR IGNORE {table} SET uri = substr(uri, ?1)
                     WHERE uri >= ?2 AND uri < ?3"
                ),
                params![mark_rest, MARK, mark_end],
            )?;
            self.connection.execute(
                &format!(
                    "UPDATE OR REPLACE {table} SET uri = ?1 || substr(uri, ?2)
                     WHERE uri >= ?3 AND uri < ?4"
                ),
                params![from, marked.len() as i64 + 1, MARK, mark_end],
            )?;
        }
        self.connection.execute(
            "UPDATE name SET uri = ?1 || substr(uri, ?2) WHERE uri >= ?3 AND uri < ?4",
            params![to, rest, from, end],
        )?;
        self.connection.execute(
            "UPDATE resource SET links = replace(links, '\"' || ?1, '\"' || ?2)
             WHERE links IS NOT NULL",
            params![from, to],
        )?;
        self.connection.execute(
            "UPDATE resource_set SET url = ?1 || substr(url, ?2) WHERE url >= ?3 AND url < ?4",
            params![to, rest, from, end],
        )?;
        self.connection.execute_batch(
            "UPDATE resource_set SET complete = 0, at = NULL, reached = NULL; DELETE FROM document;",
        )?;
        Ok(())
    }
}

/// What comes after all marked URIs: the character after the colon.
fn marks_end() -> String {
    MARK.replace(':', ";")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Record, Validator};

    fn record(state: &mut State, uri: &str) {
        let (validator, sha256) = (Validator::default(), [0; 32]);
        let links = Some(r#"[{"rel":"describedby","href":"https://a.example/m"}]"#);
        let record = Record {
            uri,
            set: 1,
            path: None,
            length: 1,
            sha256: &sha256,
            mtime: 1,
            hash: None,
            lastmod: None,
            lastmod_is_open: false,
            changed: None,
            media_type: None,
            validator: &validator,
            links,
        };
        state.record(&record).unwrap();
    }

    fn uris(state: &State) -> Vec<String> {
        state.rows_after("", 100).unwrap().into_iter().map(|(uri, _)| uri).collect()
    }

    #[test]
    fn uris_move_below_themselves_and_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let (top, below) = ("https://a.example/", "https://a.example/x/");
        for path in ["a", "x/a", "x/x/a"] {
            record(&mut state, &format!("{top}{path}"));
        }
        state.owe("https://a.example/a", 1, "{}", "why", 1).unwrap();
        state.record_damage("https://a.example/x/a", "why").unwrap();
        let before = uris(&state);
        state.begin().unwrap();
        state.move_uris(top, below).unwrap();
        state.commit().unwrap();
        assert_eq!(uris(&state), ["x/a", "x/x/a", "x/x/x/a"].map(|path| format!("{top}{path}")));
        assert!(state.is_owed("https://a.example/x/a").unwrap());
        assert_eq!(state.damaged_after("", 9).unwrap(), ["https://a.example/x/x/a"]);
        let id = state.find("https://a.example/x/a").unwrap().unwrap().id;
        let links = state.particulars(id).unwrap().1.unwrap();
        assert!(links.contains("\"https://a.example/x/m\""), "{links}");
        state.begin().unwrap();
        state.move_uris(below, top).unwrap();
        state.commit().unwrap();
        assert_eq!(uris(&state), before);
    }

    #[test]
    fn a_uri_that_is_there_already_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        for uri in ["https://a.example/1", "https://a.example/2", "https://b.example/1"] {
            record(&mut state, uri);
        }
        let kept = state.find("https://b.example/1").unwrap().unwrap().id;
        state.begin().unwrap();
        state.move_uris("https://a.example/", "https://b.example/").unwrap();
        state.commit().unwrap();
        let all = ["https://a.example/1", "https://b.example/1", "https://b.example/2"];
        assert_eq!(uris(&state), all);
        assert_eq!(state.find("https://b.example/1").unwrap().unwrap().id, kept);
    }
}
