//! Makes a copy a Source of its own (section 14.8).

mod record;
mod sets;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use tidings_bytes::{ByteReader, FolderStore, STATE_FOLDER};
use tidings_source::{
    Format, InventoryKind, MaxDelete, Options, Outcome, Passed, Progress, PublicationPlan,
    RecordInventory, Selection, plan_publication, publication_folder, publish,
};

use crate::SyncError;
use crate::choice::Choice;
use crate::mapping::{Mapping, Uri};
use crate::state::{Published, State};
use record::Record;
use sets::SetTable;

/// How many rows of the state are read at once.
const ROWS_PER_READ: usize = 10_000;

/// How a copy is republished.
#[derive(Debug, Clone)]
pub struct RepublishOptions {
    /// Where the copy is; the documents go there, too.
    pub folder: PathBuf,
    /// The URL under which the folder is served.
    pub base: String,
    /// Which path each URI has: none means as it was copied.
    pub mapping: Mapping,
    /// Put all resources into packages, too: a Resource Dump.
    pub dump: bool,
    /// Put the changes into packages, too: a Change Dump.
    pub change_dump: bool,
    /// Forget the last publication, and start the history again.
    pub full: bool,
}

/// Publishes what the copy has: its sets, with its own URIs and times, and for each resource the
/// digests that were verified and a `via` link to the original with what the Source said of it. What
/// changed in the copy since is a change of this Source.
pub fn republish(
    options: &RepublishOptions,
    progress: &mut dyn Progress,
) -> Result<Outcome, SyncError> {
    let republication = Republication::prepare(options)?;
    let mut outcome =
        publish(&republication.options, &mut publication_folder(&options.folder), progress)?;
    outcome.passed.extend(republication.passed);
    Ok(outcome)
}

/// Finds out what [`republish`] would do now, and touches no document.
pub fn plan_republication(
    options: &RepublishOptions,
    progress: &mut dyn Progress,
) -> Result<PublicationPlan, SyncError> {
    let republication = Republication::prepare(options)?;
    let mut plan =
        plan_publication(&republication.options, &publication_folder(&options.folder), progress)?;
    plan.outcome.passed.extend(republication.passed);
    Ok(plan)
}

/// What the publisher is to publish of a copy.
struct Republication {
    options: Options,
    passed: Vec<Passed>,
    _records: NamedTempFile,
    /// What is published is not to change meanwhile.
    _files: FolderStore,
}

impl Republication {
    fn prepare(options: &RepublishOptions) -> Result<Self, SyncError> {
        crate::folder::check_folder(&options.folder)?;
        let private = options.folder.join(STATE_FOLDER);
        let no_copy = || SyncError::NoCopy { path: options.folder.clone() };
        let mut state = State::open_existing(&private)?.ok_or_else(no_copy)?;
        let mut files = FolderStore::open(&options.folder)?;
        let mapping = state.mapping(&options.mapping, &options.folder, false)?;
        let choice =
            state.setting("choice")?.as_deref().and_then(Choice::of_text).unwrap_or_default();
        let base = match options.base.ends_with('/') {
            true => options.base.clone(),
            false => format!("{}/", options.base),
        };
        let mut records = NamedTempFile::new_in(&private)
            .map_err(SyncError::io("could not write into", &private))?;
        let path = records.path().to_owned();
        let sets = SetTable::new(&state, &private)?;
        let mut passed = Vec::new();
        let mut file_of = |row: &Published| {
            let file = row.path.clone().unwrap_or_else(|| mapping.path(&Uri::known(&row.uri)));
            match obstacle(row, &file, &mut files) {
                None => Some(file),
                Some(reason) => {
                    passed.push(Passed { path: file.into(), reason: reason.to_owned() });
                    None
                }
            }
        };
        let mut writer = RecordWriter {
            state: &state,
            base: &base,
            sets: sets.as_ref(),
            prefers: choice.prefer.is_some(),
            path: &path,
        };
        writer.write(records.as_file_mut(), &mut file_of)?;
        let mut publication = Options::folder(&options.folder, &base);
        publication.inventory =
            InventoryKind::listed(RecordInventory { path: Some(path), format: Format::JsonLines });
        publication.files = Some(options.folder.clone());
        // Hidden names were copied as all others.
        publication.selection = Selection::new(&[], &[], true)?;
        if let Some(sets) = sets {
            publication.sets = sets.into_sets();
        }
        publication.dump = options.dump;
        publication.change_dump = options.change_dump;
        publication.full = options.full;
        // What went was asked about when the copy was made; but a copy of nothing is none.
        publication.max_delete = MaxDelete::Percent(100.0);
        Ok(Self { options: publication, passed, _records: records, _files: files })
    }
}

/// The reason why a resource of the copy cannot be published.
fn obstacle(row: &Published, file: &str, files: &mut dyn ByteReader) -> Option<&'static str> {
    if file == ".well-known/resourcesync" || file.starts_with("resourcesync/") {
        return Some(
            "a document of this Source has this path; copy the resource into another folder",
        );
    }
    let is_there = files.stamp(file).is_some_and(|stamp| stamp.length == row.length);
    (!is_there)
        .then_some("its file is not as it was copied; a new baseline synchronization brings it")
}

/// Writes the rows of the state as records for the publisher.
struct RecordWriter<'a> {
    state: &'a State,
    base: &'a str,
    sets: Option<&'a SetTable>,
    /// True if files may be other representations than those that the Source gave digests of.
    prefers: bool,
    path: &'a Path,
}

impl RecordWriter<'_> {
    fn write(
        &mut self,
        out: &mut std::fs::File,
        file_of: &mut dyn FnMut(&Published) -> Option<String>,
    ) -> Result<(), SyncError> {
        let failed = |error: std::io::Error| SyncError::io("could not write", self.path)(error);
        let mut out = BufWriter::new(out);
        let mut last = String::new();
        loop {
            let rows = self.state.published_after(&last, ROWS_PER_READ)?;
            let Some(end) = rows.last() else { break };
            last.clone_from(&end.uri);
            for row in &rows {
                let Some(file) = file_of(row) else { continue };
                if let Some(sets) = self.sets {
                    sets.insert(self.state, row, &file)?;
                }
                let Some(record) = Record::from_row(row, &file, self.base, self.prefers) else {
                    continue;
                };
                serde_json::to_writer(&mut out, &record).map_err(|error| failed(error.into()))?;
                out.write_all(b"\n").map_err(failed)?;
            }
        }
        if let Some(sets) = self.sets {
            sets.commit()?;
        }
        out.flush().map_err(failed)
    }
}
