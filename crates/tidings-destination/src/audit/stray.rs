//! Files that are no resources of the copy.
//!
//! The copy owns the folders that its mapping leads to: those of the hosts that it has resources of,
//! and those of the user's rules. What else is there is a difference; what is beside these folders is
//! not the copy's business, and only counted. Each file is looked up in the state, so that memory has
//! no more than the folders that are still to be walked.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tidings_bytes::{ByteReader, ByteStore, ListedFile, Occupant};

use super::Auditor;
use crate::SyncError;
use crate::mapping::{Mapping, Uri, is_shortened};
use crate::state::State;

/// How many files beside the copy are named.
const NAMED: usize = 3;

/// A walk over the folder of a copy.
struct Walk<'a> {
    state: &'a State,
    mapping: &'a Mapping,
    /// Documents and folders of documents of a publication in the same folder.
    documents: Vec<PathBuf>,
    /// Whether the copy owns what is in a folder at the top.
    owned: HashMap<String, bool>,
    shortened: Option<Shortened>,
}

/// The paths of resources that do not say their URIs, in a table of its own. It is made when the first
/// of them is met: most copies have none.
struct Shortened(Connection);

impl Auditor<'_> {
    /// Reports files that are no resources of the copy.
    pub(super) fn strays(
        &mut self,
        files: &mut dyn ByteStore,
        root: &Path,
        mapping: &Mapping,
    ) -> Result<(), SyncError> {
        let documents = tidings_source::documents_in(root);
        let (owned, shortened) = (HashMap::new(), None);
        let mut walk = Walk { state: &self.state, mapping, documents, owned, shortened };
        let mut foreign = Vec::new();
        // Whether each file has a row is asked while they are listed: nothing is collected.
        let mut outcome: Result<(), SyncError> = Ok(());
        let mut reader = files.reader()?;
        walk.state.begin_read()?;
        files.list(&mut |listed| {
            let path = match listed {
                ListedFile::File(path) => path,
                ListedFile::Unreadable(folder, error) => {
                    let shown = root.join(folder);
                    let note = format!("could not look into {}: {error}", shown.display());
                    self.report.notes.push(note);
                    return ControlFlow::Continue(());
                }
            };
            outcome = (|| {
                let Some(reason) = walk.verdict(reader.as_mut(), path)? else { return Ok(()) };
                let shown = path.to_string_lossy();
                if walk.owns(path)? {
                    self.report.add_stray(&shown, reason);
                    return Ok(());
                }
                self.report.foreign += 1;
                if foreign.len() < NAMED {
                    foreign.push(shown.into_owned());
                }
                Ok(())
            })();
            match outcome {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        });
        self.state.end_read()?;
        outcome?;
        if !foreign.is_empty() {
            foreign.sort();
            let (count, names) = (self.report.foreign, foreign.join(", "));
            self.report.notes.push(format!(
                "files beside the folders of the copy that are not part of it: {count}, such as {names}"
            ));
        }
        Ok(())
    }
}

impl Walk<'_> {
    /// Why a file is no resource of the copy; none if it is one.
    fn verdict(
        &mut self,
        files: &mut dyn ByteReader,
        path: &Path,
    ) -> Result<Option<&'static str>, SyncError> {
        let Some(text) = path.to_str() else {
            return Ok(Some("its name is none that the copy would write"));
        };
        if self.is_recorded(text)? || self.is_of_run_at_work(text)? {
            return Ok(None);
        }
        if self.documents.iter().any(|document| path.starts_with(document)) {
            return Ok(None);
        }
        if files.occupant(text)? == Occupant::Nothing {
            return Ok(None);
        }
        Ok(Some("it is no resource of the copy"))
    }

    /// True of a file that a run has announced or recorded since the state was looked at first. Most files are
    /// recorded in that one state, which costs no lock for each of them.
    fn is_of_run_at_work(&mut self, path: &str) -> Result<bool, SyncError> {
        self.state.end_read()?;
        // A run may record it between the two.
        let is_known = self.is_announced(path)? || self.is_recorded(path)?;
        self.state.begin_read()?;
        Ok(is_known)
    }

    fn is_recorded(&mut self, path: &str) -> Result<bool, SyncError> {
        if let Some(uri) = self.mapping.uri(path)
            && let Some(row) = self.state.find(&uri)?
            && row.path.is_none_or(|own| own == path)
        {
            return Ok(true);
        }
        if self.state.uri_at(path)?.is_some() {
            return Ok(true);
        }
        if !is_shortened(path) {
            return Ok(false);
        }
        if self.shortened.is_none() {
            self.shortened = Some(Shortened::new(self.state, self.mapping)?);
        }
        self.shortened.as_ref().map_or(Ok(false), |shortened| shortened.has(path))
    }

    /// True of a file that a run has announced, and not recorded yet.
    fn is_announced(&self, path: &str) -> Result<bool, SyncError> {
        Ok(self.state.announced()?.is_some_and(|text| text.lines().any(|line| line == path)))
    }

    /// True if the copy owns the folder of a file.
    fn owns(&mut self, path: &Path) -> Result<bool, SyncError> {
        let text = path.to_string_lossy();
        if self.mapping.is_below_rule(&text) {
            return Ok(true);
        }
        let Some((top, _)) = text.split_once('/') else { return Ok(false) };
        if let Some(known) = self.owned.get(top) {
            return Ok(*known);
        }
        let below = match self.mapping.origin_of(top) {
            Some(origin) => self.state.has_uri_below(&origin)?,
            None => false,
        };
        let is_owned = below || self.state.has_path_below(&format!("{top}/"))?;
        self.owned.insert(top.to_owned(), is_owned);
        Ok(is_owned)
    }
}

impl Shortened {
    fn new(state: &State, mapping: &Mapping) -> Result<Self, SyncError> {
        // A name without characters is a file that is gone when it is closed.
        let connection = Connection::open("")?;
        connection
            .execute_batch("CREATE TABLE place (path TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN")?;
        let mut last = String::new();
        loop {
            let rows = state.rows_after(&last, 10_000)?;
            let Some((end, _)) = rows.last() else { break };
            last.clone_from(end);
            for (uri, _) in rows.iter().filter(|(_, row)| row.path.is_none()) {
                let path = mapping.path(&Uri::known(uri));
                if is_shortened(&path) {
                    connection
                        .prepare_cached("INSERT OR IGNORE INTO place (path) VALUES (?1)")?
                        .execute([path])?;
                }
            }
        }
        connection.execute_batch("COMMIT")?;
        Ok(Self(connection))
    }

    fn has(&self, path: &str) -> Result<bool, SyncError> {
        let mut statement = self.0.prepare_cached("SELECT 1 FROM place WHERE path = ?1")?;
        Ok(statement.exists([path])?)
    }
}
