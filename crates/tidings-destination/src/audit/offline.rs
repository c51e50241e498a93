//! An audit that does not ask the Source: the files are held against what was recorded of them.

use std::path::Path;

use tidings_bytes::STATE_FOLDER;
use url::Url;

use super::Auditor;
use super::inspect::Suspect;
use crate::SyncError;
use crate::folder::check_folder;
use crate::options::Sets;
use crate::state::State;

/// How many rows are read at once.
const BATCH: usize = 10_000;

impl Auditor<'_> {
    /// Looks at all files of the sets.
    pub(super) fn offline(&mut self, sets: &Sets) -> Result<(), SyncError> {
        let known = self.state.sets()?;
        let named = |name: &String| known.iter().find(|set| set.name == *name || set.url == *name);
        let chosen = match sets {
            Sets::Named(names) => {
                let all = || known.iter().map(|set| set.name.clone()).collect();
                let none = |name: &String| SyncError::NoSuchSet { name: name.clone(), sets: all() };
                let chosen = names.iter().map(|name| named(name).ok_or_else(|| none(name)));
                chosen.collect::<Result<Vec<_>, _>>()?
            }
            Sets::Only | Sets::All => known.iter().collect(),
        };
        self.report.sets = chosen.iter().map(|set| set.name.clone()).collect();
        let is_all = chosen.len() == known.len();
        let mut last = String::new();
        loop {
            let rows = self.state.rows_after(&last, BATCH)?;
            let Some((end, _)) = rows.last() else { return Ok(()) };
            last.clone_from(end);
            for (uri, row) in rows {
                // Descriptions belong to no set.
                if !is_all && !chosen.iter().any(|set| set.id == row.set) || row.gone {
                    continue;
                }
                self.report.resources += 1;
                self.show_progress();
                if !self.report.resources.is_multiple_of(self.step) {
                    continue;
                }
                self.report.checked += 1;
                let (length, mtime, sha256) = (row.length, row.mtime, row.sha256);
                let suspect = Suspect { uri, path: row.path, length, mtime, sha256, asked: None };
                self.inspector.look_at(suspect, &mut self.report);
            }
        }
    }
}

/// The Source that the copy in a folder was made of, as the copy has recorded it.
pub fn recorded_source(folder: &Path) -> Result<Url, SyncError> {
    check_folder(folder)?;
    let no_copy = || SyncError::NoCopy { path: folder.to_owned() };
    let state = State::open_existing(&folder.join(STATE_FOLDER))?.ok_or_else(no_copy)?;
    let source = state.setting("source")?.and_then(|source| Url::parse(&source).ok());
    source.ok_or_else(|| SyncError::UnknownSource { path: folder.to_owned() })
}
