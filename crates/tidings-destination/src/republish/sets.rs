//! The sets of a copy that has several, for the publisher.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, params};
use tempfile::TempDir;
use tidings_source::{Members, Set};

use crate::SyncError;
use crate::state::{Published, SetRow, State};

/// Which file is in which set: a table on the disk, so that memory does not grow with the copy. It
/// goes when this does.
#[derive(Debug)]
pub(super) struct SetTable {
    sets: Vec<SetRow>,
    table: Arc<Table>,
    has_shared: bool,
}

#[derive(Debug)]
struct Table {
    connection: Mutex<Connection>,
    failure: Mutex<Option<io::Error>>,
    _folder: TempDir,
}

/// The members of one set.
#[derive(Debug)]
struct SetMembers {
    set: i64,
    table: Arc<Table>,
}

impl SetTable {
    /// An empty table; none if the copy is of one set, which then has everything.
    pub(super) fn new(state: &State, private: &Path) -> Result<Option<Self>, SyncError> {
        let sets = state.sets()?;
        if sets.len() < 2 {
            return Ok(None);
        }
        let folder = tempfile::tempdir_in(private)
            .map_err(SyncError::io("could not make a folder in", private))?;
        let connection = Connection::open(folder.path().join("sets.sqlite"))?;
        // It is made again by the next run, and need not outlive a power cut.
        connection.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
             CREATE TABLE member (path TEXT, set_id INTEGER, PRIMARY KEY (path, set_id)) WITHOUT ROWID;
             BEGIN;",
        )?;
        let connection = Mutex::new(connection);
        let table = Table { connection, failure: Mutex::default(), _folder: folder };
        let has_shared = state.has_shared()?;
        Ok(Some(Self { sets, table: Arc::new(table), has_shared }))
    }

    /// Notes the sets of a resource whose file is at that path.
    pub(super) fn insert(
        &self,
        state: &State,
        row: &Published,
        file: &str,
    ) -> Result<(), SyncError> {
        let mut of = match self.has_shared {
            true => state.sets_sharing(row.id)?,
            false => Vec::new(),
        };
        of.push(row.set);
        of.retain(|id| self.sets.iter().any(|set| set.id == *id));
        if of.is_empty() {
            // Descriptions of resources are in no list of their Source; they go with the first set.
            of.extend(self.sets.first().map(|set| set.id));
        }
        let connection = self.table.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut statement = connection
            .prepare_cached("INSERT OR IGNORE INTO member (path, set_id) VALUES (?1, ?2)")?;
        for set in of {
            statement.execute(params![file, set])?;
        }
        Ok(())
    }

    /// Ends the writing.
    pub(super) fn commit(&self) -> Result<(), SyncError> {
        let connection = self.table.connection.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(connection.execute_batch("COMMIT")?)
    }

    /// The sets for the publisher, each with its members. A resource that several sets have is a
    /// member of each: the publisher decides whether it is published in all of them or in the first.
    pub(super) fn into_sets(self) -> Vec<Set> {
        let names = names(&self.sets);
        let sets = self.sets.iter().zip(names).map(|(set, name)| {
            let members = SetMembers { set: set.id, table: Arc::clone(&self.table) };
            let mut set = Set::named(name).with_members(Arc::new(members));
            // A resource that several sets have is in each of them.
            set.shared = self.has_shared;
            set
        });
        sets.collect()
    }
}

impl Members for SetMembers {
    fn has(&self, path: &Path) -> bool {
        let Some(path) = path.to_str() else { return false };
        let connection = self.table.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let found = connection
            .prepare_cached("SELECT 1 FROM member WHERE path = ?1 AND set_id = ?2")
            .and_then(|mut statement| statement.exists(params![path, self.set]));
        found.unwrap_or_else(|error| {
            let mut failure = self.table.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert_with(|| io::Error::other(error));
            false
        })
    }

    fn failure(&self) -> Option<io::Error> {
        self.table.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The names of the sets as the publisher can have them: each is a folder's, and no two are equal.
fn names(sets: &[SetRow]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for set in sets {
        let plain =
            |char: char| if char.is_ascii_alphanumeric() || char == '_' { char } else { '-' };
        let name: String = set.name.chars().map(plain).take(56).collect();
        let name = match Set::is_name(&set.name) {
            true => set.name.clone(),
            false => Some(name.trim_matches('-').to_owned())
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| "set".to_owned()),
        };
        let others = (2..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(others).find(|name| !names.contains(name));
        names.extend(free);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::DESCRIPTIONS;
    use crate::state::{Record, Validator};

    fn row(state: &mut State, uri: &str, set: i64) -> Published {
        let record = Record {
            uri,
            set,
            path: None,
            length: 0,
            sha256: &[0; 32],
            mtime: 0,
            hash: None,
            lastmod: None,
            lastmod_is_open: false,
            changed: None,
            media_type: None,
            validator: &Validator::default(),
            links: None,
        };
        state.record(&record).unwrap();
        let rows = state.published_after("", 10).unwrap();
        rows.into_iter().find(|row| row.uri == uri).unwrap()
    }

    #[test]
    fn a_resource_of_two_sets_is_a_member_of_each() {
        let folder = tempfile::tempdir().unwrap();
        let mut state = State::open(folder.path()).unwrap();
        let [first, second] = ["one", "two"]
            .map(|name| state.set(name, &format!("https://e.example/{name}")).unwrap().id);
        let rows = [("a", first), ("b", second), ("both", second), ("metadata", DESCRIPTIONS)];
        let rows = rows.map(|(uri, set)| row(&mut state, uri, set));
        state.share(rows[2].id, [first, second]).unwrap();
        let table = SetTable::new(&state, folder.path()).unwrap().unwrap();
        rows.iter().for_each(|row| table.insert(&state, row, &row.uri).unwrap());
        table.commit().unwrap();
        let members = |set| SetMembers { set, table: Arc::clone(&table.table) };
        let of = |set| {
            let members = members(set);
            ["a", "b", "both", "metadata", "other"].map(|path| members.has(Path::new(path)))
        };
        assert_eq!(of(first), [true, false, true, true, false]);
        assert_eq!(of(second), [false, true, true, false, false]);
        assert!(members(first).failure().is_none());

        // A table that cannot be read is an error, and not an empty set.
        table.table.connection.lock().unwrap().execute_batch("DROP TABLE member").unwrap();
        assert!(!members(first).has(Path::new("a")));
        assert!(members(first).failure().is_some());
    }

    #[test]
    fn set_names_stay_or_become_names_of_folders() {
        let row = |name: &str| SetRow {
            id: 1,
            name: name.to_owned(),
            url: String::new(),
            at: None,
            reached: None,
            complete: true,
            unsettled_until: None,
        };
        let sets = ["books", "a b", "a/b", "https://e.example/x/", "", "a-b"].map(row);
        let expected = ["books", "a-b", "a-b-2", "https---e-example-x", "set", "a-b-3"];
        assert_eq!(names(&sets), expected);
    }
}
